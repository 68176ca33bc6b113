import { isRecord } from '../cluster/decode/decode-json.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { retryDelay } from '../lib/retry.ts';
import { send, type Call } from './http/call.ts';
import { noAnswer, type ApiAnswer, type ApiFailure } from './http/failure.ts';

/** Which Lease is contended for, and how fast; the names and rules of client-go. */
export interface ElectionOptions {
  readonly namespace: string;
  readonly name: string;
  /** Who we are: unlike every other instance. */
  readonly identity: string;
  /** Others wait this long after they last saw the Lease change before they take it. */
  readonly leaseDurationMs: number;
  /** We stop leading when we could not renew for this long. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** What an election works with. */
export interface ElectionParts {
  readonly call: Call;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends the candidacy, and the leadership, which is then released. */
  readonly signal: AbortSignal;
  readonly onChange?: (leader: string) => void;
  /** Told when tries begin to fail, or fail in another way, and with undefined once they work again. */
  readonly onFailure?: (failure: ApiFailure | undefined) => void;
}

type Raw = Readonly<Record<string, unknown>>;

/** The Lease as we know it, and our own time of having seen it change. */
export class LeaseLock {
  readonly #options: ElectionOptions;
  readonly #parts: ElectionParts;
  readonly #path: string;
  #seen = '';
  #seenAt = 0;
  #lease: Raw | undefined;
  /** Somebody else holds the Lease. */
  isTaken = false;
  /** It was ours and is not any more. */
  isLost = false;
  #wasHeld = false;
  /** Of the tries in a row that came to no answer, the last one. */
  #failure: ApiFailure | undefined;
  #failures = 0;
  #told: string | undefined;
  #trying: Promise<boolean> = Promise.resolve(false);

  constructor(options: ElectionOptions, parts: ElectionParts) {
    this.#options = options;
    this.#parts = parts;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${options.namespace}/leases`;
  }

  /** Until the next try: the retry period, and a back-off while the server fails, which goes up to `capMs`. */
  waitMs(capMs: number): number {
    const { retryPeriodMs } = this.#options;
    const backoff = { baseMs: retryPeriodMs, capMs: Math.max(capMs, retryPeriodMs) };
    const retryAfterMs = Math.min(this.#failure?.retryAfterMs ?? 0, backoff.capMs);
    return retryDelay(backoff, Math.max(0, this.#failures - 1), { random: this.#parts.random, retryAfterMs });
  }

  /** Acquires or renews; says whether we hold the Lease now. What was ours and is another's is not taken back. */
  tryToHold(): Promise<boolean> {
    this.#failure = undefined;
    this.#trying = this.#try().then((held) => {
      if (!this.#failure && this.#told !== undefined) this.#tell(undefined);
      this.#failures = this.#failure ? this.#failures + 1 : 0;
      return held;
    });
    return this.#trying;
  }

  /** Gives the Lease up, so that another instance need not wait. Failures do not matter: it expires. */
  async release(): Promise<void> {
    await this.#trying;
    const spec = specOf(this.#lease);
    if (spec['holderIdentity'] !== this.#options.identity) return;
    const released = {
      ...spec,
      holderIdentity: '',
      leaseDurationSeconds: 1,
      renewTime: microTime(this.#parts.clock.wall()),
    };
    await this.#send('PUT', { ...this.#lease, spec: released });
  }

  async #try(): Promise<boolean> {
    const { clock } = this.#parts;
    const answer = await this.#send('GET');
    if (!answer.ok && answer.failure.kind === 'not-found') {
      this.#lease = undefined;
      return this.#write('POST', undefined);
    }
    if (!answer.ok) return this.#failed(answer.failure);
    const { holder, durationMs } = this.#holding();
    const isOurs = holder === this.#options.identity;
    this.isTaken = holder !== '' && !isOurs;
    if (this.isTaken && (this.#wasHeld || clock.now() < this.#seenAt + durationMs)) return false;
    return this.#write('PUT', isOurs ? specOf(this.#lease) : undefined);
  }

  async #write(method: 'POST' | 'PUT', ours: Raw | undefined): Promise<boolean> {
    const { clock } = this.#parts;
    const { name, namespace, identity, leaseDurationMs } = this.#options;
    const now = microTime(clock.wall());
    const before = specOf(this.#lease);
    const transitions = typeof before['leaseTransitions'] === 'number' ? before['leaseTransitions'] : 0;
    const spec = {
      ...before,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      renewTime: now,
      ...(ours ? {} : { acquireTime: now, leaseTransitions: this.#lease ? transitions + 1 : 0 }),
    };
    const fresh = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace } };
    const answer = await this.#send(method, { ...(this.#lease ?? fresh), spec });
    // Another was faster.
    if (!answer.ok) return answer.failure.kind === 'conflict' ? false : this.#failed(answer.failure);
    this.isTaken = false;
    this.#wasHeld = true;
    return true;
  }

  /** Asks, and takes note of the Lease that comes. The resourceVersion in the body lets only one of several candidates through. */
  async #send(method: 'GET' | 'POST' | 'PUT', body?: Raw): Promise<ApiAnswer<undefined>> {
    const { call, clock } = this.#parts;
    const path = method === 'POST' ? this.#path : `${this.#path}/${this.#options.name}`;
    const answer = await send(call, { method, path, body, timeoutMs: 10_000 });
    if (!answer.ok) return answer;
    const lease = parse(answer.value);
    if (!lease) return { ok: false, failure: noAnswer('transient', 'the answer is not a Lease') };
    this.#observe(lease, clock.now());
    return { ok: true, value: undefined };
  }

  #failed(failure: ApiFailure): false {
    this.#failure = failure;
    if (failure.message !== this.#told) this.#tell(failure);
    return false;
  }

  #tell(failure: ApiFailure | undefined): void {
    this.#told = failure?.message;
    this.#parts.onFailure?.(failure);
  }

  #observe(lease: Raw, now: number): void {
    const seen = JSON.stringify(specOf(lease));
    if (seen !== this.#seen) {
      const before = this.#holding().holder;
      this.#seen = seen;
      this.#seenAt = now;
      this.#lease = lease;
      const { holder } = this.#holding();
      if (holder !== before) this.#parts.onChange?.(holder);
    }
    this.#lease = lease;
  }

  #holding(): { readonly holder: string; readonly durationMs: number } {
    const { holderIdentity, leaseDurationSeconds } = specOf(this.#lease);
    return {
      holder: typeof holderIdentity === 'string' ? holderIdentity : '',
      durationMs:
        typeof leaseDurationSeconds === 'number' ? leaseDurationSeconds * 1000 : this.#options.leaseDurationMs,
    };
  }
}

function specOf(lease: Raw | undefined): Raw {
  const spec = lease?.['spec'];
  return isRecord(spec) ? spec : {};
}

/** Whatever stands between us and the server may answer with anything. */
function parse(bytes: Buffer): Raw | undefined {
  try {
    const lease: unknown = JSON.parse(bytes.toString('utf8'));
    return isRecord(lease) && isRecord(lease['spec']) && isRecord(lease['metadata']) ? lease : undefined;
  } catch {
    return undefined;
  }
}

/** RFC 3339 with microseconds, as Leases carry it. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
