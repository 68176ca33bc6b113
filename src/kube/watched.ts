import type { Transport } from './transport.ts';

/** The same transport, which tells of every answer that has come: a sign that things move. */
export function watched(transport: Transport, onAnswer: () => void): Transport {
  const telling = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } finally {
      onAnswer();
    }
  };
  return {
    send: (call) => telling(transport.send(call)),
    stream: (call) => telling(transport.stream(call)),
    server: () => transport.server(),
    close: () => transport.close(),
  };
}
