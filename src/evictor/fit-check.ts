import type { Node } from '../cluster/objects/node.ts';
import { isFinished, type Pod } from '../cluster/objects/pod.ts';
import { matchesRequirements } from '../cluster/rules/selectors.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import type { FailureCount, Placement } from '../placement/fit.ts';
import type { DefaultEvictorArgs } from './constraints/args.ts';

/** Where one profile's victims may go. `offered` are the only nodes that count, if a strategy offers some. */
export interface FitCheck {
  /** The nodes that count as other nodes for the pod, whether it fits there or not. */
  readonly others: (pod: Pod, offered?: readonly Node[]) => readonly Node[];
  /** Why the pod has to stay for want of a place; undefined if it need not. */
  readonly refusal: (pod: Pod, offered?: readonly Node[]) => string | undefined;
}

/** Kinds of filter failure that one reason names; the others are counted. */
const MOST_CODES = 4;

/**
 * The fit rule of DefaultEvictor (rules E8 and E9, 7.3): with `nodeFit` a pod goes only if a ready node other
 * than its own, chosen by DefaultEvictor's own `nodeSelector`, takes it by the scheduler's rules.
 */
export function createFitCheck(args: DefaultEvictorArgs, snapshot: Snapshot, placement: Placement): FitCheck {
  const ready = snapshot.readyNodes;
  const othersOf = createOthers(args, snapshot);
  const others: FitCheck['others'] = (pod, offered = ready) => othersOf(pod, offered);

  const refusal: FitCheck['refusal'] = (pod, offered) => {
    if (!args.nodeFit || needsNoPlace(pod)) return undefined;
    const nodes = others(pod, offered);
    if (placement.fitsAny(pod, nodes)) return undefined;
    return failureReason(pod, nodes, { placement, kind: kindOf(args, nodes.length, offered !== undefined) });
  };
  return { others, refusal };
}

/** What is known about a list of nodes: those that are chosen, and the answer for the last pod's node. */
interface Known {
  readonly chosen: readonly Node[];
  last: { readonly own: string; readonly others: readonly Node[] } | undefined;
}

/**
 * The nodes of a list that count as other nodes for a pod. What is found out about a list is kept, since strategies come
 * with the same lists again and again and go from node to node, and fit is fastest with lists that it has seen before.
 */
function createOthers({ nodeFit, nodeSelector }: DefaultEvictorArgs, snapshot: Snapshot) {
  const selector = nodeFit ? nodeSelector : undefined;
  const lists = new WeakMap<readonly Node[], Known>();
  const know = (nodes: readonly Node[]): Known => {
    const chosen = selector ? nodes.filter(({ labels }) => matchesRequirements(selector, labels)) : nodes;
    const known = { chosen, last: undefined };
    lists.set(nodes, known);
    return known;
  };
  return ({ nodeName }: Pod, nodes: readonly Node[]): readonly Node[] => {
    const known = lists.get(nodes) ?? know(nodes);
    if (known.last?.own !== nodeName)
      known.last = { own: nodeName, others: without(snapshot.node(nodeName), known.chosen) };
    return known.last.others;
  };
}

/** Stays the same list where there is nothing to leave out. Every list holds nodes of the snapshot, so identity will do. */
function without(own: Node | undefined, nodes: readonly Node[]): readonly Node[] {
  const index = own ? nodes.indexOf(own) : -1;
  return index < 0 ? nodes : nodes.toSpliced(index, 1);
}

/** Differs from the reference: a pod that has ended gives up nothing by going (rule T32). */
function needsNoPlace(pod: Pod): boolean {
  return isFinished(pod);
}

function kindOf({ nodeSelector }: DefaultEvictorArgs, count: number, offered: boolean): string {
  const kind = `other ${offered ? 'suitable' : 'ready'} ${count === 1 ? 'node' : 'nodes'}`;
  return nodeSelector ? `${kind} that DefaultEvictor's nodeSelector chooses` : kind;
}

interface FailureContext {
  readonly placement: Placement;
  /** Which nodes were asked, as words. */
  readonly kind: string;
}

/**
 * As the scheduler sums it up: "fits on none of the 12 other ready nodes: 7 taint (on n2: …), 5 cpu". The most frequent
 * reason is told in words, and so is a lack of room that is kept for others.
 */
function failureReason(pod: Pod, nodes: readonly Node[], { placement, kind }: FailureContext): string {
  const [first] = nodes;
  if (!first) return `has no ${kind} to move to`;
  if (nodes.length === 1) return `does not fit on ${first.name}, the only ${kind}: ${texts(pod, first, placement)}`;
  const counts = placement.summary(pod, nodes);
  const named = counts.slice(0, MOST_CODES).map((it, index) => {
    const words = `${it.count} ${it.code}`;
    return index === 0 || it.kept ? `${words} (on ${it.example.name}: ${textOf(pod, it, placement)})` : words;
  });
  const rest = counts.length - named.length;
  const all = rest > 0 ? [...named, `${rest} more`] : named;
  return `fits on none of the ${nodes.length} ${kind}: ${all.join(', ')}`;
}

function texts(pod: Pod, node: Node, placement: Placement): string {
  return placement
    .misfits(pod, node)
    .map(({ text }) => text)
    .join(', ');
}

function textOf(pod: Pod, { code, example }: FailureCount, placement: Placement): string {
  return placement.misfits(pod, example).find((failure) => failure.code === code)?.text ?? '';
}
