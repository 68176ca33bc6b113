import type { Check } from '../filters/filter-failure.ts';
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
    for (let nodeIndex = 0; nodeIndex < flags.length; nodeIndex++) {
      if (open[(of[nodeIndex] ?? -1) + 1] !== 1) flags[nodeIndex] = 0;
    }
  }

  /** Whether the place is in an open domain. */
  has(nodeIndex: number): boolean {
    return this.#open[(this.#of[nodeIndex] ?? -1) + 1] === 1;
  }
}

/** A check with one reason: the place must be in an open domain of every rule. */
export function domainCheck(
  code: string,
  rules: readonly { readonly open: DomainMask }[],
  text: (nodeIndex: number) => string,
): Check {
  const codes = [code];
  return {
    passes: (nodeIndex) => rules.every(({ open }) => open.has(nodeIndex)),
    codes: () => codes,
    text,
    exclude: (flags) => {
      for (const { open } of rules) open.exclude(flags);
    },
  };
}
