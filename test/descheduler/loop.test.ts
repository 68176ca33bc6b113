import assert from 'node:assert/strict';
import { runLoop } from '../../src/descheduler/loop.ts';
import { isCronExpression, onSchedule } from '../../src/descheduler/schedule.ts';
import { sleep } from '../../src/lib/clock.ts';
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

  it('framework L3 ends with the exit code of the last cycle when the signal comes during a wait', async () => {
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

  for (const ms of [12_000, 3_600_000, 86_400_000].flatMap((step) => [step, -step])) {
    it(`a clock that is set by ${ms / 1000} s moves no start`, async () => {
      assert.deepEqual((await everyMinute([], 185_000, ms)).starts, [0, 60_000, 120_000, 180_000]);
    });
  }

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
  const START = Date.parse('2026-01-05T08:59:30Z');

  /** Cycles that take so long each; answers with the times of their starts. */
  async function onTime(
    expressions: readonly string[],
    { lengths = [], hours, step }: { lengths?: number[]; hours: number; step?: { after: string; ms: number } },
  ): Promise<readonly string[]> {
    const clock = new VirtualClock(START);
    const stop = new AbortController();
    const starts: string[] = [];
    const cycle = async () => {
      starts.push(new Date(clock.wall()).toISOString());
      await sleep(clock, lengths.shift() ?? 0);
      return 0;
    };
    const timing = { kind: 'schedule', expressions, timeZone: 'Europe/Berlin' } as const;
    const loop = onSchedule(cycle, timing, { clock, signal: stop.signal });
    if (step) {
      await clock.advanceTo(Date.parse(step.after));
      clock.step(step.ms);
    }
    await clock.advanceTo(START + hours * 3_600_000);
    stop.abort();
    assert.equal(await loop, 0);
    const ended = starts.length;
    await clock.advanceTo(START + (hours + 1) * 3_600_000);
    assert.equal(starts.length, ended);
    return starts;
  }

  it('starts at its times in its time zone, not before, and passes over a time that comes during a cycle', async () => {
    const starts = await onTime(['0-2 10 * * *', '30 18 * * *'], { lengths: [90_000, 1_000], hours: 9 });
    assert.deepEqual(starts, ['2026-01-05T09:00:00.000Z', '2026-01-05T09:02:00.000Z', '2026-01-05T17:30:00.000Z']);
  });

  const steps: readonly (readonly [string, number, readonly string[]])[] = [
    ['12 s ahead', 12_000, ['05T09:00', '05T09:20', '05T09:40', '05T10:00', '05T10:20']],
    ['12 s back', -12_000, ['05T09:00', '05T09:20', '05T09:40', '05T10:00', '05T10:20']],
    ['an hour ahead', 3_600_000, ['05T09:00', '05T10:20', '05T10:40', '05T11:00', '05T11:20']],
    ['an hour back', -3_600_000, ['05T09:00', '05T08:20', '05T08:40', '05T09:00', '05T09:20']],
    ['a day ahead', 86_400_000, ['05T09:00', '06T09:20', '06T09:40', '06T10:00', '06T10:20']],
    ['a day back', -86_400_000, ['05T09:00', '04T09:20', '04T09:40', '04T10:00', '04T10:20']],
  ];
  for (const [row, ms, times] of steps) {
    it(`a clock that is set ${row}: the next cycle starts at the next of its times as that clock has it`, async () => {
      const starts = await onTime(['*/20 * * * *'], { hours: 1.5, step: { after: '2026-01-05T09:07:30Z', ms } });
      assert.deepEqual(
        starts,
        times.map((time) => `2026-01-${time}:00.000Z`),
      );
    });
  }

  it('tells cron expressions from others', () => {
    assert.equal(isCronExpression('*/5 8-18 * * 1-5'), true);
    assert.equal(isCronExpression('every day'), false);
  });
});

/** Cycles that take so long each, one minute apart, looked at until a moment (ms); the clock is set after 90 s. */
async function everyMinute(lengths: number[], until: number, stepMs = 0): Promise<{ starts: number[]; most: number }> {
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
  await clock.advanceTo(90_000);
  clock.step(stepMs);
  await clock.advanceTo(until);
  stop.abort();
  await loop;
  return { starts, most };
}
