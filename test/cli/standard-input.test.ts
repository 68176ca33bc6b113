import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readText } from '../../src/cli/files/read-text.ts';
import { demoObjects } from '../../src/demo/cluster.ts';
import { DEFAULT_POLICY } from '../../src/demo/policy.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const dump = gzipSync(JSON.stringify({ kind: 'List', items: demoObjects() }));

/** The program in a process of its own, whose standard input is a socket: no name of it can be opened. */
function evenkeel(input: string | Buffer, ...argv: readonly string[]): readonly [number | null, string, string] {
  const { status, stdout, stderr } = spawnSync('node', ['--import', 'tsx', 'src/main.ts', ...argv], {
    input,
    cwd: ROOT,
  });
  return [status, String(stdout), String(stderr)];
}

describe('standard input', () => {
  for (const name of ['-', '/dev/stdin']) {
    it(`${name} is a policy`, () => {
      assert.deepEqual(evenkeel(DEFAULT_POLICY, 'policy', 'validate', name), [
        0,
        'standard input: valid descheduler/v1alpha2, 1 profile, 4 strategies\n',
        '',
      ]);
    });
  }

  it('is a dump, packed or not', () => {
    const [status, printed] = evenkeel(dump, '--from-dump', '-', '-o', 'json');
    const report = JSON.parse(printed) as { readonly source: { readonly name: string }; readonly evictions: object[] };
    assert.deepEqual([status, report.source.name, report.evictions.length > 0], [0, 'standard input', true]);
  });

  it('is one thing only', () => {
    assert.deepEqual(evenkeel(dump, '--from-dump', '-', '--policy-config-file', '/dev/stdin'), [
      2,
      '',
      'error: standard input is named twice, and can be read only once: give one of them as a file\n',
    ]);
  });

  it('is at its end at once', () => {
    const [status, , complained] = evenkeel('', 'policy', 'validate', '-');
    assert.deepEqual(
      [status, complained.split('\n')[0]],
      [2, 'standard input:1:1: error: there is nothing in it [empty]'],
    );
  });
});

describe('the text of a policy', () => {
  const advice = 'give the path of a DeschedulerPolicy';

  it('is read up to 4 MB, from a device without end and from a file of any size', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-text-'));
    const file = join(folder, 'policy.yaml');
    writeFileSync(file, 'a: 1\n');
    assert.equal(await readText(file), 'a: 1\n');
    truncateSync(file, 700 * 1024 ** 2);
    for (const path of [file, '/dev/zero']) {
      await assert.rejects(readText(path), { message: `policy ${path}: is larger than 4 MB; ${advice}`, exitCode: 2 });
    }
    rmSync(folder, { recursive: true });
  });

  it('is no folder and is there', async () => {
    await assert.rejects(readText(ROOT), { message: `policy ${ROOT}: is a folder; ${advice} in it` });
    await assert.rejects(readText('/no/such'), { message: `policy /no/such: no such file; ${advice}` });
  });
});
