import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { leaveOut } from './suites.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, '..', 'shared', 'cases');

/** So many cases there are at least. */
const ALL = 109;

if (!existsSync(folder)) leaveOut('shared cases', ALL);
else {
  describe('the shared cases, through the command line', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.ya?ml$/u.test(file))
      .map((file) => join(folder, file));
    const names = files.map(nameOf).sort();
    let problems: ReadonlyMap<string, string> = new Map();

    before(async function () {
      this.timeout(300_000);
      assert.ok(files.length >= ALL, `${files.length} of ${ALL} cases are there`);
      problems = await runAll(files);
    });

    for (const name of names) {
      it(name, () => assert.equal(problems.get(name), undefined));
    }
  });
}

/** The problems of the cases that fail, by name. The files are dealt out to as many runners as there are processors. */
async function runAll(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const hands = availableParallelism();
  const dealt = Array.from({ length: hands }, (_, hand) => files.filter((_file, i) => i % hands === hand));
  const problems = await Promise.all(dealt.filter((hand) => hand.length > 0).map(run));
  return new Map(problems.flat());
}

/** As the runner beside the cases prints them: a line with the file, then the problems, at the end how many passed. */
async function run(files: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const output = await new Promise<string>((resolve) => {
    const options = { cwd: root, maxBuffer: 1 << 26 };
    execFile(process.execPath, [join(folder, 'run.mjs'), ...files], options, (_error, stdout, stderr) => {
      resolve(`${stdout}${stderr}`);
    });
  });
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/mu.exec(output) ?? [];
  assert.equal(Number(passed) + Number(failed), files.length, output);
  const failures = output.split(/^✗ /mu).slice(1);
  return failures.map((text) => [nameOf(text.split('\n', 1)[0] ?? ''), text]);
}

function nameOf(file: string): string {
  return basename(file.trim()).replace(/\.ya?ml$/u, '');
}
