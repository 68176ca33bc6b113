import { budgetsOf } from '../cluster/disruption-budgets.ts';
import type { DisruptionBudget } from '../cluster/kinds.ts';
import type { Node } from '../cluster/node.ts';
import type { Pod } from '../cluster/pod.ts';
import { isForeseeable, type Scoring } from '../placement/fit.ts';
import type { CycleAccount } from './account.ts';
import type { DefaultEvictorArgs } from './args.ts';
import { predictBudget } from './budgets.ts';
import { firstRefusal } from './constraint.ts';
import { evictorConstraints } from './default-evictor.ts';
import { createFitCheck, type FitCheck } from './fit-check.ts';
import type { Ledger } from './ledger.ts';
import type { LimitHit } from './limits.ts';
import { resolveThreshold } from './priority-threshold.ts';
import { returnReason } from './return-check.ts';
import type { Allowed, Granted, Refused, RefusedTogether } from './verdict.ts';

/** The decisions of one profile. */
export interface Pipeline {
  /** Whether the pod may go, with nothing booked. A destination is named only where the caller offers some. */
  readonly check: (pod: Pod, offered?: readonly Node[]) => Allowed | Refused;
  /** The same question; a yes is booked: limits, budget and a promised place. */
  readonly grant: (pod: Pod, offered?: readonly Node[]) => Granted | Refused;
  /** All of the pods or none. */
  readonly grantAll: (pods: readonly Pod[]) => readonly Granted[] | RefusedTogether;
}

/** The pipeline of one profile, as strategies that clean up use it, and as those do that balance. */
export interface ProfilePipeline extends Pipeline {
  /**
   * For a balance strategy: with `nodeFit`, a pod that the scheduler would likely put back stays (strategies.md 18.2,
   * number 10). `scoring` is how the strategy says that the scheduler's profile scores resources.
   */
  readonly balancing: (scoring: Scoring) => Pipeline;
}

/** At most so many likely nodes are listed (cli.md). */
const MOST_LIKELY = 10;

/**
 * The pure pipeline of a profile: filters, limits, budgets, fit, in this order, each with the ledger's view
 * (architecture.md 5). Fit comes last because it costs most. Throws PriorityThresholdError.
 */
export function createPipeline(args: DefaultEvictorArgs, view: CycleAccount): ProfilePipeline {
  const { snapshot, now, ledger, placement } = view;
  const threshold = resolveThreshold(args, snapshot);
  const evictedOf = (owner: string) => ledger.evictedOf(owner);
  const constraints = evictorConstraints(args, { snapshot, now, threshold, evictedOf });
  const fit = createFitCheck(args, snapshot, placement);
  const mayLeave = (pod: Pod) => refusedBy(firstRefusal(constraints, pod)) ?? refusedBy(ledger.limitHit(pod));
  return {
    ...decisionsWith({ view, fit, mayLeave, scoring: undefined, comesBack: () => undefined }),
    balancing: (scoring) => {
      const comesBack = (pod: Pod) => (args.nodeFit ? returnReason(pod, placement, scoring) : undefined);
      return decisionsWith({ view, fit, mayLeave, scoring, comesBack });
    },
  };
}

/** What a pipeline decides by. */
interface Grounds {
  readonly view: CycleAccount;
  readonly fit: FitCheck;
  /** Filters and limits. */
  readonly mayLeave: (pod: Pod) => Refused | undefined;
  readonly scoring: Scoring | undefined;
  /** Why the pod would only come back; asked last, of pods that may go otherwise, since it costs most of all. */
  readonly comesBack: (pod: Pod) => string | undefined;
}

function decisionsWith(grounds: Grounds): Pipeline {
  const { view, fit } = grounds;
  const decide = (pod: Pod, offered?: readonly Node[]): Decision =>
    alreadyDecided(pod, view.ledger) ??
    grounds.mayLeave(pod) ??
    judgeBudget(pod, view, () => refusedByFit(pod, grounds, offered));

  const check: Pipeline['check'] = (pod, offered) => {
    const decision = decide(pod, offered);
    if (!decision.granted || !offered) return decision.granted ? { granted: true } : decision;
    return withDestination(destinationOf(pod, fit.others(pod, offered), grounds));
  };

  const grant: Pipeline['grant'] = (pod, offered) => {
    const decision = decide(pod, offered);
    if (decision.granted) return book(decision.spends, predictPlace(pod, grounds, offered), view);
    if (decision.by === BUDGET && wasBlocked(pod, view)) view.ledger.noteBlocked(pod);
    return decision;
  };

  return { check, grant, grantAll: (pods) => grantTogether(pods, grant, view) };
}

