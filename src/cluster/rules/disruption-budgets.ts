import { groupBy } from '../../lib/group.ts';
import type { DisruptionBudget } from '../objects/kinds.ts';
import type { Pod } from '../objects/pod.ts';
import { matchesSelector } from './selectors.ts';
import type { Snapshot } from '../snapshot.ts';

type BudgetsByNamespace = ReadonlyMap<string, readonly DisruptionBudget[]>;

// Grouped once per snapshot, not once per pod.
const grouped = new WeakMap<Snapshot, BudgetsByNamespace>();

/**
 * The budgets that guard the pod, by name: those of its namespace whose selector matches its labels. A budget without a
 * selector or with an invalid one guards nobody, one with an empty selector everybody (rule E5, C7).
 */
export function budgetsOf(pod: Pod, snapshot: Snapshot): readonly DisruptionBudget[] {
  const budgets = budgetsByNamespace(snapshot).get(pod.namespace) ?? [];
  return budgets.filter((budget) => budget.selector && matchesSelector(budget.selector, pod.labels));
}

function budgetsByNamespace(snapshot: Snapshot): BudgetsByNamespace {
  let groups = grouped.get(snapshot);
  if (!groups) {
    // The snapshot has them in order of name.
    groups = groupBy(snapshot.list('PodDisruptionBudget'), ({ namespace }) => namespace);
    grouped.set(snapshot, groups);
  }
  return groups;
}
