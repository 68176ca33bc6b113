/** How many pods: a number, or a percentage of the pods that are there. */
export type IntOrPercent = { readonly pods: number } | { readonly percent: number };

/**
 * A share of `whole` pods, rounded down, but 1 at least: a small percentage slows small workloads down instead of
 * shutting them off. 25% of 10 pods are 2, of 3 pods 1; 0% are none.
 */
export function podsOf(intOrPercent: IntOrPercent, whole: () => number): number {
  if ('pods' in intOrPercent) return intOrPercent.pods;
  return intOrPercent.percent === 0 ? 0 : Math.max(1, Math.floor((intOrPercent.percent * whole()) / 100));
}

/** As the policy writes it: `3` or `25%`. */
export function formatIntOrPercent(intOrPercent: IntOrPercent): string {
  return 'pods' in intOrPercent ? `${intOrPercent.pods}` : `${intOrPercent.percent}%`;
}
