import type { Taint } from '../cluster/objects/terms.ts';
import { z } from 'zod';
import type { Node } from '../cluster/objects/node.ts';
import { compareForEviction } from '../cluster/rules/sorting.ts';
import { formatTaint, isTolerated } from '../cluster/rules/taints.ts';
import * as fragment from './arg-fragments.ts';
import { proposeEach, type PodProposal } from './propose-each.ts';
import type { Context, Strategy } from './strategy.ts';
import { counted, firstFew } from './words.ts';

/** Arguments (rule T25); taints are written `key` or `key=value`. */
const argsSchema = z
  .strictObject({
    ...fragment.podFilter,
    includePreferNoSchedule: z.boolean().default(false).describe('PreferNoSchedule taints count, too'),
    excludedTaints: fragment.names.optional().describe('taints that are ignored: key or key=value'),
    includedTaints: fragment.names.optional().describe('the only taints that are checked: key or key=value'),
  })
  .refine(
    ({ excludedTaints = [], includedTaints = [] }) => excludedTaints.length === 0 || includedTaints.length === 0,
    {
      path: ['includedTaints'],
      error: 'includedTaints and excludedTaints cannot both have entries',
    },
  );

type Args = z.infer<typeof argsSchema>;

/** Pods that do not tolerate a NoSchedule taint of their node (rule T25). */
export const removePodsViolatingNodeTaints: Strategy<Args> = {
  name: 'RemovePodsViolatingNodeTaints',
  extensionPoint: 'deschedule',
  args: argsSchema,
  *propose(context) {
    const proposed = yield* proposeEach(violators(context));
    return [...(proposed === 0 ? [nothingToDo(context)] : []), ...lifecycleNote(context.nodes)];
  },
};

function* violators({ snapshot, nodes, args, inScope }: Context<Args>): Generator<PodProposal> {
  for (const node of nodes) {
    const taints = node.taints.filter((taint) => isLookedAt(taint, args));
    if (taints.length === 0) continue;
    for (const pod of snapshot.assignedPodsOf(node.name).toSorted(compareForEviction)) {
      const taint = taints.find((candidate) => !isTolerated(pod.spec.tolerations, candidate));
      if (taint && inScope(pod)) {
        yield { evict: pod, reason: `does not tolerate ${formatTaint(taint)} on ${node.name}` };
      }
    }
  }
}

/** An explicitly empty `includedTaints` includes nothing, as in the Go descheduler (rule T25). */
function isLookedAt(taint: Taint, args: Args): boolean {
  const isEnforced =
    taint.effect === 'NoSchedule' || (args.includePreferNoSchedule && taint.effect === 'PreferNoSchedule');
  if (!isEnforced || isListed(taint, args.excludedTaints ?? [])) return false;
  return args.includedTaints === undefined || isListed(taint, args.includedTaints);
}

function isListed({ key, value }: Taint, list: readonly string[]): boolean {
  return list.includes(key) || (value !== '' && list.includes(`${key}=${value}`));
}

function nothingToDo({ nodes, args }: Context<Args>): string {
  if (args.includedTaints?.length === 0) return 'includedTaints is an empty list, so no taint is checked';
  const tainted = nodes.filter((node) => node.taints.some((taint) => isLookedAt(taint, args)));
  if (tainted.length === 0) return `no taint to check on ${counted(nodes.length, 'node')}`;
  return `every pod checked tolerates the taints of its node: ${counted(tainted.length, 'tainted node')}`;
}

/** rule T7: NoExecute is the lifecycle half's business. */
function lifecycleNote(nodes: readonly Node[]): readonly string[] {
  const names = nodes
    .filter((node) => node.taints.some((taint) => taint.effect === 'NoExecute'))
    .map((node) => node.name);
  if (names.length === 0) return [];
  return [`NoExecute taints are left to the node lifecycle controllers: ${firstFew(names)}`];
}
