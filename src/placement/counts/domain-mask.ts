import type { Check } from '../filters/misfit.ts';
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

  /** Clears the flags of the places that are not in an open domain. */
  exclude(flags: Uint8Array): void {
    const [of, open] = [this.#of, this.#open];
    for (let place = 0; place < flags.length; place++) {
      if (open[(of[place] ?? -1) + 1] !== 1) flags[place] = 0;
    }
  }

  /** Whether the place is in an open domain. */
  has(place: number): boolean {
    return this.#open[(this.#of[place] ?? -1) + 1] === 1;
  }
}

/** A check with one reason: the place must be in an open domain of every rule. */
export function domainCheck(
  code: string,
  rules: readonly { readonly open: DomainMask }[],
  text: (place: number) => string,
): Check {
  const codes = [code];
  return {
    passes: (place) => rules.every(({ open }) => open.has(place)),
    codes: () => codes,
    text,
    exclude: (flags) => {
      for (const { open } of rules) open.exclude(flags);
    },
  };
}
