import type { Pod } from '../cluster/pod.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import { formatTaint, type Taint } from '../cluster/taints.ts';
import { formatDuration } from '../lib/duration.ts';
import type { TaintAnswer } from '../outcomes/explanation.ts';
import { deadlinesOn, type TaintDeadline } from '../taint-eviction/deadline.ts';
import { standOf, type Stand } from '../taint-eviction/toleration.ts';

/** The taints that the node lifecycle puts on a node that is in trouble (node-lifecycle.md 2.1). */
const READINESS: readonly Taint[] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].map((key) => ({
  key,
  value: '',
  effect: 'NoExecute',
  timeAdded: undefined,
}));

/**
 * How long the pod tolerates each NoExecute taint of its node and when it would go; and the same for the two readiness
 * taints where the node does not have them, since the API server gives nearly every pod 300 s for these
 * (node-lifecycle.md 5.1).
 */
export function taintAnswers(pod: Pod, snapshot: Snapshot, now: number): readonly TaintAnswer[] {
  const node = snapshot.node(pod.nodeName);
  const present = node ? deadlinesOn(node, pod, now) : [];
  const absent = READINESS.filter(({ key }) => !present.some(({ taint }) => taint.key === key));
  return [...present.map(presentAnswer), ...absent.map((taint) => absentAnswer(pod, taint))];
}

function presentAnswer(deadline: TaintDeadline): TaintAnswer {
  const at = Number.isFinite(deadline.at) ? new Date(deadline.at).toISOString().replace('.000Z', 'Z') : 'never';
  const note = deadline.isStartKnown ? '' : ' (counted from now: the taint does not say when it was added)';
  return {
    taint: formatTaint(deadline.taint),
    present: true,
    tolerated: toleratedText(deadline.stand),
    goes: `${at}${note}`,
  };
}

function absentAnswer(pod: Pod, taint: Taint): TaintAnswer {
  const stand = standOf(pod.spec.tolerations, taint);
  return { taint: formatTaint(taint), present: false, tolerated: toleratedText(stand), goes: goesAfter(stand) };
}

function toleratedText(stand: Stand): string {
  if (stand.kind === 'undecidable') return `cannot be judged: unknown operator "${stand.toleration.operator}"`;
  if (stand.kind === 'untolerated' || stand.ms === 0) return 'not at all';
  return stand.ms === Infinity ? 'for ever' : `for ${formatDuration(stand.ms)}`;
}

function goesAfter(stand: Stand): string {
  if (stand.kind === 'undecidable' || (stand.kind === 'tolerated' && stand.ms === Infinity)) return 'never';
  return stand.kind === 'tolerated' && stand.ms > 0 ? `${formatDuration(stand.ms)} after it appears` : 'at once';
}
