import { sleep, type Clock } from '../../lib/clock.ts';
import { TokenBucket } from '../../lib/token-bucket.ts';
import type { ApiRequest, Wrapper } from './call.ts';

/** How many requests a second at most, and how many at once. */
export interface RateLimit {
  readonly qps: number;
  readonly burst: number;
}

/** Waits before a request that would exceed the rate, unless it is given up. Requests go in the order they came. */
export function limitRate({ qps, burst }: RateLimit, clock: Clock): Wrapper {
  const bucket = new TokenBucket(qps, burst, { now: clock.now() });
  let turn: Promise<void> = Promise.resolve();
  const waitForToken = async (given: AbortSignal | undefined): Promise<void> => {
    while (!given?.aborted && !bucket.take(clock.now())) {
      await sleep(clock, bucket.nextAt(clock.now()) - clock.now(), given);
    }
  };
  return (call) => async (request) => {
    turn = turn.then(() => waitForToken(eitherOf(request)));
    await turn;
    return call(request);
  };
}

/** What ends the waiting. */
function eitherOf({ signal, unlessAborted }: ApiRequest): AbortSignal | undefined {
  return signal && unlessAborted ? AbortSignal.any([signal, unlessAborted]) : (signal ?? unlessAborted);
}
