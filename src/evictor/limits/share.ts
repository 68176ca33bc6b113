/** How many pods: a number, or a percentage of the pods that are there. */
export type Share = { readonly pods: number } | { readonly percent: number };

/**
 * A share of `whole` pods, rounded down, but 1 at least: a small percentage slows small workloads down instead of
 * shutting them off. 25 % of 10 pods are 2, of 3 pods 1; 0 % are none.
 */
export function podsOf(share: Share, whole: () => number): number {
  if ('pods' in share) return share.pods;
  return share.percent === 0 ? 0 : Math.max(1, Math.floor((share.percent * whole()) / 100));
}

/** As the policy writes it: `3` or `25%`. */
export function formatShare(share: Share): string {
  return 'pods' in share ? `${share.pods}` : `${share.percent}%`;
}
