import { z } from 'zod';
import type { Pod } from '../cluster/objects/pod.ts';
import { compareForEviction } from '../cluster/rules/sorting.ts';
import * as fragment from './arg-fragments.ts';
import { containerStatuses, containerWithExitCode, containerWithReason } from './container-states.ts';
import { ageSeconds } from './pod-age.ts';
import { proposeEach, type PodProposal } from './propose-each.ts';
import type { Context, Strategy } from './strategy.ts';
import { counted, formatSeconds } from './words.ts';

/** Arguments (rule T32). */
const argsSchema = z.strictObject({
  ...fragment.podFilter,
  excludeOwnerKinds: fragment.names.optional().describe('pods with an owner of one of these kinds are left alone'),
  minPodLifetimeSeconds: fragment.count.default(3600).describe('age in seconds from which on a failed pod is evicted'),
  reasons: fragment.names.optional().describe('reasons, one of which the pod or a container must show'),
  exitCodes: fragment.exitCodes.optional().describe('exit codes, one of which a terminated container must have'),
  includingInitContainers: z.boolean().default(false).describe('reasons and exit codes of init containers count'),
});

type Args = z.infer<typeof argsSchema>;

/** Pods in phase Failed that have been there long enough (rule T32). */
export const removeFailedPods: Strategy<Args> = {
  name: 'RemoveFailedPods',
  extensionPoint: 'deschedule',
  args: argsSchema,
  *propose(context) {
    const proposed = yield* proposeEach(failed(context));
    return proposed === 0 ? [nothingToDo(context)] : [];
  },
};

function* failed(context: Context<Args>): Generator<PodProposal> {
  for (const node of context.nodes) {
    for (const pod of failedOn(node.name, context).toSorted(compareForEviction)) {
      const reason = reasonToGo(pod, context);
      if (reason !== undefined) yield { evict: pod, reason };
    }
  }
}

function failedOn(nodeName: string, { snapshot, inScope }: Context<Args>): readonly Pod[] {
  return snapshot.podsOn(nodeName).filter((pod) => pod.status.phase === 'Failed' && inScope(pod));
}

/** All filters must hold; the reason names the age and what was found in the status. */
function reasonToGo(pod: Pod, { args, now }: Context<Args>): string | undefined {
  const { minPodLifetimeSeconds: minimum, excludeOwnerKinds = [] } = args;
  const age = ageSeconds(pod, now);
  if (minimum > 0 && (age === undefined || age < minimum)) return undefined;
  if (pod.owners.some((owner) => excludeOwnerKinds.includes(owner.kind))) return undefined;
  const words = [matchedReason(pod, args), matchedExitCode(pod, args)];
  if (words.includes(undefined)) return undefined;
  const since = age === undefined ? '' : `, created ${formatSeconds(age)} ago`;
  return [`has failed${since}`, ...words].filter((word) => word !== '').join(', ');
}

/** `''` where no reasons are asked for, undefined where none matches. */
function matchedReason(pod: Pod, { reasons = [], includingInitContainers }: Args): string | undefined {
  if (reasons.length === 0) return pod.status.reason;
  if (reasons.includes(pod.status.reason)) return pod.status.reason;
  return containerWithReason(containerStatuses(pod, { init: includingInitContainers }), reasons);
}

function matchedExitCode(pod: Pod, { exitCodes = [], includingInitContainers }: Args): string | undefined {
  if (exitCodes.length === 0) return '';
  return containerWithExitCode(containerStatuses(pod, { init: includingInitContainers }), exitCodes);
}

function nothingToDo(context: Context<Args>): string {
  const count = context.nodes.reduce((sum, node) => sum + failedOn(node.name, context).length, 0);
  if (count === 0) return `no pod is in phase Failed on ${counted(context.nodes.length, 'node')}`;
  const minimum = formatSeconds(context.args.minPodLifetimeSeconds);
  return `none of ${counted(count, 'failed pod')} is ${minimum} old and meets the other filters`;
}
