import type { Taint, Toleration } from '../objects/terms.ts';
/**
 * Whether the toleration matches the taint, however long it tolerates it (rule S7). `Lt` and `Gt` compare the
 * taint's value with the toleration's: a cluster that stores them has the feature on.
 */
export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== '' && toleration.effect !== taint.effect) return false;
  if (toleration.key !== '' && toleration.key !== taint.key) return false;
  switch (toleration.operator) {
    case '':
    case 'Equal':
      return toleration.value === taint.value;
    case 'Exists':
      return true;
    case 'Lt':
      return compareIntegers(taint.value, toleration.value) === -1;
    case 'Gt':
      return compareIntegers(taint.value, toleration.value) === 1;
    default:
      return false;
  }
}

/** Whether one of the tolerations matches the taint. */
export function isTolerated(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some((toleration) => toleratesTaint(toleration, taint));
}

/** Whether the taint keeps pods away: effect NoSchedule or NoExecute (rule S7). */
export function isHardTaint(taint: Taint): boolean {
  return taint.effect === 'NoSchedule' || taint.effect === 'NoExecute';
}

/** The first taint that keeps the pod away and that it does not tolerate; PreferNoSchedule never does (rule S7). */
export function untoleratedTaint(tolerations: readonly Toleration[], taints: readonly Taint[]): Taint | undefined {
  return taints.find((taint) => isHardTaint(taint) && !isTolerated(tolerations, taint));
}

/** A taint as kubectl writes it: `key=value:Effect`, or `key:Effect` without a value. */
export function formatTaint(taint: Taint): string {
  return `${taint.key}${taint.value === '' ? '' : `=${taint.value}`}:${taint.effect}`;
}

/** Order of two canonical signed 64-bit integers; undefined where one of them is none. */
function compareIntegers(a: string, b: string): -1 | 0 | 1 | undefined {
  const x = canonicalInteger(a);
  const y = canonicalInteger(b);
  if (x === undefined || y === undefined) return undefined;
  return x < y ? -1 : x > y ? 1 : 0;
}

/** No plus sign, no leading zeros, no `-0`. */
function canonicalInteger(text: string): bigint | undefined {
  if (!/^(?:0|-?[1-9]\d*)$/.test(text) || text.length > 20) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
