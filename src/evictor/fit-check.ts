import type { Node } from '../cluster/node.ts';
import { isFinished, type Pod } from '../cluster/pod.ts';
import { compareText, type Snapshot } from '../cluster/snapshot.ts';
import { matchesRequirements } from '../cluster/selectors.ts';
import type { Placement } from '../placement/fit.ts';
import type { DefaultEvictorArgs } from './args.ts';

/** Where one profile's victims may go. */
export interface FitCheck {
  /** The nodes the pod fits on, its own left out; only those offered, if any are. */
  readonly fitting: (pod: Pod, offered?: readonly Node[]) => readonly Node[];
  /** Why the pod has to stay for want of a place; undefined if it need not. */
  readonly refusal: (pod: Pod, offered?: readonly Node[]) => string | undefined;
}

/** Misfits named in one reason; the rest is counted. */
const MOST_MISFITS = 4;

/**
 * The fit rule of DefaultEvictor (framework.md 2.4 and 2.5, 7.3): with `nodeFit` a pod goes only if a ready node other
 * than its own, chosen by DefaultEvictor's own `nodeSelector`, takes it by the scheduler's rules.
 */
export function createFitCheck(args: DefaultEvictorArgs, snapshot: Snapshot, placement: Placement): FitCheck {
  const selector = args.nodeFit ? args.nodeSelector : undefined;
  const isChosen = (node: Node) => !selector || matchesRequirements(selector, node.labels);
  const chosen = snapshot.readyNodes.filter(isChosen);
  const candidates = (offered: readonly Node[] | undefined) => offered?.filter(isChosen) ?? chosen;

  const fitting = (pod: Pod, offered?: readonly Node[]): readonly Node[] =>
    placement.fitting(pod, candidates(offered)).filter((node) => node.name !== pod.nodeName);

  const refusal = (pod: Pod, offered?: readonly Node[]): string | undefined => {
    if (!args.nodeFit || needsNoPlace(pod) || fitting(pod, offered).length > 0) return undefined;
    const others = candidates(offered).filter((node) => node.name !== pod.nodeName);
    return misfitReason(pod, others, { placement, offered: offered !== undefined, selected: selector !== undefined });
  };
  return { fitting, refusal };
}

/** Differs from the reference: a pod that has ended gives up nothing by going (strategies.md 18.2, number 5). */
function needsNoPlace(pod: Pod): boolean {
  return isFinished(pod);
}

interface MisfitContext {
  readonly placement: Placement;
  readonly offered: boolean;
  readonly selected: boolean;
}

/** Summarises as the scheduler does: "fits on none of the 12 other ready nodes: 7 cordon, 5 Insufficient cpu". */
function misfitReason(pod: Pod, others: readonly Node[], context: MisfitContext): string {
  const kind = [
    'other',
    context.offered ? 'suitable' : 'ready',
    others.length === 1 ? 'node' : 'nodes',
    ...(context.selected ? ["that DefaultEvictor's nodeSelector chooses"] : []),
  ].join(' ');
  if (others.length === 0) return `has no ${kind} to go to`;
  const counted = countMisfits(pod, others, context.placement);
  const [only] = others;
  if (others.length === 1 && only) return `does not fit on ${only.name}, the only ${kind}: ${counted.join(', ')}`;
  return `fits on none of the ${others.length} ${kind}: ${counted.join(', ')}`;
}

interface MisfitGroup {
  readonly code: string;
  readonly text: string;
  nodes: number;
  alike: boolean;
}

function countMisfits(pod: Pod, nodes: readonly Node[], placement: Placement): readonly string[] {
  const groups = new Map<string, MisfitGroup>();
  for (const node of nodes) {
    for (const { code, text } of placement.misfits(pod, node)) {
      const group = groups.get(code);
      if (!group) groups.set(code, { code, text, nodes: 1, alike: true });
      else {
        group.nodes += 1;
        group.alike &&= group.text === text;
      }
    }
  }
  const sorted = [...groups.values()].sort((a, b) => b.nodes - a.nodes || compareText(a.code, b.code));
  const named = sorted.slice(0, MOST_MISFITS).map((group) => describe(group, nodes.length));
  const rest = sorted.length - named.length;
  return rest > 0 ? [...named, `${rest} more reasons`] : named;
}

/** Nodes that differ in the numbers share the code; the first of them stands as the example. */
function describe(group: MisfitGroup, asked: number): string {
  if (asked === 1) return group.text;
  const example = group.alike ? group.text : `${group.code} (as in "${group.text}")`;
  return `${group.nodes} ${example}`;
}
