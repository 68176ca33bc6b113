import { seededRandom } from '../lib/random.ts';

/** An object as the API server prints it. */
export type RawObject = Readonly<Record<string, unknown>> & {
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
};

/** The time at which the demo's cluster stands still. */
export const DEMO_NOW = '2026-01-15T09:00:00Z';

/** Made-up names and UIDs, the same in every run. */
export interface Names {
  /** Letters and digits as Kubernetes appends them to the names of pods and nodes. */
  readonly suffix: (length: number) => string;
  readonly uid: () => string;
  /** A whole number from 0 to below the limit. */
  readonly below: (limit: number) => number;
}

/** Kubernetes' own alphabet for suffixes: no vowels, so that no words come out. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A source of names that always yields the same ones for a seed. */
export function seededNames(seed: number): Names {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const text = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join('');
  const hex = (length: number): string => text('0123456789abcdef', length);
  return {
    below,
    suffix: (length) => text(ALPHABET, length),
    uid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  };
}

/** The metadata that every made-up object has. */
export function fieldsOf(name: string, names: Names): { name: string; uid: string; creationTimestamp: string } {
  const day = `${1 + names.below(12)}`.padStart(2, '0');
  const hour = `${names.below(24)}`.padStart(2, '0');
  return { name, uid: names.uid(), creationTimestamp: `2026-01-${day}T${hour}:${10 + names.below(50)}:00Z` };
}
