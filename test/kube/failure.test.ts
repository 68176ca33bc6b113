import assert from 'node:assert/strict';
import { failureOf, retryAfter } from '../../src/kube/http/failure.ts';

const now = Date.parse('2026-01-15T09:00:00Z');

describe('Retry-After (RFC 9110)', () => {
  const rows: readonly (readonly [string, string | undefined, number | undefined])[] = [
    ['seconds', '10', 10_000],
    ['no seconds', '0', undefined],
    ['negative seconds', '-5', undefined],
    ['a part of a second, which is none of the forms', '0.5', undefined],
    ['more than there is', '9'.repeat(400), undefined],
    ['with blanks', ' 3 ', 3_000],
    ['a date', 'Thu, 15 Jan 2026 09:00:30 GMT', 30_000],
    ['a date that has passed', 'Thu, 15 Jan 2026 08:00:00 GMT', undefined],
    ['a date in an old form', 'Thursday, 15-Jan-26 09:00:30 GMT', 30_000],
    ['a date that does not exist', 'Thu, 99 Jan 2026 09:00:30 GMT', undefined],
    ['neither', 'soon', undefined],
    ['negative seconds, which are no seconds', '-5x', undefined],
    ['absent', undefined, undefined],
  ];
  for (const [row, header, ms] of rows) {
    it(row, () => assert.equal(retryAfter(header, now), ms));
  }
});

describe('an answer that is a failure', () => {
  const statuses: readonly (readonly [number, string])[] = [
    [302, 'invalid'],
    [400, 'invalid'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [405, 'invalid'],
    [408, 'timeout'],
    [409, 'conflict'],
    [410, 'gone'],
    [413, 'invalid'],
    [422, 'invalid'],
    [429, 'too-many-requests'],
    [500, 'transient'],
    [502, 'transient'],
    [503, 'transient'],
    [504, 'transient'],
  ];
  for (const [status, kind] of statuses) {
    it(`${status} is ${kind}`, () => {
      assert.equal(failureOf(status, {}, { body: '', now }).kind, kind);
    });
  }

  it('takes message, causes and time from a Status object', () => {
    const body = JSON.stringify({
      kind: 'Status',
      message: 'no',
      details: { causes: [{ reason: 'DisruptionBudget' }, null, { message: 'x' }], retryAfterSeconds: 2 },
    });
    assert.deepEqual(failureOf(429, {}, { body, now }), {
      kind: 'too-many-requests',
      status: 429,
      message: 'no',
      retryAfterMs: 2_000,
      causes: ['DisruptionBudget'],
    });
  });

  it('believes the header rather than the Status object', () => {
    const body = JSON.stringify({ kind: 'Status', message: 'no', details: { retryAfterSeconds: 2 } });
    assert.equal(failureOf(429, { 'retry-after': '7' }, { body, now }).retryAfterMs, 7_000);
  });

  it('shows the beginning of anything else on one line', () => {
    const body = `<html>\n  <h1>Bad gateway</h1>\n${'x'.repeat(500)}`;
    const { message } = failureOf(502, {}, { body, now });
    assert.equal(message, `HTTP 502: <html> <h1>Bad gateway</h1> ${'x'.repeat(172)}…`);
  });

  it('needs no body', () => {
    assert.equal(failureOf(500, {}, { body: '', now }).message, 'HTTP 500');
    assert.equal(failureOf(500, {}, { body: 'null', now }).message, 'HTTP 500: null');
  });
});
