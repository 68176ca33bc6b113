import { z } from 'zod';
import { matchesRequiredNodeAffinity, preferredWeight } from '../cluster/rules/affinity.ts';
import type { Node } from '../cluster/objects/node.ts';
import type { Pod, PodSpec } from '../cluster/objects/pod.ts';
import { compareForEviction } from '../cluster/rules/sorting.ts';
import * as fragment from './arg-fragments.ts';
import { proposeEach, type PodProposal } from './propose-each.ts';
import type { Context, Strategy } from './strategy.ts';
import { counted, firstFew } from './words.ts';

/** Arguments (rule T23); unknown types do nothing, as in the Go descheduler. */
const argsSchema = z.strictObject({
  nodeAffinityType: z
    .array(z.string())
    .nonempty('at least one type is needed: requiredDuringSchedulingIgnoredDuringExecution or preferred…')
    .readonly()
    .describe('requiredDuringSchedulingIgnoredDuringExecution, preferredDuringSchedulingIgnoredDuringExecution'),
  ...fragment.podFilter,
});

type Args = z.infer<typeof argsSchema>;

const NAME = 'RemovePodsViolatingNodeAffinity';

/** What one entry of `nodeAffinityType` asks of the pods of a node. */
type Violators = (context: Context<Args>) => Generator<PodProposal>;

const VIOLATORS: ReadonlyMap<string, Violators> = new Map([
  ['requiredDuringSchedulingIgnoredDuringExecution', misplaced],
  ['preferredDuringSchedulingIgnoredDuringExecution', betterOffElsewhere],
]);

/** Pods whose node affinity their node does not (or no longer) meet, or another node meets better (rule T23). */
export const removePodsViolatingNodeAffinity: Strategy<Args> = {
  name: NAME,
  extensionPoint: 'deschedule',
  args: argsSchema,
  *propose(context) {
    const proposed = yield* proposeEach(violators(context));
    return [...(proposed === 0 ? [nothingToDo(context)] : []), ...unknownTypes(context.args)];
  },
};

/**
 * Type by type as the policy lists them, each pod once.
 *
 * Differs from the reference: a total limit that is reached with the first type ends the second, too.
 */
function* violators(context: Context<Args>): Generator<PodProposal> {
  const seen = new Set<Pod>();
  for (const type of new Set(context.args.nodeAffinityType)) {
    for (const proposal of VIOLATORS.get(type)?.(context) ?? []) {
      const pod = 'evict' in proposal ? proposal.evict : proposal.skip;
      if (!seen.has(pod)) yield proposal;
      seen.add(pod);
    }
  }
}

/**
 * Pods whose node fails their node selector or required affinity, if another node of the list takes them.
 *
 * Differs from the reference: a pod with nothing but a nodeSelector is considered, too (rule T7).
 */
function* misplaced(context: Context<Args>): Generator<PodProposal> {
  const right = rightNodes(context.nodes);
  for (const node of context.nodes) {
    const found = podsOf(node, context).filter((pod) => !matchesRequiredNodeAffinity(pod.spec, node));
    for (const pod of found.sort(compareForEviction)) {
      const others = right(pod.spec);
      const why = `asks for ${askedOf(pod.spec)} that ${node.name} does not have`;
      const fitting = context.fits(pod, others);
      yield moveTo(fitting.length > 0 ? others : fitting, { pod, why, candidates: others }, context);
    }
  }
}

/** The nodes that a spec's node affinity allows, looked for once per spec; one and the same list each time. */
function rightNodes(nodes: readonly Node[]): (spec: PodSpec) => readonly Node[] {
  const bySpec = new Map<PodSpec, readonly Node[]>();
  return (spec) => {
    const known = bySpec.get(spec) ?? nodes.filter((node) => matchesRequiredNodeAffinity(spec, node));
    bySpec.set(spec, known);
    return known;
  };
}

function askedOf(spec: PodSpec): string {
  if (spec.requiredNodeAffinity !== undefined) return 'node affinity';
  return `labels ${Object.entries(spec.nodeSelector)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',')}`;
}

/**
 * Pods that weigh their node less than another one that takes them.
 *
 * Differs from the reference: the better node itself must fit; there, any node will do, so that a pod can hop forever
 * while the node it prefers is full (rule T7).
 */
function* betterOffElsewhere(context: Context<Args>): Generator<PodProposal> {
  const weights = nodeWeights(context.nodes);
  for (const node of context.nodes) {
    for (const pod of podsOf(node, context).toSorted(compareForEviction)) {
      const weightOf = weights(pod.spec);
      const here = weightOf(node);
      const better = pod.spec.preferredNodeAffinity.length > 0 ? heavier(context.nodes, weightOf, here) : [];
      if (better.length === 0) continue;
      const fitting = context.fits(pod, better);
      const best = fitting[0] ?? better[0];
      const why = best && `prefers ${best.name} (weight ${weightOf(best)}) to ${node.name} (weight ${here})`;
      if (why) yield moveTo(fitting, { pod, why, candidates: better }, context);
    }
  }
}

/** Heaviest first, equals by name as they come. */
function heavier(nodes: readonly Node[], weightOf: (node: Node) => number, than: number): readonly Node[] {
  return nodes.filter((node) => weightOf(node) > than).sort((a, b) => weightOf(b) - weightOf(a));
}

/** Weights are worked out once per spec, since the replicas of a workload share theirs. */
function nodeWeights(nodes: readonly Node[]): (spec: PodSpec) => (node: Node) => number {
  const bySpec = new Map<PodSpec, ReadonlyMap<string, number>>();
  return (spec) => {
    let weights = bySpec.get(spec);
    if (!weights) {
      weights = new Map(nodes.map((node) => [node.name, preferredWeight(spec, node)]));
      bySpec.set(spec, weights);
    }
    const known = weights;
    return (node) => known.get(node.name) ?? 0;
  };
}

interface Move {
  readonly pod: Pod;
  readonly why: string;
  /** Nodes that would be right for the pod, whether or not it fits on them. */
  readonly candidates: readonly Node[];
}

/**
 * Fit is always asked, without `nodeFit` too: a pod that fits nowhere would only come back (rule T23). Where the
 * evictor refuses the pod anyway, its own reason says more.
 */
function moveTo(places: readonly Node[], { pod, why, candidates }: Move, { check }: Context<Args>): PodProposal {
  if (places.length > 0) return { evict: pod, reason: why, destinations: places };
  if (candidates.length === 0) return { skip: pod, by: NAME, reason: `${why}, and no other node has it` };
  if (!check(pod, candidates).granted) return { evict: pod, reason: why, destinations: candidates };
  const names = firstFew(candidates.map((node) => node.name));
  return { skip: pod, by: NAME, reason: `${why}, but it does not fit on ${names}` };
}

function podsOf(node: Node, { snapshot, inScope }: Context<Args>): Pod[] {
  return snapshot.assignedPodsOf(node.name).filter(inScope);
}

function nothingToDo(context: Context<Args>): string {
  const pods = context.nodes.flatMap((node) => podsOf(node, context));
  return `every pod is where its node affinity wants it: ${counted(pods.length, 'pod')} checked`;
}

function unknownTypes({ nodeAffinityType }: Args): readonly string[] {
  const unknown = nodeAffinityType.filter((type) => !VIOLATORS.has(type));
  return unknown.map((type) => `nodeAffinityType ${type} is unknown and does nothing`);
}
