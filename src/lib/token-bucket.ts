/** A bucket that fills with `ratePerSecond` tokens up to `burst`; the caller brings the time (ms). */
export class TokenBucket {
  readonly #ratePerMs: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  /** Starts full unless `empty`. A rate of 0 or less never refills. */
  constructor(ratePerSecond: number, burst: number, start: { readonly now: number; readonly empty?: boolean }) {
    this.#ratePerMs = Math.max(0, ratePerSecond) / 1000;
    this.#burst = burst;
    this.#tokens = start.empty ? 0 : burst;
    this.#at = start.now;
  }

  /** Whether a token could be taken now. */
  has(now: number): boolean {
    this.#fill(now);
    return this.#tokens >= 1 - 1e-9;
  }

  /** Takes a token, if there is one. */
  take(now: number): boolean {
    if (!this.has(now)) return false;
    this.#tokens = Math.max(0, this.#tokens - 1);
    return true;
  }

  /** Puts back a token that was taken and not used; the bucket never holds more than its burst. */
  giveBack(now: number): void {
    this.#fill(now);
    this.#tokens = Math.min(this.#burst, this.#tokens + 1);
  }

  /** When the next token will be there (ms since the epoch); Infinity if never. */
  nextAt(now: number): number {
    if (this.has(now)) return now;
    return this.#ratePerMs > 0 ? this.#at + Math.ceil((1 - this.#tokens) / this.#ratePerMs) : Infinity;
  }

  #fill(now: number): void {
    if (now > this.#at) this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#ratePerMs);
    this.#at = Math.max(this.#at, now);
  }
}
