import assert from 'node:assert/strict';
import type { Outcome } from '../../src/outcomes/outcome.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { outcomeLine } from '../../src/telemetry/outcome-line.ts';
import * as given from '../builders/cluster.ts';

const levels = ['error', 'warn', 'info', 'debug'] as const;

describe('the log', () => {
  const rows: readonly (readonly [number, readonly string[]])[] = [
    [0, ['error', 'warn']],
    [1, ['error', 'warn', 'info']],
    [2, ['error', 'warn', 'info', 'debug']],
    [9, ['error', 'warn', 'info', 'debug']],
  ];
  for (const [verbosity, written] of rows) {
    it(`-v ${verbosity} writes ${written.join(', ')}`, () => {
      const lines: string[] = [];
      const log = createLog({ verbosity, format: 'text' }, (line) => void lines.push(line));
      for (const level of levels) log.log(level, `about ${level}`);
      assert.deepEqual(
        lines.map((line) => line.replace(/^\S+ /, '')),
        written.map((level) => `${level} about ${level}\n`),
      );
      assert.match(lines[0] ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z error /);
    });
  }

  it('--logging-format json writes one document a line', () => {
    const lines: string[] = [];
    createLog({ verbosity: 0, format: 'json' }, (line) => void lines.push(line)).error('a "quoted"\nline');
    const { timestamp, ...rest } = JSON.parse(lines.join('')) as Record<string, string>;
    assert.deepEqual(rest, { level: 'error', message: 'a "quoted"\nline' });
    assert.ok(timestamp);
  });

  it('an entry is one line, and holds nothing that acts on a terminal', () => {
    for (const [format, expected] of [
      ['text', / error a␊b␛\[2J\\u202e\n$/u],
      ['json', /"message":"a\\nb\\u001b\[2J\\u202e","timestamp"/u],
    ] as const) {
      const lines: string[] = [];
      createLog({ verbosity: 0, format }, (line) => void lines.push(line)).error('a\nb\u001b[2J\u202e');
      assert.match(lines.join(''), expected);
    }
  });

  it('the stack of a defect stands below its line, further in, or in a field of its own', () => {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    for (const format of ['text', 'json'] as const)
      createLog({ verbosity: 0, format }, write).error('no', { defect: 'E\n at x' });
    const [text = '', json = ''] = lines;
    assert.match(text, /^\S+ error no\n {4}E\n {5}at x\n$/u);
    assert.equal((JSON.parse(json) as Record<string, string>)['defect'], 'E\n at x');
  });
});

describe('the line of an outcome', () => {
  const who = { profile: 'main', strategy: 'S', pod: given.pod('p'), reason: 'is old' };
  const eviction = { kind: 'eviction' as const, ...who, destinations: 1, likelyNodes: [] };
  const run = { kind: 'strategy' as const, profile: 'main', name: 'S', extensionPoint: 'balance' as const };
  const counts = { proposed: 3, evicted: 1, refused: 2, durationMs: 5, notes: [] };
  const rows: readonly (readonly [Outcome, string, string, string?])[] = [
    [{ ...eviction, result: 'evicted' }, 'debug', 'S: evicted: default/p is old'],
    [{ ...eviction, result: 'uncertain', error: 'late' }, 'error', 'S: uncertain (late): default/p is old'],
    [{ kind: 'refusal', ...who, refusedBy: 'nodeFit' }, 'debug', 'S: refused by nodeFit: default/p is old'],
    [{ ...run, ...counts }, 'info', 'strategy done'],
    [{ ...run, ...counts, error: 'broken' }, 'error', 'strategy failed: broken'],
    [
      { ...run, ...counts, error: 'broken', stack: 'Error: broken\n    at x (/no/such/file.js:1:2)' },
      'error',
      'strategy failed: broken',
      'evenkeel has failed, which is a fault of its own rather than of your input:\n' +
        'Error: broken\n    at x (/no/such/file.js:1:2)',
    ],
    [{ kind: 'warning', text: 'careful' }, 'info', 'careful'],
  ];
  for (const [outcome, level, message, defect] of rows) {
    it(message, () => {
      const line = outcomeLine(outcome);
      assert.deepEqual([line.level, line.message, line.defect], [level, message, defect]);
    });
  }

  it('carries what machines read, in JSON and as key=value', () => {
    const lines: string[] = [];
    const entry = outcomeLine({ ...eviction, result: 'evicted', reason: 'is "old"' });
    const log = { ...entry, fields: { ...entry.fields, cycle: 3, node: 'a b' } };
    for (const format of ['json', 'text'] as const)
      createLog({ verbosity: 2, format }, (line) => void lines.push(line)).log(log);
    const { timestamp, ...rest } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    assert.equal(typeof timestamp, 'string');
    assert.deepEqual(rest, {
      ...{ level: 'debug', message: 'S: evicted: default/p is "old"' },
      ...{ pod: 'p', namespace: 'default', node: 'a b', strategy: 'S', profile: 'main' },
      ...{ result: 'success', reason: 'is "old"', cycle: 3 },
    });
    assert.match(
      lines[1] ?? '',
      / debug S: evicted: default\/p is "old" pod=p namespace=default node="a b" strategy=S profile=main result=success cycle=3\n$/u,
    );
    const strategy = outcomeLine({ ...run, ...counts });
    assert.deepEqual(strategy.fields, { strategy: 'S', profile: 'main', proposed: 3, evicted: 1, refused: 2 });
  });
});
