import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as passed } from 'node:timers/promises';

const bundle = join(import.meta.dirname, '..', '..', 'dist', 'evenkeel.cjs');
const source = join(import.meta.dirname, '..', '..', 'src');
const watchdog = join(source, 'cli', 'watchdog.ts');
const server = join(source, 'telemetry', 'server.ts');

/** Printing the report never ends. */
const STUCK = "process.stdout.write = () => { process._rawDebug('stuck'); for (;;); };";

/** Tidies up when it ends, and is stuck as soon as the watchdog listens. */
const SCRIPT = `
import { startWatchdog } from ${JSON.stringify(watchdog)};
setInterval(() => undefined, 1000);
process.on('SIGTERM', () => undefined);
process.on('exit', (code) => console.log('tidied up, exit code', code));
startWatchdog({ codes: { SIGTERM: 143 }, patienceMs: 50 }).then(() => {
  console.error('stuck');
  for (;;);
});
`;

/** Serves its health until it is told to be stuck. */
const SERVING = `
import { serve } from ${JSON.stringify(server)};
const options = { address: '127.0.0.1', port: 0, tls: 'plain', metrics: undefined, unhealthy: () => undefined };
serve(options).then(({ port }) => console.error(port));
process.stdin.once('data', () => {
  console.error('stuck');
  for (;;);
});
`;

describe('a program that is stuck in a loop', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evenkeel-watchdog-'));
    await writeFile(join(folder, 'stuck.cjs'), STUCK);
    await writeFile(join(folder, 'script.mts'), SCRIPT);
    await writeFile(join(folder, 'serving.mts'), SERVING);
  });
  after(() => rm(folder, { recursive: true }));

  it('is ended by a second signal, whatever it does, with the exit code of the signal', async () => {
    const program = start(['--require', join(folder, 'stuck.cjs'), bundle, 'demo']);
    const ended = once(program, 'exit');
    let said = '';
    program.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await once(program.stderr!, 'data');
    // The thread that listens may start later than the loop, so that a signal may find nobody.
    while (program.exitCode === null && program.signalCode === null) {
      program.kill('SIGTERM');
      await Promise.race([ended, passed(300)]);
    }
    assert.deepEqual(await ended, [143, null]);
    assert.match(said, /error: the program is stuck and does not end on the signal: it is ended by force\n/u);
  });

  it('is ended some time after the first signal, and what listens to its end still tidies up', async () => {
    const program = start(['--import', 'tsx', join(folder, 'script.mts')]);
    const ended = once(program, 'exit');
    const printed = text(program.stdout!);
    await once(program.stderr!, 'data');
    program.kill('SIGTERM');
    assert.deepEqual(await ended, [143, null]);
    assert.equal(await printed, 'tidied up, exit code 143\n');
  });

  it('gives no answer to a probe, which counts as a failure once its time is over', async () => {
    const program = start(['--import', 'tsx', join(folder, 'serving.mts')]);
    try {
      const [port] = (await once(program.stderr!, 'data')) as [Buffer];
      const probe = () =>
        fetch(`http://127.0.0.1:${port.toString().trim()}/healthz`, { signal: AbortSignal.timeout(500) });
      assert.equal((await probe()).status, 200);
      program.stdin!.write('now');
      await once(program.stderr!, 'data');
      await assert.rejects(probe(), { name: 'TimeoutError' });
    } finally {
      program.kill('SIGKILL');
    }
  });
});

function start(argv: readonly string[]): ChildProcess {
  return spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'pipe'] });
}
