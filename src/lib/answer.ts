/**
 * Why a call to a remote side came to nothing; callers branch on it, never on a text. `no-credentials`: there was nothing to
 * prove who we are with, so that nothing was asked; that may pass.
 */
export type FailureKind =
  | 'not-found'
  | 'conflict'
  | 'too-many-requests'
  | 'gone'
  | 'unauthorized'
  | 'no-credentials'
  | 'forbidden'
  | 'invalid'
  | 'transient'
  | 'certificate'
  | 'timeout'
  | 'aborted';

/** A call that came to nothing. `retryAfterMs`: how long the other side asked to wait, if it did. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
}

/** What a remote side has answered: failures are data, nothing is thrown. */
export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** An answer that is still to come. */
export type Reply<T> = Promise<Answer<T>>;

/** A reply that is there already; for sides that do not have to ask anybody. */
export function replied<T>(value: T): Reply<T> {
  return Promise.resolve({ ok: true, value });
}

/** A failed answer; for sides that do not have to ask anybody. */
export function refused(kind: FailureKind, message: string, retryAfterMs?: number): Answer<never> {
  return { ok: false, failure: { kind, message, retryAfterMs } };
}
