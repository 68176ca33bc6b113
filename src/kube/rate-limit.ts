import { sleep, type Clock } from '../lib/clock.ts';
import { TokenBucket } from '../lib/token-bucket.ts';
import { noAnswer } from './failure.ts';
import type { ApiCall } from './exchange.ts';
import type { Transport } from './transport.ts';

/** How many requests a second at most, and how many at once (framework.md 4.8). */
export interface RateLimit {
  readonly qps: number;
  readonly burst: number;
}

/** The same transport, which waits before a request that would exceed the rate. Requests go in the order they came. */
export function limitRate(transport: Transport, { qps, burst }: RateLimit, clock: Clock): Transport {
  const bucket = new TokenBucket(qps, burst, { now: clock.now() });
  let turn: Promise<void> = Promise.resolve();
  const waitForToken = async (call: ApiCall): Promise<void> => {
    while (!call.signal?.aborted && !bucket.take(clock.now())) {
      await sleep(clock, bucket.nextAt(clock.now()) - clock.now(), call.signal);
    }
  };
  const inTurn = async <T>(call: ApiCall, send: () => Promise<T>): Promise<T | ReturnType<typeof givenUp>> => {
    turn = turn.then(() => waitForToken(call));
    await turn;
    return call.signal?.aborted ? givenUp() : send();
  };
  return {
    send: (call) => inTurn(call, () => transport.send(call)),
    stream: (call) => inTurn(call, () => transport.stream(call)),
    server: () => transport.server(),
    close: () => transport.close(),
  };
}

function givenUp() {
  return { ok: false as const, failure: noAnswer('aborted', 'given up') };
}
