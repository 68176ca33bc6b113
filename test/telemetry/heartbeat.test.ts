import assert from 'node:assert/strict';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { Heartbeat } from '../../src/telemetry/heartbeat.ts';

describe('the heartbeat', () => {
  it('7.2 number 13: a cycle without progress is unhealthy, and well again when it goes on', async () => {
    const { clock, heartbeat } = start();
    heartbeat.begin();
    await clock.advanceTo(300_000);
    assert.equal(heartbeat.unhealthy(), undefined);
    await clock.advanceTo(301_000);
    assert.equal(heartbeat.unhealthy(), 'no progress in this cycle for 301 s');
    heartbeat.beat();
    assert.equal(heartbeat.unhealthy(), undefined);
  });

  it('a long cycle that makes progress is healthy', async () => {
    const { clock, heartbeat } = start();
    heartbeat.begin();
    for (let at = 0; at <= 3_600_000; at += 200_000) {
      await clock.advanceTo(at);
      heartbeat.beat();
    }
    assert.equal(heartbeat.unhealthy(), undefined);
  });

  it('a cycle that does not start in time is unhealthy', async () => {
    const { clock, heartbeat } = start();
    heartbeat.begin();
    heartbeat.end();
    await clock.advanceTo(360_000);
    assert.equal(heartbeat.unhealthy(), undefined);
    await clock.advanceTo(361_000);
    assert.equal(heartbeat.unhealthy(), 'no cycle has started for 361 s');
  });

  for (const ms of [12_000, 3_600_000, 86_400_000].flatMap((step) => [step, -step])) {
    it(`a clock that is set by ${ms / 1000} s makes nobody unhealthy, and hides nobody who is`, async () => {
      const { clock, heartbeat } = start();
      heartbeat.begin();
      clock.step(ms);
      await clock.advanceTo(300_000);
      assert.equal(heartbeat.unhealthy(), undefined);
      clock.step(-2 * ms);
      await clock.advanceTo(301_000);
      assert.equal(heartbeat.unhealthy(), 'no progress in this cycle for 301 s');
    });
  }

  it('where nobody knows when the next one starts, waiting is healthy', async () => {
    const { clock, heartbeat } = start({ overdueMs: undefined });
    await clock.advanceTo(10 * 3_600_000);
    assert.equal(heartbeat.unhealthy(), undefined);
  });

  it('is ready when the last cycle was a success', () => {
    const { heartbeat } = start();
    assert.equal(heartbeat.unready(), 'the first cycle has not ended yet');
    heartbeat.begin();
    heartbeat.end();
    assert.equal(heartbeat.unready(), undefined);
    heartbeat.begin();
    assert.equal(heartbeat.unready(), undefined);
    heartbeat.end('the last cycle failed: no such file');
    assert.equal(heartbeat.unready(), 'the last cycle failed: no such file');
    assert.equal(heartbeat.unhealthy(), undefined);
  });
});

function start({ overdueMs }: { readonly overdueMs: number | undefined } = { overdueMs: 360_000 }) {
  const clock = new VirtualClock(0);
  return { clock, heartbeat: new Heartbeat({ clock, silenceMs: 300_000, overdueMs }) };
}
