import { isFinished, isMirrorPod, isStaticPod, isTerminating, type Pod } from '../cluster/objects/pod.ts';
import type { ObjectEvent } from '../cluster/updates.ts';
import { formatTaint } from '../cluster/rules/taints.ts';
import { formatDuration } from '../lib/duration.ts';
import type { Deadline, TaintDeadline } from './deadline.ts';

/**
 * Why no taint ever removes this pod, in words that complete "pod X …"; undefined for all others. DaemonSet pods are not among
 * them: only their tolerations protect them.
 *
 * Differs from the reference: it deletes these pods, too, though their containers have ended, or come back at once.
 */
export function exemption(pod: Pod): string | undefined {
  if (isTerminating(pod)) return 'is terminating already';
  if (isFinished(pod)) return 'has ended and runs nothing';
  if (isMirrorPod(pod)) return 'is the mirror of a static pod, which only its kubelet can remove';
  if (isStaticPod(pod)) return 'is a static pod, which only its kubelet can remove';
  return undefined;
}

/** Why the pod goes, completing "pod X …". */
export function goingReason({ by }: Deadline): string {
  if (!by) return 'may stay';
  const taint = formatTaint(by.taint);
  if (by.toleration.kind !== 'match') return `does not tolerate ${taint}`;
  const { ms } = by.toleration;
  return ms === 0 ? `tolerates ${taint} for no time` : `tolerates ${taint} for ${formatDuration(ms)} only`;
}

/** Why the pod stays although its node has these taints, completing "pod X …". */
export function stayingReason(taints: readonly TaintDeadline[]): string {
  const open = taints.find(({ toleration }) => toleration.kind === 'unknown-operator');
  if (open?.toleration.kind === 'unknown-operator') {
    const { operator } = open.toleration.toleration;
    return `has a toleration for ${formatTaint(open.taint)} with the unknown operator "${operator}", which cannot be judged`;
  }
  return `tolerates ${taints.map(({ taint }) => formatTaint(taint)).join(' and ')} forever`;
}

/** Reasons for which a timer ends without a deletion, completing "pod X …". */
export const CANCELLED = {
  podGone: 'is gone',
  noTaints: 'is on a node without NoExecute taints now',
  nodeGone: 'was on a node that is gone',
} as const;

/** The event of kube-controller-manager, on whose message people match. */
export function podEvent(what: 'Marking for deletion' | 'Cancelling deletion of', pod: Pod): ObjectEvent {
  const { namespace, name, uid } = pod;
  const regarding = { kind: 'Pod', namespace, name, uid } as const;
  return { regarding, type: 'Normal', reason: 'TaintManagerEviction', message: `${what} Pod ${namespace}/${name}` };
}
