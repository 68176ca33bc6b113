import { budgetsOf } from '../cluster/rules/disruption-budgets.ts';
import type { DisruptionBudget } from '../cluster/objects/kinds.ts';
import type { Node } from '../cluster/objects/node.ts';
import { isAssumed, type Pod } from '../cluster/objects/pod.ts';
import { isFailure } from '../outcomes/eviction-result.ts';
import { isForeseeable, type Scoring } from '../placement/fit.ts';
import type { DefaultEvictorArgs } from './constraints/args.ts';
import { predictBudget } from './budgets.ts';
import { firstRefusal } from './constraints/constraint.ts';
import { evictorConstraints } from './constraints/default-evictor.ts';
import type { CycleState } from './cycle-state.ts';
import { createFitCheck, type FitCheck } from './fit-check.ts';
import type { LimitHit } from './limits/limits.ts';
import { MOST_LIKELY } from './likely-nodes.ts';
import { resolveThreshold } from './constraints/priority-threshold.ts';
import { isReplaced } from './constraints/replicas.ts';
import type { EvictionRequest, Permit } from './reservation.ts';
import { returnReason } from './return-check.ts';
import type { Allowed, Granted, Refused, RefusedTogether } from './verdict.ts';

/** The decisions of one profile. */
export interface Pipeline {
  /** Whether the pod may go, with nothing reserved. A destination is named only where the caller offers some. */
  readonly check: (pod: Pod, offered?: readonly Node[]) => Allowed | Refused;
  /** The same question; with a yes, limits, budget and room are reserved. */
  readonly grant: (request: EvictionRequest, offered?: readonly Node[]) => Granted | Refused;
  /** All of the evictions or none. */
  readonly grantAll: (requests: readonly EvictionRequest[]) => readonly Granted[] | RefusedTogether;
}

/** The pipeline of one profile, as strategies that clean up use it, and as those do that balance. */
export interface ProfilePipeline extends Pipeline {
  /**
   * For a balance strategy: with `nodeFit`, a pod that the scheduler would likely put back stays (rule T9). `scoring` is how the strategy says that the scheduler's profile scores resources.
   */
  readonly balancing: (scoring?: Scoring) => Pipeline;
}

/**
 * The pure pipeline of a profile: filters, limits, budgets, fit, in this order, each with the view of the cycle's
 * state. Fit comes last because it costs most. Throws PriorityThresholdError.
 */
export function createPipeline(args: DefaultEvictorArgs, state: CycleState): ProfilePipeline {
  const { snapshot, now, placement } = state;
  const threshold = resolveThreshold(args, snapshot);
  const evictedOf = (owner: string) => state.lostReplicasOf(owner);
  const constraints = evictorConstraints(args, { snapshot, now, threshold, evictedOf });
  const fit = createFitCheck(args, snapshot, placement);
  const mayLeave = (pod: Pod) => refusedBy(firstRefusal(constraints, pod)) ?? refusedBy(state.limitHit(pod));
  const common = { state, fit, mayLeave, isCounted: args.nodeFit };
  return {
    ...decisionsWith({ ...common, scoring: undefined, comesBack: () => undefined }),
    balancing: (scoring) => {
      const comesBack = (pod: Pod) => (args.nodeFit ? returnReason(pod, placement, scoring) : undefined);
      return decisionsWith({ ...common, scoring, comesBack });
    },
  };
}

/** What a pipeline decides by. */
interface Grounds {
  readonly state: CycleState;
  readonly fit: FitCheck;
  /** Whether later strategies count replacements on their destinations: with nodeFit, since else it is a mere guess. */
  readonly isCounted: boolean;
  /** Filters and limits. */
  readonly mayLeave: (pod: Pod) => Refused | undefined;
  readonly scoring: Scoring | undefined;
  /** Why the pod would only come back; asked last, of pods that may go otherwise, since it costs most of all. */
  readonly comesBack: (pod: Pod) => string | undefined;
}

function decisionsWith(grounds: Grounds): Pipeline {
  const { state, fit } = grounds;
  const decide = (pod: Pod, offered?: readonly Node[]): Decision =>
    alreadyDecided(pod, state) ??
    grounds.mayLeave(pod) ??
    judgeBudget(pod, state, () => refusedByFit(pod, grounds, offered));

  const check: Pipeline['check'] = (pod, offered) => {
    const decision = decide(pod, offered);
    if (!decision.granted || !offered) return decision.granted ? { granted: true } : decision;
    return withDestination(destinationOf(pod, fit.others(pod, offered), grounds));
  };

  const grant: Pipeline['grant'] = (request, offered) => {
    const decision = decide(request.pod, offered);
    if (!decision.granted) return decision;
    const reservation = state.reserve({ request, budget: decision.spends, ...placeOf(request.pod, grounds, offered) });
    return { ...withDestination(reservation.destination), reservation };
  };

  return { check, grant, grantAll: (requests) => grantTogether(requests, grant, state) };
}

