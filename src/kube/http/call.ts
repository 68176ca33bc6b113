import { finished, type Readable } from 'node:stream';
import { type ApiAnswer, type ApiFailure, failureWithin, noAnswer } from './failure.ts';

/** One request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, such as `/api/v1/nodes?limit=500`. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  /** For the whole answer, in ms; where it streams, until its head. */
  readonly timeoutMs?: number;
  /** The answer goes on as long as there is news, as that of a watch does. */
  readonly streams?: boolean;
  /** Gives the call up wherever it is. */
  readonly signal?: AbortSignal | undefined;
  /** Once it fires nothing more is sent; what has been sent goes on. */
  readonly unlessAborted?: AbortSignal | undefined;
}

/** The body of a 2xx as it comes, or why there is none. */
export type ApiResult = ApiAnswer<Readable>;

/** Speaks to one API server. Failures are data: it never rejects. */
export type Call = (request: ApiRequest) => Promise<ApiResult>;

/** Makes another of a call: one that does one thing more. */
export type Wrapper = (call: Call) => Call;

/** Makes a call and reads its answer to the end. */
export async function send(call: Call, request: ApiRequest): Promise<ApiAnswer<Buffer>> {
  const answer = await call(request);
  const body = answer.ok ? await readAll(answer.value) : answer;
  const failure = body.ok ? failureWithin(body.value) : undefined;
  return failure ? { ok: false, failure } : body;
}

/** How a body says that its call was ended from our side. */
export class BodyCut extends Error {
  readonly failure: ApiFailure;

  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** No page of a list comes near it. */
const MOST_BYTES = 1024 * 1024 * 1024;

/** Reads a body to its end; one that is cut, by whom ever, or is longer than that is a failure. */
export function readAll(body: Readable, mostBytes = MOST_BYTES): Promise<ApiAnswer<Buffer>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > mostBytes) body.destroy(new BodyCut(noAnswer('transient', 'the answer is too long')));
    });
    finished(body, (error) => {
      resolve(error ? { ok: false, failure: cutBy(error) } : { ok: true, value: Buffer.concat(chunks) });
    });
  });
}

function cutBy(error: Error): ApiFailure {
  if (error instanceof BodyCut) return error.failure;
  return noAnswer('transient', 'the connection was cut in the middle of an answer');
}
