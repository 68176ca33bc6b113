import { z } from 'zod';
import type { Pod } from '../cluster/objects/pod.ts';
import { compareForEviction } from '../cluster/rules/sorting.ts';
import * as fragment from './arg-fragments.ts';
import { containerStatuses } from './container-states.ts';
import { proposeEach, type PodProposal } from './propose-each.ts';
import type { Context, Strategy } from './strategy.ts';

/** Arguments (rule T29). */
const argsSchema = z.strictObject({
  ...fragment.podFilter,
  podRestartThreshold: z.int32().min(1).describe('restarts of all containers from which on a pod is evicted'),
  includingInitContainers: z.boolean().default(false).describe('restarts of init containers count, too'),
  states: z
    .array(z.enum(['Running', 'CrashLoopBackOff']))
    .readonly()
    .optional()
    .describe('only pods in one of these states'),
});

type Args = z.infer<typeof argsSchema>;

/** Pods whose containers have restarted too often, node by node, most restarts first (rule T29). */
export const removePodsHavingTooManyRestarts: Strategy<Args> = {
  name: 'RemovePodsHavingTooManyRestarts',
  extensionPoint: 'deschedule',
  args: argsSchema,
  *propose(context) {
    const proposed = yield* proposeEach(restarters(context));
    return proposed === 0 ? [nothingToDo(context)] : [];
  },
};

function* restarters({ snapshot, nodes, args, inScope }: Context<Args>): Generator<PodProposal> {
  for (const node of nodes) {
    const found = snapshot
      .podsOn(node.name)
      .map((pod) => ({ pod, restarts: restartsOf(pod, args) }))
      .filter(({ pod, restarts }) => restarts >= args.podRestartThreshold && isInState(pod, args) && inScope(pod))
      .sort((a, b) => b.restarts - a.restarts || compareForEviction(a.pod, b.pod));
    for (const { pod, restarts } of found) {
      yield { evict: pod, reason: `has restarted ${restarts} times, the threshold is ${args.podRestartThreshold}` };
    }
  }
}

/** Sidecars are init containers to the kubelet and count with them (rule T7). */
function restartsOf(pod: Pod, args: Args): number {
  const statuses = containerStatuses(pod, { init: args.includingInitContainers });
  return statuses.reduce((sum, status) => sum + status.restartCount, 0);
}

function isInState(pod: Pod, { states = [], includingInitContainers }: Args): boolean {
  if (states.length === 0) return true;
  const wanted: readonly string[] = states;
  const waiting = containerStatuses(pod, { init: includingInitContainers }).map((status) => status.waitingReason);
  return [pod.status.phase, ...waiting].some((state) => state !== undefined && wanted.includes(state));
}

function nothingToDo({ snapshot, nodes, args, inScope }: Context<Args>): string {
  const pods = nodes.flatMap((node) => snapshot.podsOn(node.name)).filter(inScope);
  const most = pods.reduce((highest, pod) => Math.max(highest, restartsOf(pod, args)), 0);
  if (most < args.podRestartThreshold) {
    return `no pod has restarted ${args.podRestartThreshold} times: the most is ${most}`;
  }
  return `no pod with ${args.podRestartThreshold} restarts is in one of the states ${(args.states ?? []).join(', ')}`;
}
