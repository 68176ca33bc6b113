import type { Pod } from '../cluster/pod.ts';
import { formatTaint } from '../cluster/taints.ts';
import { formatDuration } from '../lib/duration.ts';
import type { Deadline, TaintDeadline } from './deadline.ts';

/** Why the pod goes, completing "pod X …". */
export function goingReason({ by }: Deadline): string {
  if (!by) return 'may stay';
  const taint = formatTaint(by.taint);
  if (by.stand.kind !== 'tolerated') return `does not tolerate ${taint}`;
  return by.stand.ms === 0
    ? `tolerates ${taint} for no time`
    : `tolerates ${taint} for ${formatDuration(by.stand.ms)} only`;
}

/** Why the pod stays although its node has these taints, completing "pod X …". */
export function stayingReason(taints: readonly TaintDeadline[]): string {
  const open = taints.find(({ stand }) => stand.kind === 'undecidable');
  if (open?.stand.kind === 'undecidable') {
    const { operator } = open.stand.toleration;
    return `has a toleration for ${formatTaint(open.taint)} with the unknown operator "${operator}", which cannot be judged`;
  }
  return `tolerates ${taints.map(({ taint }) => formatTaint(taint)).join(' and ')} for ever`;
}

/** Reasons for which a countdown ends without a deletion, completing "pod X …". */
export const CANCELLED = {
  podGone: 'is gone',
  noTaints: 'is on a node without NoExecute taints now',
  nodeGone: 'was on a node that is gone',
} as const;

/** The messages of the reference's events (node-lifecycle.md 4.8). */
export function eventMessage(what: 'Marking for deletion' | 'Cancelling deletion of', pod: Pod): string {
  return `${what} Pod ${pod.namespace}/${pod.name}`;
}
