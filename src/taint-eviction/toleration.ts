import type { Taint, Toleration } from '../cluster/objects/terms.ts';
import { toleratesTaint } from '../cluster/rules/taints.ts';

/** Which of a pod's tolerations holds for a taint, and for how long. */
export type MatchingToleration =
  | { readonly kind: 'none' }
  /** `ms`: how long the pod may stay beside the taint; `Infinity` for always. */
  | { readonly kind: 'match'; readonly toleration: Toleration; readonly ms: number }
  /** A toleration asks for a comparison that we do not know: whether it matches cannot be said. */
  | { readonly kind: 'unknown-operator'; readonly toleration: Toleration };

/**
 * How long a pod tolerates a taint: as the first of its tolerations that matches says, forever without `tolerationSeconds`,
 * not at all for 0 or less (https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/).
 *
 * Differs from the reference: a toleration for this taint with an operator that is not known counts there as not matching.
 * The API server has accepted it, so it is newer than we are; a pod is not deleted on what we cannot read.
 */
export function matchToleration(tolerations: readonly Toleration[], taint: Taint): MatchingToleration {
  const toleration = tolerations.find((it) => toleratesTaint(it, taint));
  if (toleration) return { kind: 'match', toleration, ms: toleratedMs(toleration) };
  const unknown = tolerations.find((it) => !OPERATORS.has(it.operator) && concerns(it, taint));
  return unknown ? { kind: 'unknown-operator', toleration: unknown } : { kind: 'none' };
}

const OPERATORS: ReadonlySet<string> = new Set(['', 'Equal', 'Exists', 'Lt', 'Gt']);

/** No calendar reaches further than 8.64e15 ms after 1970 (https://tc39.es/ecma262/#sec-time-values-and-time-range). */
const FOREVER_MS = 8.64e15 / 2;

function toleratedMs({ tolerationSeconds: seconds }: Toleration): number {
  if (seconds === undefined) return Infinity;
  const ms = Math.max(0, seconds) * 1000;
  return ms < FOREVER_MS ? ms : Infinity;
}

function concerns({ key, effect }: Toleration, taint: Taint): boolean {
  return (key === '' || key === taint.key) && (effect === '' || effect === taint.effect);
}
