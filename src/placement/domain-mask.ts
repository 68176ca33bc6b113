import type { Domains } from './topology.ts';

/** Which domains of a topology key are open to a candidate, as one flag per domain. */
export class DomainMask {
  readonly #of: Int32Array;
  /** By domain + 1; the first is for nodes without the key. */
  readonly #open: Uint8Array;

  /** `keyless` nodes lack the key; `others` are all domains that are not set one by one. */
  constructor({ of, values }: Domains, open: { readonly keyless: boolean; readonly others: boolean }) {
    this.#of = of;
    this.#open = new Uint8Array(values.length + 1).fill(Number(open.others));
    this.#open[0] = Number(open.keyless);
  }

  /** Opens or closes one domain. */
  set(domain: number, open: boolean): void {
    this.#open[domain + 1] = Number(open);
  }

  /** Whether the place is in an open domain. */
  has(place: number): boolean {
    return this.#open[(this.#of[place] ?? -1) + 1] === 1;
  }
}