type Decision = Refused | { readonly granted: true; readonly spends: DisruptionBudget | undefined };

/** A pod is decided on once in a cycle, whichever strategy asks again, and that goes for its replacement, too. */
function alreadyDecided(asked: Pod, state: CycleState): Refused | undefined {
  const pod = isAssumed(asked) ? asked.replaces : asked;
  const ending = state.endingOf(pod);
  const error = ending && isFailure(ending) ? ending.error : undefined;
  if (state.isVictim(pod)) {
    const reason =
      error === undefined
        ? 'is on its way out since earlier in this cycle'
        : `may be on its way out since earlier in this cycle: ${error}`;
    return { granted: false, scope: 'pod', by: 'AlreadyEvicted', reason };
  }
  if (error === undefined) return undefined;
  const reason = `could not be evicted earlier in this cycle: ${error}`;
  return { granted: false, scope: 'pod', by: 'EvictionFailed', reason };
}

function refusedBy(
  refusal: (Pick<LimitHit, 'by' | 'reason'> & Partial<Pick<LimitHit, 'scope' | 'key'>>) | undefined,
): Refused | undefined {
  if (!refusal) return undefined;
  const { by, reason, scope = 'pod', key } = refusal;
  return { granted: false, scope, by, reason, ...(key === undefined ? {} : { notice: key }) };
}

/** As refusals by a budget are reported. */
const BUDGET = 'PodDisruptionBudget';

function judgeBudget(pod: Pod, state: CycleState, next: () => Refused | undefined): Decision {
  const budgets = budgetsOf(pod, state.snapshot);
  const verdict = predictBudget(pod, budgets, (budget) => state.spentOf(budget));
  if (verdict.allowed) return next() ?? { granted: true, spends: verdict.spends };
  const refused = { granted: false, scope: 'pod', by: BUDGET, reason: verdict.reason } as const;
  return predictBudget(pod, budgets, () => 0).allowed ? refused : { ...refused, isBlocked: true };
}

function refusedByFit(pod: Pod, grounds: Grounds, offered: readonly Node[] | undefined): Refused | undefined {
  const reason = grounds.fit.refusal(pod, offered) ?? grounds.comesBack(pod);
  return reason === undefined ? undefined : { granted: false, scope: 'pod', by: 'nodeFit', reason };
}

/** Without nodeFit none of the offered nodes need fit; a place is then looked for on all the others. */
function placeOf(
  pod: Pod,
  grounds: Grounds,
  offered: readonly Node[] | undefined,
): Pick<Permit, 'scoring' | 'destination' | 'isCounted' | 'destinations' | 'likelyNodes'> {
  const { fit, scoring, state, isCounted } = grounds;
  const others = fit.others(pod);
  const suitable = offered && destinationOf(pod, fit.others(pod, offered), grounds);
  const likely = isForeseeable(pod) ? state.placement.predict(pod, scoring).likely : [];
  return {
    scoring,
    destination: isReplaced(pod) ? (suitable ?? destinationOf(pod, others, grounds)) : undefined,
    isCounted,
    destinations: state.placement.countFitting(pod, others),
    likelyNodes: likely.slice(0, MOST_LIKELY).map((node) => node.name),
  };
}

/**
 * The most likely of these nodes, though another may be likelier: the place that justifies an eviction is taken for the
 * next one. Where none of them takes the pod before it is gone, the best once it is.
 */
function destinationOf(pod: Pod, nodes: readonly Node[], { state, scoring }: Grounds): Node | undefined {
  return state.placement.predict(pod, scoring).best(nodes) ?? state.placement.likely(pod, nodes)[0];
}

function withDestination(destination: Node | undefined): Allowed {
  return destination ? { granted: true, destination } : { granted: true };
}

/** Reserves one after another, so that each is judged against the others; gives all back when one has to stay. */
function grantTogether(
  requests: readonly EvictionRequest[],
  grant: Pipeline['grant'],
  state: CycleState,
): readonly Granted[] | RefusedTogether {
  const granted: Granted[] = [];
  for (const request of requests) {
    const answer = grant(request);
    if (answer.granted) {
      granted.push(answer);
      continue;
    }
    for (const { reservation } of granted.reverse()) state.unreserve(reservation);
    return { pod: request.pod, refused: answer };
  }
  return granted;
}
