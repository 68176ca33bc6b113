import type { Cancel, Clock } from '../../lib/clock.ts';

/** A signal that comes some time after another one. */
export interface Grace {
  readonly signal: AbortSignal;
  /** Nobody is interested any more. */
  end(): void;
}

/** What is in flight when the run is ended may still finish, for that long. */
export function graceOf(signal: AbortSignal, clock: Clock, graceMs: number): Grace {
  const over = new AbortController();
  let cancel: Cancel | undefined;
  const begin = () => {
    cancel = clock.schedule(clock.now() + graceMs, () => over.abort());
  };
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return {
    signal: over.signal,
    end() {
      signal.removeEventListener('abort', begin);
      cancel?.();
    },
  };
}
