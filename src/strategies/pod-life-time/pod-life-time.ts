import type { Condition, Pod } from '../../cluster/objects/pod.ts';
import { compareByAge } from '../../cluster/rules/sorting.ts';
import { podLifeTimeArgs, type PodLifeTimeArgs } from './args.ts';
import { containerStatuses, containerWithExitCode, containerWithReason } from '../container-states.ts';
import { ageSeconds, secondsSince } from '../pod-age.ts';
import { proposeEach, type PodProposal } from '../propose-each.ts';
import type { Context, Strategy } from '../strategy.ts';
import { counted, formatSeconds } from '../words.ts';

type Args = PodLifeTimeArgs;
type ConditionFilter = NonNullable<Args['conditions']>[number];

/** Pods that are older than allowed, or have long been in a state, oldest first over all nodes (rule T30). */
export const podLifeTime: Strategy<Args> = {
  name: 'PodLifeTime',
  extensionPoint: 'deschedule',
  args: podLifeTimeArgs,
  *propose(context) {
    const proposed = yield* proposeEach(expired(context));
    return proposed === 0 ? [nothingToDo(context)] : [];
  },
};

function* expired(context: Context<Args>): Generator<PodProposal> {
  const { snapshot, nodes, inScope } = context;
  const pods = nodes.flatMap((node) => snapshot.podsOn(node.name)).filter(inScope);
  for (const pod of pods.sort(compareByAge)) {
    const reason = reasonToGo(pod, context);
    if (reason !== undefined) yield { evict: pod, reason };
  }
}

/** The words of a rule that holds; `''` for a rule that is not set, undefined for one that does not hold. */
type Rule = (pod: Pod, args: Args, now: Date) => string | undefined;

const RULES: readonly Rule[] = [ageRule, stateRule, ownerRule, conditionRule, exitCodeRule];

/** All configured rules must hold; the reason names what each has found. */
function reasonToGo(pod: Pod, { args, now }: Context<Args>): string | undefined {
  const words: string[] = [];
  for (const rule of RULES) {
    const found = rule(pod, args, now);
    if (found === undefined) return undefined;
    if (found !== '') words.push(found);
  }
  return words.join(', ');
}

function ageRule(pod: Pod, { maxPodLifeTimeSeconds: limit }: Args, now: Date): string | undefined {
  if (limit === undefined) return '';
  const age = ageSeconds(pod, now);
  if (age === undefined || age <= limit) return undefined;
  return `is ${formatSeconds(age)} old, the limit is ${formatSeconds(limit)}`;
}

/** The last terminated state of a container is not considered: it may be long past. */
function stateRule(pod: Pod, args: Args): string | undefined {
  const states: readonly string[] = args.states ?? [];
  if (states.length === 0) return '';
  if (states.includes(pod.status.phase)) return `is in phase ${pod.status.phase}`;
  if (states.includes(pod.status.reason)) return `has the reason ${pod.status.reason}`;
  const which = { init: args.includingInitContainers, ephemeral: args.includingEphemeralContainers };
  return containerWithReason(containerStatuses(pod, which), states);
}

function ownerRule(pod: Pod, { ownerKinds }: Args): string | undefined {
  const { include = [], exclude = [] } = ownerKinds ?? {};
  const ownedByOneOf = (kinds: readonly string[]) => pod.owners.some((owner) => kinds.includes(owner.kind));
  if (include.length > 0) return ownedByOneOf(include) ? '' : undefined;
  return ownedByOneOf(exclude) ? undefined : '';
}

function conditionRule(pod: Pod, { conditions = [] }: Args, now: Date): string | undefined {
  if (conditions.length === 0) return '';
  const found = pod.status.conditions.find((condition) => conditions.some((filter) => matches(condition, filter, now)));
  if (!found) return undefined;
  const seconds = secondsSince(found.transitionAt, now);
  const since = seconds === undefined ? '' : ` for ${formatSeconds(seconds)}`;
  return `has condition ${found.type}=${found.status}${found.reason === '' ? '' : ` (${found.reason})`}${since}`;
}

function matches(condition: Condition, filter: ConditionFilter, now: Date): boolean {
  const agrees = (wanted: string | undefined, actual: string) => !wanted || wanted === actual;
  if (!agrees(filter.type, condition.type) || !agrees(filter.status, condition.status)) return false;
  if (!agrees(filter.reason, condition.reason)) return false;
  const minimum = filter.minTimeSinceLastTransitionSeconds;
  if (minimum === undefined) return true;
  const seconds = secondsSince(condition.transitionAt, now);
  return seconds !== undefined && seconds >= minimum;
}

/** Exit codes of ephemeral containers never count (rule T30). */
function exitCodeRule(pod: Pod, { exitCodes = [], includingInitContainers }: Args): string | undefined {
  if (exitCodes.length === 0) return '';
  return containerWithExitCode(containerStatuses(pod, { init: includingInitContainers }), exitCodes);
}

function nothingToDo({ snapshot, nodes, args, now, inScope }: Context<Args>): string {
  const pods = nodes.flatMap((node) => snapshot.podsOn(node.name)).filter(inScope);
  const limit = args.maxPodLifeTimeSeconds;
  const oldest = pods.reduce((highest, pod) => Math.max(highest, ageSeconds(pod, now) ?? 0), 0);
  if (limit !== undefined && oldest <= limit) {
    const ages = `the oldest is ${formatSeconds(oldest)}`;
    return `no pod is older than ${formatSeconds(limit)}: ${counted(pods.length, 'pod')}, ${ages}`;
  }
  return `no pod meets all of the conditions: ${counted(pods.length, 'pod')} checked`;
}
