import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { ApiRequest, Call } from '../../src/kube/http/call.ts';
import { type ApiAnswer, failureOf } from '../../src/kube/http/failure.ts';
import { whileLeading } from '../../src/kube/leader-election.ts';
import type { ElectionOptions } from '../../src/kube/lease-lock.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';

type Spec = Record<string, unknown>;

const START = Date.parse('2026-01-15T09:00:00Z');
const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const options = (identity: string): ElectionOptions => ({
  ...{ namespace: 'kube-system', name: 'evenkeel-lifecycle', identity },
  ...{ leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 },
});

/** One Lease with optimistic locking, as etcd keeps it; it can be cut off for some candidates. */
class OneLease {
  spec: Spec | undefined;
  version = 0;
  readonly cutOff = new Set<string>();
  readonly writes: string[] = [];
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** Somebody else's write. */
  put(spec: Spec): void {
    this.spec = spec;
    this.version++;
  }

  call(who: string): Call {
    return (request) => {
      const answer = this.#answer(request, who);
      return Promise.resolve(answer.ok ? { ok: true, value: Readable.from([answer.value]) } : answer);
    };
  }

  #answer({ method, path: asked, body }: ApiRequest, who: string): ApiAnswer<Buffer> {
    if (this.cutOff.has(who)) return failed(503);
    if (method === 'GET') return this.spec ? this.#lease() : failed(404);
    const { spec, metadata } = body as { spec: Spec; metadata: { resourceVersion?: string } };
    if (method === 'POST') {
      assert.deepEqual([asked, metadata], [path, { name: 'evenkeel-lifecycle', namespace: 'kube-system' }]);
      if (this.spec) return failed(409);
    } else if (metadata.resourceVersion !== String(this.version)) return failed(409);
    this.put(spec);
    const { holderIdentity, leaseTransitions } = spec as { holderIdentity: string; leaseTransitions: number };
    const seconds = (this.#clock.now() - START) / 1000;
    this.writes.push(`${seconds}s ${who}: ${holderIdentity === '' ? 'nobody' : holderIdentity} #${leaseTransitions}`);
    return this.#lease();
  }

  #lease(): ApiAnswer<Buffer> {
    const metadata = { name: 'evenkeel-lifecycle', namespace: 'kube-system', resourceVersion: String(this.version) };
    return { ok: true, value: Buffer.from(JSON.stringify({ metadata, spec: this.spec })) };
  }
}

const failed = (status: number): ApiAnswer<never> => ({
  ok: false,
  failure: failureOf(status, {}, { body: '', now: START }),
});

/** A candidate whose work goes on until it is told to end. */
function candidate(identity: string, lease: OneLease, clock: VirtualClock) {
  const stop = new AbortController();
  const said: string[] = [];
  const say = (what: string) => said.push(`${(clock.now() - START) / 1000}s ${what}`);
  const work = (signal: AbortSignal) =>
    new Promise<string>((resolve) => {
      say('leads');
      signal.addEventListener('abort', () => {
        say('ends');
        resolve('worked');
      });
    });
  const parts = { call: lease.call(identity), clock, random: () => 0, signal: stop.signal };
  const end = whileLeading(work, options(identity), parts).then((how) => say(JSON.stringify(how)));
  return { said, end, stop: () => stop.abort() };
}

