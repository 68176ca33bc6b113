import { sleep, type Clock } from '../lib/clock.ts';
import { LeaseLock, type ElectionOptions, type ElectionParts } from './lease-lock.ts';

/** How a leadership ended: the work was done, it was lost, or we were told to stop. */
export type ElectionEnd<T> = { readonly end: 'done'; readonly value: T } | { readonly end: 'lost' | 'stopped' };

/**
 * Waits until we hold the Lease, then does the work while it is renewed; the signal of the work aborts the moment the Lease
 * cannot be kept. Another's clock is never read: a Lease has expired when *we* have seen no change of it for its duration.
 */
export async function whileLeading<T>(
  work: (signal: AbortSignal) => Promise<T>,
  options: ElectionOptions,
  parts: ElectionParts,
): Promise<ElectionEnd<T>> {
  const lock = new LeaseLock(options, parts);
  while (!parts.signal.aborted && !(await lock.tryToHold())) {
    await sleep(parts.clock, lock.waitMs(CANDIDATE_CAP_MS), parts.signal);
  }
  if (parts.signal.aborted) {
    await lock.release();
    return { end: 'stopped' };
  }
  const leading = new AbortController();
  const stopped = () => leading.abort();
  parts.signal.addEventListener('abort', stopped);
  const lost = keep(lock, leading, { options, parts });
  try {
    return await Promise.race([work(leading.signal).then((value) => ({ end: 'done', value }) as const), lost]);
  } finally {
    const isLost = lock.isLost;
    leading.abort();
    parts.signal.removeEventListener('abort', stopped);
    // One that was lost expires by itself: what is still in flight of our work must end before another begins.
    if (!isLost) await lock.release();
  }
}

/** Longest wait of a candidate whose tries fail, unless the retry period is longer. */
const CANDIDATE_CAP_MS = 15_000;

interface Keeping {
  readonly options: ElectionOptions;
  readonly parts: ElectionParts;
}

/** Renews until the work is over; resolves only when the Lease is lost. */
async function keep(lock: LeaseLock, leading: AbortController, { options, parts }: Keeping): Promise<{ end: 'lost' }> {
  const { clock } = parts;
  let renewedAt = clock.now();
  const left = () => renewedAt + options.renewDeadlineMs - clock.now();
  for (;;) {
    await sleep(clock, Math.min(left(), lock.waitMs(options.renewDeadlineMs / 4)), leading.signal);
    if (leading.signal.aborted) return new Promise(() => undefined);
    const triedAt = clock.now();
    const held = left() > 0 && (await within(lock.tryToHold(), left(), clock));
    if (held) renewedAt = triedAt;
    else if (lock.isTaken || left() <= 0) {
      lock.isLost = true;
      leading.abort();
      return { end: 'lost' };
    }
  }
}

/** False if the answer takes longer than that. */
function within(answer: Promise<boolean>, ms: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(clock.now() + ms, () => resolve(false));
    void answer.then((held) => {
      cancel();
      resolve(held);
    });
  });
}
