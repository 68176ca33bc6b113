import assert from 'node:assert/strict';
import { mayColor, mayShowProgress, widthOf } from '../../src/cli/terminal.ts';

describe('colours', () => {
  const rows: readonly (readonly [string, boolean, { NO_COLOR?: string; TERM?: string }, boolean])[] = [
    ['on a terminal', true, { TERM: 'xterm' }, true],
    ['on a terminal where NO_COLOR is empty', true, { NO_COLOR: '' }, true],
    ['not where NO_COLOR is set', true, { NO_COLOR: '1' }, false],
    ['not even where it says 0', true, { NO_COLOR: '0' }, false],
    ['not on a dumb terminal', true, { TERM: 'dumb' }, false],
    ['not into a file or pipe', false, { TERM: 'xterm' }, false],
  ];
  for (const [name, isTerminal, env, expected] of rows) {
    it(name, () => {
      assert.equal(mayColor(isTerminal, env), expected);
    });
  }
});

describe('width', () => {
  const rows: readonly (readonly [number | undefined, number])[] = [
    [undefined, 80],
    [0, 80],
    [60, 80],
    [100, 100],
    [300, 120],
  ];
  for (const [columns, expected] of rows) {
    it(`${columns ?? 'no'} columns are drawn on ${expected}`, () => {
      assert.equal(widthOf(columns), expected);
    });
  }
});

describe('progress', () => {
  const rows: readonly (readonly [string, boolean, number | undefined, boolean])[] = [
    ['on a terminal', true, 80, true],
    ['not on a terminal without columns, as a container has it', true, 0, false],
    ['not where the columns are unknown', true, undefined, false],
    ['not into a file or pipe', false, undefined, false],
  ];
  for (const [name, isTerminal, columns, expected] of rows) {
    it(name, () => {
      assert.equal(mayShowProgress(isTerminal, columns), expected);
    });
  }
});
