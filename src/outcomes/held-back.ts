import type { Outcome, Refusal } from './outcome.ts';

/**
 * What holds pods back for now, by the name that a refusal gives, and the value of the metric's label `result` by which the
 * Go descheduler counts it (https://github.com/kubernetes-sigs/descheduler/blob/master/pkg/descheduler/evictions/evictions.go).
 * There a budget's refusal is an error, since it comes from the API server.
 */
export const HELD_BACK: Readonly<Record<string, string>> = {
  PodDisruptionBudget: 'error',
  maxNoOfPodsToEvictTotal: 'maximum number of evicted pods per a descheduling cycle reached',
  maxNoOfPodsToEvictPerNode: 'maximum number of evicted pods per node reached',
  maxNoOfPodsToEvictPerNamespace: 'maximum number of evicted pods per namespace reached',
};

/** Tells refusals that are counted and announced from others: each pod once, whichever strategies come back to it. */
export class HeldBack {
  readonly #known = new Set<string>();

  /** Whether this is the first refusal of its kind for the pod. */
  isNews(outcome: Outcome): outcome is Refusal {
    if (outcome.kind !== 'refusal' || !(outcome.refusedBy in HELD_BACK)) return false;
    const key = `${outcome.refusedBy} ${outcome.pod.uid}`;
    if (this.#known.has(key)) return false;
    this.#known.add(key);
    return true;
  }
}
