import { noAnswer } from './failure.ts';
import type { ApiCall } from './exchange.ts';
import type { Transport } from './transport.ts';

/** The same transport until the signal comes: then what is in flight is given up, and nothing more is sent. */
export function untilAborted(transport: Transport, signal: AbortSignal): Transport {
  const under = (call: ApiCall): ApiCall => ({
    ...call,
    signal: call.signal ? AbortSignal.any([call.signal, signal]) : signal,
  });
  const givenUp = () => Promise.resolve({ ok: false as const, failure: noAnswer('aborted', 'given up') });
  return {
    send: (call) => (signal.aborted ? givenUp() : transport.send(under(call))),
    stream: (call) => (signal.aborted ? givenUp() : transport.stream(under(call))),
    server: () => transport.server(),
    close: () => transport.close(),
  };
}
