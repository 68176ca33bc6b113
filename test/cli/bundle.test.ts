import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { demoObjects } from '../../src/demo/cluster.ts';

const bundle = join(import.meta.dirname, '..', '..', 'dist', 'evenkeel.cjs');

describe('the bundle (npm run build)', () => {
  let folder = '';
  let dump = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evenkeel-bundle-'));
    dump = join(folder, 'cluster.json');
    await writeFile(dump, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: demoObjects() }));
  });
  after(() => rm(folder, { recursive: true }));

  it('runs by itself, as bin of the package', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, 'version'], { encoding: 'utf8' });
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
    assert.match(stdout, /^evenkeel \d+\.\d+\.\d+\nNode\.js v/);
  });

  it('ends with exit code 2 where the input is wrong', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, '--no-such'], { encoding: 'utf8' });
    assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
    assert.match(stderr, /^error: unknown option '--no-such'\n/);
  });

  // Its modules are bundled as CommonJS, where some would ask in vain where they are.
  it('reads a schedule, and says which kubeconfig is missing', () => {
    const argv = [bundle, '--dry-run', '--schedule', '* * * * *', '--kubeconfig', join(folder, 'none')];
    const { status, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /^error: kubeconfig \S+none cannot be read: no such file/);
  });

  it('prints no colours into a pipe', () => {
    const { stdout } = spawnSync(process.execPath, [bundle, 'demo'], { encoding: 'utf8' });
    assert.match(stdout, /^Descheduling plan/);
    assert.doesNotMatch(stdout, /\u001b/);
  });

  it('ends quietly when nobody reads its output any more', () => {
    const shell = `"${process.execPath}" "${bundle}" demo -o json | head -n 1`;
    const { stdout, stderr } = spawnSync('sh', ['-c', shell], { encoding: 'utf8' });
    assert.deepEqual({ stdout, stderr }, { stdout: '{\n', stderr: '' });
  });

  it('says that standard output is full, exit code 1', () => {
    const stdio: ['ignore', number, 'pipe'] = ['ignore', openSync('/dev/full', 'w'), 'pipe'];
    const { status, stderr } = spawnSync(process.execPath, [bundle, 'demo'], { encoding: 'utf8', stdio });
    assert.equal(status, 1);
    assert.match(stderr, /^error: standard output can't be written: ENOSPC[^\n]+\n$/);
  });

  const defects: readonly (readonly [string, string])[] = [
    ['throws', "process.stdout.write = () => { throw new Error('boom'); };"],
    ['throws where nobody waits', "setImmediate(() => { throw new Error('boom'); });"],
    ['rejects where nobody waits', "setTimeout(() => void Promise.reject(new Error('boom')), 1);"],
  ];
  for (const [row, patch] of defects) {
    it(`a defect that ${row} is a sentence and a stack with places in the sources, exit code 1`, async () => {
      const preload = join(folder, 'preload.cjs');
      await writeFile(preload, patch);
      const argv = ['--require', preload, bundle, 'demo'];
      const { status, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
      assert.equal(status, 1);
      const [sentence, message, ...frames] = stderr.trimEnd().split('\n');
      assert.equal(sentence, 'evenkeel has failed, which is a fault of its own rather than of your input:');
      assert.equal(message, 'Error: boom');
      assert.doesNotMatch(frames.join('\n'), /evenkeel\.cjs/u);
      if (row === 'throws') assert.match(frames.join('\n'), /^ {4}at .*\(src\/main\.ts:\d+:\d+\)$/mu);
    });
  }

  for (const [signal, exitCode] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    it(`${signal} is exit code ${exitCode}, and the report is still written whole`, async () => {
      // A pipe that nobody has opened yet holds the program at its last step.
      const pipe = join(folder, `${signal}.pipe`);
      execFileSync('mkfifo', [pipe]);
      const argv = [bundle, '--from-dump', dump, '-o', 'json', '-v', '1', '--output-file', pipe];
      const program = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe'] });
      const ended = once(program, 'exit');
      await once(program.stderr, 'data');
      program.kill(signal);
      // Another process reads, for a pipe without a writer would hold this one for ever.
      const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'ignore'] });
      try {
        const report = text(reader.stdout);
        assert.deepEqual(await ended, [exitCode, null]);
        assert.equal((JSON.parse(await report) as { readonly kind: string }).kind, 'DeschedulingReport');
      } finally {
        reader.kill();
      }
    });
  }
});
