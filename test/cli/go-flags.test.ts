import assert from 'node:assert/strict';
import { fromGoFlags } from '../../src/cli/run/go-flags.ts';

const switches = new Set(['--dry-run', '--leader-elect']);

describe('flags in the syntax of Go', () => {
  const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['a switch set to true is the switch', ['--dry-run=true'], ['--dry-run']],
    ['so are 1 and T', ['--dry-run=1', '--dry-run=T'], ['--dry-run', '--dry-run']],
    ['a switch set to false is no switch', ['--leader-elect=false', '--now=x'], ['--now=x']],
    ['-v=4 is -v 4', ['-v=4'], ['-v', '4']],
    ['a value that holds = stays whole', ['--policy-config-file=a=b.yaml'], ['--policy-config-file=a=b.yaml']],
    ['a value over several lines stays whole', ['--now=a\nb'], ['--now=a\nb']],
    ['a flag without = stays', ['--dry-run', '-o', 'json'], ['--dry-run', '-o', 'json']],
    ['a name with underscores is one with dashes', ['--dry_run=true', '--now=a_b'], ['--dry-run', '--now=a_b']],
    ['an empty value of a flag that may be empty is none', ['--kubeconfig=', '--tls-cert-file='], []],
    ['an empty value of another stays, to be refused', ['--now='], ['--now=']],
    ['behind -- nothing is a flag', ['--', '--dry-run=true'], ['--', '--dry-run=true']],
  ];
  for (const [name, given, expected] of rows) {
    it(name, () => {
      assert.deepEqual(fromGoFlags(given, switches), expected);
    });
  }

  it('neither true nor false is refused', () => {
    assert.throws(() => fromGoFlags(['--dry-run=maybe'], switches), {
      message: '--dry-run is true or false, not "maybe"',
      exitCode: 2,
    });
  });
});
