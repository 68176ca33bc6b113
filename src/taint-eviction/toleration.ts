import { toleratesTaint, type Taint, type Toleration } from '../cluster/taints.ts';

/** How a pod stands to one taint, and which of its tolerations says so. */
export type Stand =
  | { readonly kind: 'untolerated' }
  | { readonly kind: 'tolerated'; readonly toleration: Toleration; readonly ms: number }
  /** A toleration asks for a comparison that we do not know: whether it holds cannot be said. */
  | { readonly kind: 'undecidable'; readonly toleration: Toleration };

/**
 * How long a pod tolerates a taint: after the first of its tolerations that matches (node-lifecycle.md 4.4), `Infinity` ms
 * without `tolerationSeconds`, 0 for none or less.
 *
 * Differs from the reference: a toleration for this taint with an operator that is not known counts there as not matching.
 * The API server has accepted it, so it is newer than we are; a pod is not deleted on what we cannot read.
 */
export function standOf(tolerations: readonly Toleration[], taint: Taint): Stand {
  const toleration = tolerations.find((it) => toleratesTaint(it, taint));
  if (toleration) return { kind: 'tolerated', toleration, ms: toleratedMs(toleration) };
  const unknown = tolerations.find((it) => !OPERATORS.has(it.operator) && concerns(it, taint));
  return unknown ? { kind: 'undecidable', toleration: unknown } : { kind: 'untolerated' };
}

const OPERATORS: ReadonlySet<string> = new Set(['', 'Equal', 'Exists', 'Lt', 'Gt']);

/** The largest signed 64-bit number of seconds stands for ever; as a double it is 2^63. */
const FOR_EVER = 2 ** 63;

function toleratedMs({ tolerationSeconds: seconds }: Toleration): number {
  if (seconds === undefined || seconds >= FOR_EVER) return Infinity;
  return seconds > 0 ? seconds * 1000 : 0;
}

function concerns({ key, effect }: Toleration, taint: Taint): boolean {
  return (key === '' || key === taint.key) && (effect === '' || effect === taint.effect);
}
