import { sleep, type Clock } from '../lib/clock.ts';
import { TokenBucket } from '../lib/token-bucket.ts';
import type { ApiCall } from './exchange.ts';
import { type Answer, NOT_SENT } from './failure.ts';
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
  const waitForToken = async (given: AbortSignal | undefined): Promise<void> => {
    while (!given?.aborted && !bucket.take(clock.now())) {
      await sleep(clock, bucket.nextAt(clock.now()) - clock.now(), given);
    }
  };
  const inTurn = async <T>(call: ApiCall, send: () => Promise<Answer<T>>): Promise<Answer<T>> => {
    const given = eitherOf(call);
    turn = turn.then(() => waitForToken(given));
    await turn;
    return given?.aborted ? { ok: false, failure: NOT_SENT } : send();
  };
  return {
    send: (call) => inTurn(call, () => transport.send(call)),
    stream: (call) => inTurn(call, () => transport.stream(call)),
    server: () => transport.server(),
    close: () => transport.close(),
  };
}

/** What ends the waiting. */
function eitherOf({ signal, unlessAborted }: ApiCall): AbortSignal | undefined {
  return signal && unlessAborted ? AbortSignal.any([signal, unlessAborted]) : (signal ?? unlessAborted);
}
