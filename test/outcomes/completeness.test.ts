import assert from 'node:assert/strict';
import { incompleteBecause, limitsOf, stateOf } from '../../src/outcomes/completeness.ts';
import type { StrategyCut, StrategyRun } from '../../src/outcomes/outcome.ts';
import { renderHtml } from '../../src/report/html.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { renderTable } from '../../src/report/table.ts';
import { ran, report } from '../report/samples.ts';

const limit: StrategyCut = { state: 'limit', why: 'maxA is reached', limits: ['maxA'] };
const notRun: StrategyCut = { state: 'not-run', why: 'maxA is reached', limits: [] };
const interrupted: StrategyCut = { state: 'interrupted', why: 'the run was ended', limits: [] };

describe('whether a report tells all that there is to do', () => {
  const rows: readonly (readonly [string, readonly StrategyRun[], string | undefined])[] = [
    ['every strategy at its end', [ran('A'), ran('B')], undefined],
    [
      'a limit, and what had no turn',
      [ran('A', { cut: limit }), ran('B', { cut: notRun })],
      'maxA held pods of A back; B did not run',
    ],
    ['one limit, two strategies', [ran('A', { cut: limit }), ran('B', { cut: limit })], 'maxA held pods of A, B back'],
    ['an error', [ran('A', { error: 'no' }), ran('B')], 'A failed'],
    [
      'an end by a signal',
      [ran('A', { cut: interrupted }), ran('B', { cut: notRun })],
      'the run was ended during A; B did not run',
    ],
  ];
  for (const [row, strategies, expected] of rows) {
    it(row, () => {
      assert.equal(incompleteBecause({ strategies }), expected);
      const shown = report({ strategies });
      const table = renderTable(shown, { width: 200, colors: false });
      const isMarked = expected !== undefined;
      assert.equal(table.startsWith('Descheduling plan, INCOMPLETE (dry run'), isMarked);
      assert.equal(table.trimEnd().split('\n').at(-1)?.startsWith('INCOMPLETE: '), isMarked);
      for (const text of [renderMarkdown(shown), renderHtml(shown)])
        assert.equal(text.includes('INCOMPLETE'), isMarked);
      if (isMarked) assert.ok(table.includes(expected));
    });
  }

  it('a skipped cycle', () => {
    assert.equal(incompleteBecause({ strategies: [], skipped: 'cycle skipped: one node' }), 'cycle skipped: one node');
  });

  it('names limits and states', () => {
    const strategies = [ran('A', { cut: limit }), ran('B', { cut: { ...limit, limits: ['maxB', 'maxA'] } })];
    assert.deepEqual(limitsOf({ strategies }), ['maxA', 'maxB']);
    assert.deepEqual([ran('A'), ran('A', { error: 'x' }), ran('A', { cut: notRun })].map(stateOf), [
      'done',
      'error',
      'not-run',
    ]);
  });
});
