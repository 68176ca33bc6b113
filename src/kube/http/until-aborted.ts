import type { Wrapper } from './call.ts';

/** Until the signal comes: then what is in flight is given up, and nothing more is sent. */
export function untilAborted(end: AbortSignal): Wrapper {
  return (call) => (request) => {
    const signal = request.signal ? AbortSignal.any([request.signal, end]) : end;
    return call({ ...request, signal });
  };
}
