import assert from 'node:assert/strict';
import sinon from 'sinon';
import { runLoop } from '../../src/descheduler/loop.ts';
import { isCronExpression, onSchedule } from '../../src/descheduler/schedule.ts';
import { sleep, systemClock } from '../../src/lib/clock.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';

describe('runLoop with an interval', () => {
  it('starts at once, then every interval after the last start, however long a cycle takes within it', async () => {
    const { starts } = await everyMinute([10_000, 59_000, 1_000, 0], 185_000);
    assert.deepEqual(starts, [0, 60_000, 120_000, 180_000]);
  });

  it('a cycle that takes longer than the interval is followed by the next at once, never two at a time', async () => {
    const { starts, most } = await everyMinute([150_000, 1_000, 1_000, 1_000], 300_000);
    assert.deepEqual(starts, [0, 150_000, 210_000, 270_000]);
    assert.equal(most, 1);
  });

  it('ends with the exit code of the last cycle when the signal comes during a wait', async () => {
    const clock = new VirtualClock(0);
    const stop = new AbortController();
    const codes = [0, 1];
    const loop = runLoop(() => Promise.resolve(codes.shift() ?? 9), {
      timing: { kind: 'interval', intervalMs: 1_000 },
      clock,
      signal: stop.signal,
    });
    await clock.advanceTo(1_500);
    stop.abort();
    assert.equal(await loop, 1);
  });

  it('once is once', async () => {
    const options = {
      timing: { kind: 'once' as const },
      clock: new VirtualClock(0),
      signal: new AbortController().signal,
    };
    assert.equal(await runLoop(() => Promise.resolve(1), options), 1);
  });
});

describe('runLoop with a schedule', () => {
  let fake: sinon.SinonFakeTimers;
  beforeEach(() => {
    fake = sinon.useFakeTimers({ now: Date.parse('2026-01-05T08:59:30Z') });
  });
  afterEach(() => sinon.restore());

  it('starts at its times in its time zone, not before, and passes over a time that comes during a cycle', async () => {
    const stop = new AbortController();
    const starts: string[] = [];
    const lengths = [90_000, 1_000, 1_000, 1_000];
    const loop = onSchedule(
      async () => {
        starts.push(new Date().toISOString());
        await sleep(systemClock, lengths.shift() ?? 0);
        return 0;
      },
      { kind: 'schedule', expressions: ['0-2 10 * * *', '30 18 * * *'], timeZone: 'Europe/Berlin' },
      { signal: stop.signal },
    );
    await fake.tickAsync(10 * 3_600_000);
    stop.abort();
    assert.equal(await loop, 0);
    assert.deepEqual(starts, ['2026-01-05T09:00:00.000Z', '2026-01-05T09:02:00.000Z', '2026-01-05T17:30:00.000Z']);
    await fake.tickAsync(24 * 3_600_000);
    assert.equal(starts.length, 3);
  });

  it('tells cron expressions from others', () => {
    assert.equal(isCronExpression('*/5 8-18 * * 1-5'), true);
    assert.equal(isCronExpression('every day'), false);
  });
});

/** Cycles that take so long each, one minute apart, looked at until a moment (ms). */
async function everyMinute(lengths: number[], until: number): Promise<{ starts: number[]; most: number }> {
  const clock = new VirtualClock(0);
  const stop = new AbortController();
  const starts: number[] = [];
  let running = 0;
  let most = 0;
  const loop = runLoop(
    async () => {
      starts.push(clock.now());
      most = Math.max(most, ++running);
      await sleep(clock, lengths.shift() ?? 0);
      running--;
      return 0;
    },
    { timing: { kind: 'interval', intervalMs: 60_000 }, clock, signal: stop.signal },
  );
  await clock.advanceTo(until);
  stop.abort();
  await loop;
  return { starts, most };
}
