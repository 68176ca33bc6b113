import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inputName, openInput, type Input, type Patience } from '../../src/lib/open-input.ts';

const PATIENCE: Patience = { silenceMs: 150, writerMs: 150 };
const LONG: Patience = { silenceMs: 30_000, writerMs: 30_000 };

const ENDED = { name: 'SilentInput', message: 'was not read to its end: a signal came' };

async function all(input: Input): Promise<string> {
  const buffer = Buffer.alloc(1 << 20);
  let length = 0;
  for (let read = -1; read !== 0; length += read) read = await input.read(buffer, length);
  await input.close();
  return buffer.toString('utf8', 0, length);
}

describe('opening what a user named', () => {
  let folder = '';
  let pipe = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'evenkeel-input-'));
    pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('a file, whole or from a byte on', async () => {
    writeFileSync(join(folder, 'file'), 'some text');
    const input = await openInput(join(folder, 'file'), PATIENCE);
    assert.equal(input.isFile, true);
    assert.equal(await all(input), 'some text');
    const again = await openInput(join(folder, 'file'), PATIENCE);
    again.moveTo(5);
    assert.equal(await all(again), 'text');
  });

  it('a device, as much of it as is asked for', async () => {
    const input = await openInput('/dev/zero', PATIENCE);
    const buffer = Buffer.alloc(10, 1);
    assert.deepEqual([input.isFile, await input.read(buffer, 6)], [false, 4]);
    assert.deepEqual([...buffer], [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
    await input.close();
  });

  it('a named pipe that somebody writes to later, in pieces', async () => {
    const opening = openInput(pipe, LONG);
    const writer = spawn('sh', ['-c', `exec > '${pipe}'; printf 'one '; printf two`]);
    assert.equal(await all(await opening), 'one two');
    writer.kill();
  });

  it('a named pipe that nobody writes to: a message', async () => {
    await assert.rejects(openInput(pipe, PATIENCE), {
      name: 'SilentInput',
      message: 'is a named pipe that nobody writes to',
    });
  });

  it('a named pipe whose writer says nothing: a message', async () => {
    const writer = spawn('sh', ['-c', `exec > '${pipe}'; printf x; exec sleep 30`]);
    const input = await openInput(pipe, { silenceMs: 150, writerMs: 30_000 });
    await assert.rejects(all(input), { name: 'SilentInput', message: 'nothing has come from it for 0.15 s' });
    await input.close();
    writer.kill();
  });

  it('a signal ends the waiting, for a writer and for what it writes', async () => {
    const stop = new AbortController();
    const opening = openInput(pipe, { ...LONG, signal: stop.signal });
    stop.abort();
    await assert.rejects(opening, ENDED);
    const again = new AbortController();
    const writer = spawn('sh', ['-c', `exec > '${pipe}'; printf x; exec sleep 30`]);
    const input = await openInput(pipe, { ...LONG, signal: again.signal });
    const reading = all(input);
    again.abort();
    await assert.rejects(reading, ENDED);
    await input.close();
    writer.kill();
  });

  it('a socket and links in a circle are refused by the system', async () => {
    const server = createServer().listen(join(folder, 'socket'));
    symlinkSync('loop', join(folder, 'loop'));
    await assert.rejects(openInput(join(folder, 'socket'), PATIENCE), { code: 'ENXIO' });
    await assert.rejects(openInput(join(folder, 'loop'), PATIENCE), { code: 'ELOOP' });
    server.close();
  });

  it('standard input has one name in messages', () => {
    assert.deepEqual(['-', '/dev/stdin', '/dev/fd/0', './-'].map(inputName), [
      ...['standard input', 'standard input', 'standard input', './-'],
    ]);
  });
});