type Decision = Refused | { readonly granted: true; readonly spends: DisruptionBudget | undefined };

/** A pod is decided on once in a cycle, whichever strategy asks again. */
function alreadyDecided(pod: Pod, ledger: Ledger): Refused | undefined {
  if (ledger.has(pod)) {
    return {
      granted: false,
      scope: 'pod',
      by: 'AlreadyEvicted',
      reason: 'is on its way out since earlier in this cycle',
    };
  }
  const failure = ledger.failureOf(pod);
  if (failure === undefined) return undefined;
  return {
    granted: false,
    scope: 'pod',
    by: 'EvictionFailed',
    reason: `could not be evicted earlier in this cycle: ${failure}`,
  };
}

function refusedBy(
  veto: (Pick<LimitHit, 'by' | 'reason'> & Partial<Pick<LimitHit, 'scope' | 'key'>>) | undefined,
): Refused | undefined {
  if (!veto) return undefined;
  const { by, reason, scope = 'pod', key } = veto;
  return { granted: false, scope, by, reason, ...(key === undefined ? {} : { notice: key }) };
}

/** As refusals by a budget are reported. */
const BUDGET = 'PodDisruptionBudget';

function judgeBudget(pod: Pod, { snapshot, ledger }: CycleAccount, next: () => Refused | undefined): Decision {
  const verdict = predictBudget(pod, budgetsOf(pod, snapshot), (budget) => ledger.spentOf(budget));
  if (!verdict.allowed) return { granted: false, scope: 'pod', by: BUDGET, reason: verdict.reason };
  return next() ?? { granted: true, spends: verdict.spends };
}

/** Whether the budget had no room when the cycle began; one that this cycle has used up is no block to remember. */
function wasBlocked(pod: Pod, { snapshot }: CycleAccount): boolean {
  return !predictBudget(pod, budgetsOf(pod, snapshot), () => 0).allowed;
}

function refusedByFit(pod: Pod, grounds: Grounds, offered: readonly Node[] | undefined): Refused | undefined {
  const reason = grounds.fit.refusal(pod, offered) ?? grounds.comesBack(pod);
  return reason === undefined ? undefined : { granted: false, scope: 'pod', by: 'nodeFit', reason };
}

interface Place {
  readonly pod: Pod;
  readonly destinations: number;
  readonly destination: Node | undefined;
  readonly likely: readonly Node[];
}

/** Without nodeFit none of the offered nodes need fit; a place is then looked for on all the others. */
function predictPlace(pod: Pod, grounds: Grounds, offered: readonly Node[] | undefined): Place {
  const { fit, scoring, view } = grounds;
  const others = fit.others(pod);
  const suitable = offered && destinationOf(pod, fit.others(pod, offered), grounds);
  return {
    pod,
    destinations: view.placement.countFitting(pod, others),
    destination: suitable ?? destinationOf(pod, others, grounds),
    likely: isForeseeable(pod) ? view.placement.predict(pod, scoring).likely : [],
  };
}

/**
 * The most likely of these nodes, though another may be likelier: the place that justifies an eviction is taken for the
 * next one. Where none of them takes the pod before it is gone, the best once it is.
 */
function destinationOf(pod: Pod, nodes: readonly Node[], { view, scoring }: Grounds): Node | undefined {
  return view.placement.predict(pod, scoring).best(nodes) ?? view.placement.likely(pod, nodes)[0];
}

function withDestination(destination: Node | undefined): Allowed {
  return destination ? { granted: true, destination } : { granted: true };
}

function book(budget: DisruptionBudget | undefined, place: Place, { ledger, placement }: CycleAccount): Granted {
  const { destination } = place;
  ledger.book(place.pod, budget);
  placement.promise(place.pod, destination);
  return {
    ...withDestination(destination),
    ...(budget ? { budget } : {}),
    pod: place.pod,
    destinations: place.destinations,
    likelyNodes: place.likely.slice(0, MOST_LIKELY).map((node) => node.name),
  };
}

/** Books one after another, so that each is judged against the others; takes all back when one has to stay. */
function grantTogether(
  pods: readonly Pod[],
  grant: Pipeline['grant'],
  { ledger, placement }: CycleAccount,
): readonly Granted[] | RefusedTogether {
  const granted: Granted[] = [];
  for (const pod of pods) {
    const answer = grant(pod);
    if (answer.granted) {
      granted.push(answer);
      continue;
    }
    for (const earlier of granted.reverse()) {
      ledger.cancel(earlier.pod);
      placement.withdraw(earlier.pod);
    }
    return { pod, refused: answer };
  }
  return granted;
}
