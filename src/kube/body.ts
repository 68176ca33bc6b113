import type { IncomingMessage } from 'node:http';
import { type Answer, type ApiFailure, noAnswer } from './failure.ts';

/** Until when an answer may take, in ms since the epoch, and what ends the reading early. */
export interface ReadLimits {
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

/** Reads an answer to its end; a cut one, or one that takes too long, is a failure. */
export function readAll(response: IncomingMessage, limits: ReadLimits): Promise<Answer<Buffer>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const end = (answer: Answer<Buffer>) => {
      clearTimeout(timer);
      limits.signal?.removeEventListener('abort', abort);
      resolve(answer);
    };
    const fail = (failure: ApiFailure) => {
      end({ ok: false, failure });
      response.destroy();
    };
    const abort = () => fail(noAnswer('aborted', 'given up'));
    const timer = setTimeout(
      () => fail(noAnswer('timeout', 'the answer stopped coming')),
      Math.max(0, limits.deadline - Date.now()),
    );
    limits.signal?.addEventListener('abort', abort);
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => end(response.complete ? { ok: true, value: Buffer.concat(chunks) } : cut()));
    response.on('error', () => end(cut()));
    response.on('close', () => end(cut()));
    if (limits.signal?.aborted) abort();
  });
}

function cut(): Answer<Buffer> {
  return { ok: false, failure: noAnswer('transient', 'the connection was cut in the middle of an answer') };
}
