import type { Node } from '../../cluster/objects/node.ts';
import type { Pod } from '../../cluster/objects/pod.ts';
import { compareForEviction } from '../../cluster/rules/sorting.ts';
import { compareText } from '../../cluster/snapshot.ts';
import { removeDuplicatesArgs, type RemoveDuplicatesArgs } from './args.ts';
import { ReachedLimits } from '../reached-limits.ts';
import { isCrowded, replicaGroups, type ReplicaGroup } from './replica-groups.ts';
import { StaticNodes } from '../static-nodes.ts';
import type { Context, Proposal, Strategy, Verdict } from '../strategy.ts';
import { counted, firstFew } from '../words.ts';

type Args = RemoveDuplicatesArgs;

const NAME = 'RemoveDuplicates';

/** What is the same for all groups of one run. */
interface Run {
  readonly context: Context<Args>;
  readonly places: StaticNodes;
  readonly reached: ReachedLimits;
}

/** Spreads the replicas of an owner evenly over the nodes on which they can run (rule T11). */
export const removeDuplicates: Strategy<Args> = {
  name: NAME,
  extensionPoint: 'balance',
  args: removeDuplicatesArgs,
  *propose(context) {
    const run = { context, places: new StaticNodes(context.nodes), reached: new ReachedLimits() };
    const groups = replicaGroups(context);
    const crowded = groups.filter(isCrowded);
    let proposed = 0;
    for (const group of crowded) proposed += yield* spreadOut(group, run);
    return proposed === 0 ? nothingToDo(groups, crowded, run.places) : [];
  },
};

/** Brings every node of the group down to the even share, rounded up; answers how many pods were proposed. */
function* spreadOut(group: ReplicaGroup, run: Run): Generator<Proposal, number, Verdict> {
  const share = run.places.shareOf(group);
  if (share < 2) return 0;
  const most = Math.ceil(group.pods.length / share);
  const counts = new Map([...group.byNode].map(([node, pods]) => [node, pods.length]));
  const fullestFirst = [...group.byNode].sort(([a, x], [b, y]) => y.length - x.length || compareText(a, b));
  let proposed = 0;
  for (const [nodeName, pods] of fullestFirst) {
    if (pods.length <= most) break;
    const reason = `is one of ${pods.length} pods of ${group.owner} on ${nodeName}: ${group.pods.length} pods on ${share} nodes are at most ${most} a node`;
    proposed += yield* thinOut(pods, { ...run, nodeName, counts, most, reason });
  }
  return proposed;
}

interface CrowdedNode extends Run {
  readonly nodeName: string;
  /** Pods of the group per node, as they will be once the evictions granted so far are carried out. */
  readonly counts: Map<string, number>;
  readonly most: number;
  readonly reason: string;
}

/** In the order of eviction, until the node has no more than its share; whoever comes last is kept. */
function* thinOut(pods: readonly Pod[], crowded: CrowdedNode): Generator<Proposal, number, Verdict> {
  const { context, nodeName, counts, most, reason, reached } = crowded;
  const holds = (name: string) => counts.get(name) ?? 0;
  let proposed = 0;
  for (const pod of pods.filter(context.inScope).sort(compareForEviction)) {
    if (holds(nodeName) <= most) break;
    if (reached.passesOver(pod)) continue;
    proposed += 1;
    const destinations = emptierPlaces(pod, crowded);
    const fitting = destinations.find((node) => context.fits(pod, [node]).length > 0);
    const stuck = fitting ? likelyInVain(pod, crowded, destinations) : whyStuck(destinations);
    if (stuck !== undefined && (destinations.length === 0 || context.check(pod, destinations).granted)) {
      yield { skip: pod, by: NAME, reason: `${reason}, but ${stuck}` };
      continue;
    }
    // Where the evictor refuses a pod without a place, its own reason says more.
    const verdict = yield { evict: pod, reason, destinations };
    reached.read(pod, verdict);
    if (!verdict.granted) continue;
    const destination = verdict.destination ?? fitting;
    counts.set(nodeName, holds(nodeName) - 1);
    if (destination) counts.set(destination.name, holds(destination.name) + 1);
  }
  return proposed;
}

/**
 * The nodes on which the pod would be among fewer of its kind than here.
 *
 * Differs from the reference: a pod that can only run where it is, or where it would not be better off, stays
 * (rule T12).
 */
function emptierPlaces(pod: Pod, { context, places, counts, nodeName }: CrowdedNode): readonly Node[] {
  const here = counts.get(nodeName) ?? 0;
  const asFull = [...counts].filter(([, count]) => count + 1 >= here).map(([name]) => name);
  return here < 2 ? [] : places.without(asFull, context.replacementOf(pod));
}

/** Why the pod would be no better off, though there are emptier places: the scheduler may prefer another node. */
function likelyInVain(pod: Pod, { context, counts }: CrowdedNode, emptier: readonly Node[]): string | undefined {
  const likely = context.likely?.(pod) ?? [];
  const [node] = likely;
  if (!node || likely.some((one) => emptier.includes(one))) return undefined;
  return `the scheduler is likely to put it on ${node.name}, which has ${counts.get(node.name) ?? 0} of them`;
}

function whyStuck(destinations: readonly Node[]): string {
  if (destinations.length === 0) return 'no other node that it may run on has fewer of them';
  return `it does not fit on ${firstFew(destinations.map((node) => node.name))}`;
}

function nothingToDo(
  groups: readonly ReplicaGroup[],
  crowded: readonly ReplicaGroup[],
  places: StaticNodes,
): readonly string[] {
  if (groups.length === 0) return ['no pod with an owner to check'];
  const lookedAt = `${counted(groups.length, 'group')} of pods with the same owner and images checked`;
  if (crowded.length === 0) return [`no owner has more than one pod on a node: ${lookedAt}`];
  const stuck = crowded.filter((group) => places.shareOf(group) < 2).map((group) => group.owner);
  const notes = [`no owner has more pods on a node than its even share: ${lookedAt}`];
  if (stuck.length === 0) return notes;
  return [...notes, `fewer than two nodes can run the pods of ${firstFew(stuck)}, which share a node`];
}
