import type { Node } from '../cluster/node.ts';
import { isFinished, type Pod } from '../cluster/pod.ts';
import { matchesRequirements } from '../cluster/selectors.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import type { Placement } from '../placement/fit.ts';
import type { DefaultEvictorArgs } from './args.ts';

/** Where one profile's victims may go. `offered` are the only nodes that count, if a strategy offers some. */
export interface FitCheck {
  /** The nodes the pod fits on, its own left out. */
  readonly fitting: (pod: Pod, offered?: readonly Node[]) => readonly Node[];
  /** Why the pod has to stay for want of a place; undefined if it need not. */
  readonly refusal: (pod: Pod, offered?: readonly Node[]) => string | undefined;
}

/** Kinds of misfit that one reason names; the others are counted. */
const MOST_CODES = 4;

/**
 * The fit rule of DefaultEvictor (framework.md 2.4 and 2.5, 7.3): with `nodeFit` a pod goes only if a ready node other
 * than its own, chosen by DefaultEvictor's own `nodeSelector`, takes it by the scheduler's rules.
 */
export function createFitCheck(args: DefaultEvictorArgs, snapshot: Snapshot, placement: Placement): FitCheck {
  const ready = snapshot.readyNodes;
  const others = createOthers(args);
  const fitting: FitCheck['fitting'] = (pod, offered = ready) => placement.fitting(pod, others(pod, offered));

  const refusal: FitCheck['refusal'] = (pod, offered) => {
    if (!args.nodeFit || needsNoPlace(pod)) return undefined;
    const nodes = others(pod, offered ?? ready);
    if (placement.fitsAny(pod, nodes)) return undefined;
    return misfitReason(pod, nodes, { placement, kind: kindOf(args, nodes.length, offered !== undefined) });
  };
  return { fitting, refusal };
}

/**
 * The nodes of a list that count as other nodes for a pod. The answer is kept for the next pod of the same node, since
 * strategies go from node to node and fit is fastest with lists that it has seen before.
 */
function createOthers({ nodeFit, nodeSelector }: DefaultEvictorArgs) {
  const selector = nodeFit ? nodeSelector : undefined;
  const kept = new WeakMap<readonly Node[], { readonly own: string; readonly others: readonly Node[] }>();
  return ({ nodeName }: Pod, nodes: readonly Node[]): readonly Node[] => {
    const known = kept.get(nodes);
    if (known?.own === nodeName) return known.others;
    const others = nodes.filter(
      ({ name, labels }) => name !== nodeName && (!selector || matchesRequirements(selector, labels)),
    );
    kept.set(nodes, { own: nodeName, others });
    return others;
  };
}

/** Differs from the reference: a pod that has ended gives up nothing by going (strategies.md 18.2, number 5). */
function needsNoPlace(pod: Pod): boolean {
  return isFinished(pod);
}

function kindOf({ nodeSelector }: DefaultEvictorArgs, count: number, offered: boolean): string {
  const kind = `other ${offered ? 'suitable' : 'ready'} ${count === 1 ? 'node' : 'nodes'}`;
  return nodeSelector ? `${kind} that DefaultEvictor's nodeSelector chooses` : kind;
}

interface MisfitContext {
  readonly placement: Placement;
  /** Which nodes were asked, as words. */
  readonly kind: string;
}

/** As the scheduler sums it up: "fits on none of the 12 other ready nodes: 7 taint (on n2: …), 5 cpu". */
function misfitReason(pod: Pod, nodes: readonly Node[], { placement, kind }: MisfitContext): string {
  const [first] = nodes;
  if (!first) return `has no ${kind} to go to`;
  if (nodes.length === 1) return `does not fit on ${first.name}, the only ${kind}: ${texts(pod, first, placement)}`;
  const counts = [...placement.summary(pod, nodes)];
  const named = counts.slice(0, MOST_CODES).map(([code, count], index) => {
    const words = `${count} ${code}`;
    return index === 0 ? `${words}${example(pod, code, { nodes, placement })}` : words;
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

/** The most frequent misfit in words, at the first node that has it. */
function example(
  pod: Pod,
  code: string,
  { nodes, placement }: { readonly nodes: readonly Node[]; readonly placement: Placement },
): string {
  for (const node of nodes) {
    const misfit = placement.misfits(pod, node).find((one) => one.code === code);
    if (misfit) return ` (on ${node.name}: ${misfit.text})`;
  }
  return '';
}
