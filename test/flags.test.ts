import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../src/cli/program.ts';
import { recorder } from './cli/recorder.ts';

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'flags.md'), 'utf8');
const rows = [...page.matchAll(/^\| `(--[a-z0-9-]+)`\s+\| (acts|taken)\s+\| `([^`]+)`\s*\|\s*(.*?)\s*\|$/gmu)].map(
  ([, flag = '', does = '', example = '', refused = '']) => ({ flag, does, example, refused }),
);

describe('the flags of docs/flags.md', () => {
  it('are all 44 of the Go descheduler', () => {
    assert.equal(new Set(rows.map(({ flag }) => flag)).size, 44);
  });

  for (const { flag, example, refused } of rows) {
    it(`${example} is taken`, async () => {
      const { terminal, complained } = recorder();
      await runProgram(
        ['run', example, ...(flag === '--kubeconfig' ? [] : ['--kubeconfig=/no/such/kubeconfig'])],
        terminal,
      );
      // What is wrong then is that there is no policy, or no cluster.
      assert.match(complained(), /^error: (?:no policy:|kubeconfig|\/no\/such|.*there is no kubeconfig|.*no such)/u);
      assert.doesNotMatch(complained(), new RegExp(`${flag.slice(2)}\\b.*(?:invalid|unknown|not built)`, 'u'));
    });

    const value = /^`(--[^`]+)`$/u.exec(refused)?.[1];
    if (value === undefined) continue;
    it(`${value} is refused by name`, async () => {
      const { terminal, complained } = recorder();
      assert.equal(await runProgram(['run', '--from-dump', 'x', value], terminal), 2);
      assert.match(complained(), new RegExp(`^error: (?:option ')?${flag}\\b`, 'mu'));
    });
  }
});
