import type { Pod } from '../cluster/pod.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import { createPlacement, type FitOptions, type Placement } from '../placement/fit.ts';
import { EMPTY_HISTORY, type HistoryState } from './history.ts';
import { Ledger } from './ledger.ts';
import type { EvictionLimits } from './limits.ts';
import { WiderLimits } from './wider-limits.ts';

/** What all profiles of a cycle share: the cluster, what has been spent, and the room that is left. */
export interface CycleAccount {
  readonly snapshot: Snapshot;
  readonly now: Date;
  readonly ledger: Ledger;
  readonly placement: Placement;
  /** `Deployment/web`: the owner that limits count a pod under. */
  readonly ownerOf: (pod: Pod) => string;
}

/** What a cycle may spend, and what earlier ones have spent. */
export interface Allowances extends EvictionLimits {
  /** Nothing where it is left out. */
  readonly history?: HistoryState;
  /** The scheduler's own configuration; the default one where it is left out. */
  readonly scheduler?: FitOptions;
}

/** Opens the account of a cycle: nothing spent yet, all the room that the cluster has. */
export function openAccount(snapshot: Snapshot, now: Date, allowances: Allowances): CycleAccount {
  const { history = EMPTY_HISTORY, scheduler } = allowances;
  const wider = new WiderLimits(allowances, { snapshot, history, now: now.getTime() });
  const ownerOf = (pod: Pod) => wider.ownerOf(pod);
  const placement = createPlacement(snapshot, scheduler);
  return { snapshot, now, ledger: new Ledger(allowances, wider), placement, ownerOf };
}

/** Frees what a failed eviction had booked; the pod is not tried again in this cycle. */
export function bookFailure({ ledger, placement }: CycleAccount, pod: Pod, error: string): void {
  ledger.fail(pod, error);
  placement.withdraw(pod);
}
