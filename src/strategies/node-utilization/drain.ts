import type { Node } from '../../cluster/objects/node.ts';
import { controllerOf, type Pod } from '../../cluster/objects/pod.ts';
import { subtractResources, type Resources } from '../../cluster/amounts/resources.ts';
import { compareForEviction } from '../../cluster/rules/sorting.ts';
import { ReachedLimits } from '../reached-limits.ts';
import type { Context, Proposal, Verdict } from '../strategy.ts';
import type { Destinations } from './destinations.ts';
import type { Load, UsageReader, NodeUsage } from './usage.ts';

/** A node that gives pods away, as it stands after those already gone. */
export interface DrainedNode extends NodeUsage {
  used: Resources;
  evicted: number;
}

const NOT_MEASURED = 'is kept because its own usage is not measured';

/** What one run of a utilization strategy wants done. */
export interface DrainPlan {
  /** By whom a pod is passed over in the report. */
  readonly by: string;
  /** In the order in which they give. */
  readonly sources: readonly DrainedNode[];
  readonly destinations: Destinations;
  readonly usageReader: UsageReader;
  /** Evictions that this strategy allows itself per node; undefined is no such limit. */
  readonly perNode: number | undefined;
  readonly inScope: (pod: Pod) => boolean;
  /** Whether the node still has to give. */
  readonly wants: (source: DrainedNode) => boolean;
  readonly reason: (source: DrainedNode) => string;
  /** What is wrong with a pod of that load on that node, which the scheduler prefers; undefined: nothing. */
  readonly objection: (node: Node, load: Resources) => string | undefined;
}

/** The part of a strategy's context that draining asks. */
export type DrainContext = Pick<Context<unknown>, 'check' | 'fits' | 'likely' | 'replacementOf'>;

type Drain<T> = Generator<Proposal, T, Verdict>;

interface Run extends DrainPlan {
  readonly context: DrainContext;
  readonly reached: ReachedLimits;
}

/** Takes a copy of the usage to count down on. */
export function sourceOf(usage: NodeUsage): DrainedNode {
  return { ...usage, evicted: 0 };
}

/**
 * The eviction loop of the family (rule T16): node by node, lowest priority first, until the node is mended or
 * the destinations have nothing left. A refusal costs nothing; one that reaches further ends the node or the run.
 */
export function* drain(plan: DrainPlan, context: DrainContext): Drain<void> {
  const run: Run = { ...plan, context, reached: new ReachedLimits() };
  for (const source of plan.sources) {
    if (goesOn(run, source)) yield* drainNode(run, source);
  }
}

function* drainNode(run: Run, source: DrainedNode): Drain<void> {
  const pods = source.pods.filter((pod) => run.inScope(pod)).sort(compareForEviction);
  for (const pod of pods) {
    if (source.evicted === run.perNode) return;
    if (run.reached.passesOver(pod)) continue;
    const load = run.usageReader.pod(pod);
    const verdict = yield* move(run, source, { pod, load });
    if (!verdict) continue;
    run.reached.read(pod, verdict);
    // Without a measure of single pods nobody knows when the node is mended: one pod, or as many as the policy allows.
    if (verdict.granted && (load === 'unknowable' ? run.perNode === undefined : !goesOn(run, source))) return;
  }
}

function goesOn(run: Run, source: DrainedNode): boolean {
  return !run.reached.total && run.destinations.exhausted === undefined && run.wants(source);
}

interface Candidate {
  readonly pod: Pod;
  readonly load: Load | 'unknowable' | undefined;
}

/** Proposes one pod with the destinations that can take it; undefined where the pod is passed over. */
function* move(run: Run, source: DrainedNode, { pod, load }: Candidate): Drain<Verdict | undefined> {
  if (load === undefined) return yield* passOver(run, source, { pod, why: () => NOT_MEASURED });
  const arrives = load === 'unknowable' ? {} : load.arrives;
  const replacement = run.context.replacementOf(pod);
  const destinations = run.destinations.for(replacement, arrives);
  if (destinations.length === 0) {
    return yield* passOver(run, source, { pod, why: () => run.destinations.refusal(replacement, arrives) });
  }
  const elsewhere = run.context.check(pod, destinations).granted ? landsElsewhere(run, pod, arrives) : undefined;
  if (elsewhere !== undefined) return yield* passOver(run, source, { pod, why: () => elsewhere });
  const verdict = yield { evict: pod, reason: run.reason(source), destinations };
  if (verdict.granted) {
    source.evicted += 1;
    if (load !== 'unknowable') source.used = subtractResources(source.used, load.leaves);
    const counted = run.destinations.fill(verdict.destination, arrives);
    if (!counted && controllerOf(pod)) run.destinations.fill(likely(run, { pod, destinations, arrives }), arrives);
  }
  return verdict;
}

/**
 * Why the eviction would not help though some destination takes the pod: a node that the scheduler likes best is one on
 * which it does no good. Completes "pod X …"; undefined if it helps, or if nobody can tell.
 */
function landsElsewhere({ context, objection }: Run, pod: Pod, arrives: Resources): string | undefined {
  const likely = context.likely?.(pod) ?? [];
  for (const node of likely) {
    const why = objection(node, arrives);
    if (why !== undefined) return `${likely.length === 1 ? 'would likely' : 'could'} be placed on ${node.name}, ${why}`;
  }
  return undefined;
}

interface Stay {
  readonly pod: Pod;
  readonly why: () => string;
}

/**
 * A pod that is protected anyway is proposed, so that the report has the reason that comes first to an operator. Fit is
 * no such reason: with no destination to offer it only says the same with fewer words.
 */
function* passOver(run: Run, source: DrainedNode, { pod, why }: Stay): Drain<Verdict | undefined> {
  const verdict = run.context.check(pod, []);
  if (!verdict.granted && verdict.by !== 'nodeFit') {
    return yield { evict: pod, reason: run.reason(source), destinations: [] };
  }
  yield { skip: pod, by: run.by, reason: why() };
  return undefined;
}

/** The destination to count the pod on if the pipeline promises none of this run: the emptiest that fits, else the emptiest. */
function likely(
  run: Run,
  candidate: { pod: Pod; destinations: readonly Node[]; arrives: Resources },
): Node | undefined {
  const fitting = run.context.fits(candidate.pod, candidate.destinations);
  return run.destinations.emptiest(fitting.length > 0 ? fitting : candidate.destinations, candidate.arrives);
}
