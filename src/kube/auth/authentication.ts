import type { ApiRequest, ApiResult, Call } from '../http/call.ts';
import type { AuthenticatedRequest } from '../http/exchange.ts';
import { type ApiAnswer, noAnswer } from '../http/failure.ts';
import type { Access, Session } from '../session.ts';

/** Adds to each request who we are, and asks once more with new credentials where the server refuses those in hand. */
export function authenticated(session: Session): (call: (request: AuthenticatedRequest) => Promise<ApiResult>) => Call {
  return (call) => async (request) => {
    const access = await unlessGivenUp(session.current(), request);
    if (!access.ok) return access;
    const answer = await call({ ...request, access: access.value });
    if (answer.ok || answer.failure.kind !== 'unauthorized') return answer;
    const renewed = await unlessGivenUp(session.renewed(access.value), request);
    if (!renewed.ok) return renewed;
    return renewed.value === access.value ? answer : call({ ...request, access: renewed.value });
  };
}

/** A plugin may take its time; who has given the call up does not wait for it. */
function unlessGivenUp(access: Promise<ApiAnswer<Access>>, { signal }: ApiRequest): Promise<ApiAnswer<Access>> {
  if (!signal) return access;
  return new Promise((resolve) => {
    const abort = () => resolve({ ok: false, failure: noAnswer('aborted', 'given up') });
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    void access.then((answer) => {
      signal.removeEventListener('abort', abort);
      resolve(answer);
    });
  });
}