describe('leader election', () => {
  let clock: VirtualClock;
  let lease: OneLease;
  const at = (seconds: number) => clock.advanceTo(START + seconds * 1000);

  beforeEach(() => {
    clock = new VirtualClock(START);
    lease = new OneLease(clock);
  });

  it('makes the Lease, renews it every retry period and gives it up when told to stop', async () => {
    const a = candidate('a', lease, clock);
    await at(5);
    a.stop();
    await a.end;
    assert.deepEqual(lease.writes, ['0s a: a #0', '2s a: a #0', '4s a: a #0', '5s a: nobody #0']);
    assert.deepEqual(a.said, ['0s leads', '5s ends', '5s {"end":"done","value":"worked"}']);
    assert.equal(lease.spec?.['leaseDurationSeconds'], 1);
  });

  it('writes the Lease as client-go does', async () => {
    const a = candidate('a', lease, clock);
    await at(2);
    assert.deepEqual(lease.spec, {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-15T09:00:00.000000Z',
      renewTime: '2026-01-15T09:00:02.000000Z',
      leaseTransitions: 0,
    });
    a.stop();
    await a.end;
  });

  describe('while the clock is set', () => {
    /** Two candidates, a clock that is set three times, and then a server that does not know the leader any more. */
    async function story(ms: number) {
      clock = new VirtualClock(START);
      lease = new OneLease(clock);
      const a = candidate('a', lease, clock);
      await at(0);
      const b = candidate('b', lease, clock);
      for (const seconds of [5, 13, 22]) {
        await at(seconds);
        clock.step(seconds === 13 ? -ms : ms);
      }
      await at(40);
      assert.equal(lease.spec?.['renewTime'], new Date(clock.wall()).toISOString().replace('Z', '000Z'));
      lease.cutOff.add('a');
      await at(60);
      b.stop();
      await b.end;
      return { a: a.said, b: b.said, writes: lease.writes };
    }

    for (const ms of [12_000, 3_600_000, 86_400_000].flatMap((step) => [step, -step])) {
      it(`by ${ms / 1000} s, nobody loses the Lease, and nobody takes it earlier or later`, async () => {
        const expected = await story(0);
        assert.deepEqual(expected.a, ['0s leads', '50s ends', '50s {"end":"lost"}']);
        assert.deepEqual(expected.b[0], '58s leads');
        assert.deepEqual(await story(ms), expected);
      });
    }
  });

  for (const [clockOf, renewTime] of [
    ['an hour ahead', '2026-01-15T10:00:00.000000Z'],
    ['an hour behind', '2026-01-15T08:00:00.000000Z'],
    ['not a clock at all', 'garbage'],
  ]) {
    it(`waits for 15 s of its own from the last change it saw, where the holder's clock is ${clockOf}`, async () => {
      lease.put({ holderIdentity: 'x', leaseDurationSeconds: 15, leaseTransitions: 4, renewTime });
      const a = candidate('a', lease, clock);
      await at(7);
      lease.put({ ...lease.spec, renewTime: `${renewTime}+` });
      await at(22.9);
      assert.deepEqual(a.said, []);
      await at(24);
      // Seen changed at 8 s, over at 23 s, found so at the next look.
      assert.deepEqual([a.said, lease.writes], [['24s leads'], ['24s a: a #5']]);
      a.stop();
      await a.end;
    });
  }

  it("takes the holder's own duration, not ours", async () => {
    lease.put({ holderIdentity: 'x', leaseDurationSeconds: 60 });
    const a = candidate('a', lease, clock);
    await at(59);
    assert.deepEqual(a.said, []);
    await at(60);
    assert.deepEqual(a.said, ['60s leads']);
    a.stop();
    await a.end;
  });

  it('loses a Lease that it cannot renew for the renew deadline, before anybody may take it, and does not release it', async () => {
    const a = candidate('a', lease, clock);
    const b = candidate('b', lease, clock);
    await at(4);
    lease.cutOff.add('a');
    await at(40);
    await a.end;
    b.stop();
    await b.end;
    assert.deepEqual(a.said, ['0s leads', '14s ends', '14s {"end":"lost"}']);
    assert.deepEqual(b.said, ['22s leads', '40s ends', '40s {"end":"done","value":"worked"}']);
    assert.equal(lease.writes.includes('14s a: nobody #0'), false);
  });

  it('goes on over failures shorter than the renew deadline', async () => {
    const a = candidate('a', lease, clock);
    await at(4);
    lease.cutOff.add('a');
    await at(11);
    lease.cutOff.clear();
    await at(20);
    assert.deepEqual(a.said, ['0s leads']);
    a.stop();
    await a.end;
  });

  it('says once what keeps it from the Lease, and that it is over', async () => {
    lease.put({ holderIdentity: 'x', leaseDurationSeconds: 60 });
    const told: string[] = [];
    const stop = new AbortController();
    const parts = { call: lease.call('a'), clock, random: () => 0, signal: stop.signal };
    const onFailure = (failure: { readonly message: string } | undefined) => void told.push(failure?.message ?? 'over');
    const end = whileLeading(() => Promise.resolve(), options('a'), { ...parts, onFailure });
    for (const seconds of [1, 40, 80]) {
      if (seconds > 1) lease.cutOff.add('a');
      await at(seconds);
      lease.cutOff.clear();
      await at(seconds + 16);
    }
    stop.abort();
    await end;
    assert.deepEqual(told, ['HTTP 503', 'over', 'HTTP 503', 'over']);
  });

  it('ends at once when another holds its Lease, and neither takes it back nor releases it', async () => {
    const a = candidate('a', lease, clock);
    await at(3);
    lease.put({ holderIdentity: 'x', leaseDurationSeconds: 15 });
    await at(60);
    await a.end;
    assert.deepEqual(a.said, ['0s leads', '4s ends', '4s {"end":"lost"}']);
    assert.equal(lease.spec?.['holderIdentity'], 'x');
  });

  it('makes a Lease again that was deleted under it', async () => {
    const a = candidate('a', lease, clock);
    await at(3);
    lease.spec = undefined;
    await at(5);
    assert.deepEqual([a.said, lease.writes], [['0s leads'], ['0s a: a #0', '2s a: a #0', '4s a: a #0']]);
    a.stop();
    await a.end;
  });

  it('lets one of two candidates lead, and the other right after a release', async () => {
    const a = candidate('a', lease, clock);
    const b = candidate('b', lease, clock);
    await at(9);
    a.stop();
    await at(10);
    b.stop();
    await Promise.all([a.end, b.end]);
    assert.deepEqual(a.said, ['0s leads', '9s ends', '9s {"end":"done","value":"worked"}']);
    assert.deepEqual(b.said, ['10s leads', '10s ends', '10s {"end":"done","value":"worked"}']);
    assert.deepEqual(lease.writes.slice(-3), ['9s a: nobody #0', '10s b: b #1', '10s b: nobody #1']);
  });

  it('stops while it waits, without a write', async () => {
    lease.put({ holderIdentity: 'x', leaseDurationSeconds: 15 });
    const a = candidate('a', lease, clock);
    await at(3);
    a.stop();
    await a.end;
    assert.deepEqual([a.said, lease.writes], [['3s {"end":"stopped"}'], []]);
  });
});
