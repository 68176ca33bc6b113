import type { DisruptionBudget } from '../cluster/objects/kinds.ts';
import { isFinished, isTerminating, type Pod } from '../cluster/objects/pod.ts';

/** The answer that the eviction API will give. `spends` is the budget that an allowed eviction is taken from, if any. */
export type BudgetVerdict =
  { readonly allowed: true; readonly spends?: DisruptionBudget } | { readonly allowed: false; readonly reason: string };

/** What a budget keeps of the evictions that the API server has granted and not yet seen done, at most. */
const MOST_UNCONFIRMED = 2000;

const FREE: BudgetVerdict = { allowed: true };

/**
 * Predicts the verdict of the eviction subresource
 * (https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/registry/core/pod/storage/eviction.go). `spent` tells what
 * earlier evictions of this cycle have taken from a budget and the server's numbers do not show yet.
 *
 * Example: `disruptionsAllowed: 2` lets two ready pods go; the third is refused in the plan already.
 */
export function predictBudget(
  pod: Pod,
  budgets: readonly DisruptionBudget[],
  spent: (budget: DisruptionBudget) => number,
): BudgetVerdict {
  if (needsNoBudget(pod)) return FREE;
  const [budget, ...more] = budgets;
  if (!budget) return FREE;
  if (more.length > 0) return severalBudgets(budgets);
  if (!isReady(pod) && mayGoUnready(budget, spent(budget))) return FREE;
  const reason = exhausted(budget, spent(budget));
  return reason === undefined ? { allowed: true, spends: budget } : { allowed: false, reason };
}

/** Pods that are finished, not started or on their way out are no loss to any budget. */
function needsNoBudget(pod: Pod): boolean {
  return isFinished(pod) || pod.status.phase === 'Pending' || isTerminating(pod);
}

/** The API answers 500 even if each budget had room. */
function severalBudgets(budgets: readonly DisruptionBudget[]): BudgetVerdict {
  const names = budgets.map(({ name }) => name).join(' and ');
  const reason = `is covered by ${budgets.length} PodDisruptionBudgets, ${names}; the eviction API refuses pods with more than one`;
  return { allowed: false, reason };
}

function isReady(pod: Pod): boolean {
  return pod.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** An unready pod adds nothing to the healthy ones: it goes for free as long as those are enough, or if always allowed. */
function mayGoUnready(budget: DisruptionBudget, spent: number): boolean {
  if (budget.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  return budget.desiredHealthy > 0 && budget.currentHealthy - spent >= budget.desiredHealthy;
}

function exhausted(budget: DisruptionBudget, spent: number): string | undefined {
  const guarded = `is guarded by PodDisruptionBudget ${budget.name}`;
  if (isUnprocessed(budget)) return `${guarded}, whose latest change the disruption controller has not processed yet`;
  if (budget.disruptionsAllowed < 0) return `${guarded}, whose disruptionsAllowed is ${budget.disruptionsAllowed}`;
  if (budget.disruptedPods.length > MOST_UNCONFIRMED) {
    return `${guarded}, which waits for ${budget.disruptedPods.length} earlier evictions to be confirmed`;
  }
  if (budget.disruptionsAllowed - spent > 0) return undefined;
  return `${guarded}, which ${noRoom(budget, spent)}`;
}

function isUnprocessed(budget: DisruptionBudget): boolean {
  return !budget.hasStatus || (budget.observedGeneration ?? 0) < (budget.generation ?? 0);
}

function noRoom(budget: DisruptionBudget, spent: number): string {
  if (spent > 0) {
    const taken = spent === 1 ? '1 disruption' : `${spent} disruptions`;
    return `allowed ${taken}, taken by earlier evictions of this cycle`;
  }
  return `allows no disruption now: ${budget.currentHealthy} of its pods are healthy and ${budget.desiredHealthy} must be`;
}
