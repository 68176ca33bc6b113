import type { Taint } from '../cluster/objects/terms.ts';
import type { Pod } from '../cluster/objects/pod.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import { formatTaint } from '../cluster/rules/taints.ts';
import { formatDuration } from '../lib/duration.ts';
import type { TaintAnswer } from '../outcomes/explanation.ts';
import { deadlinesOn, type TaintDeadline } from '../taint-eviction/deadline.ts';
import { READINESS_KEYS } from '../taint-eviction/observed-taints.ts';
import { exemption } from '../taint-eviction/reasons.ts';
import { matchToleration, type MatchingToleration } from '../taint-eviction/toleration.ts';

/** The taints that the node lifecycle puts on a node that is in trouble (https://kubernetes.io/docs/reference/labels-annotations-taints/). */
const READINESS: readonly Taint[] = [...READINESS_KEYS].map((key) => ({
  key,
  value: '',
  effect: 'NoExecute',
  timeAdded: undefined,
}));

/**
 * How long the pod tolerates each NoExecute taint of its node and when it would go; and the same for the two readiness
 * taints where the node does not have them, since the API server gives nearly every pod 300 s for these. A pod that no taint
 * removes never goes.
 */
export function taintAnswers(pod: Pod, snapshot: Snapshot, now: number): readonly TaintAnswer[] {
  const node = snapshot.node(pod.nodeName);
  const present = node ? deadlinesOn(node, pod, now) : [];
  const absent = READINESS.filter(({ key }) => !present.some(({ taint }) => taint.key === key));
  const exempt = exemption(pod);
  const answer = (taint: Taint, match: MatchingToleration, goes: string): TaintAnswer => ({
    ...{ taint: formatTaint(taint), present: !absent.includes(taint), tolerated: toleratedText(match) },
    goes: exempt === undefined ? goes : `never: the pod ${exempt}`,
  });
  return [
    ...present.map((deadline) => answer(deadline.taint, deadline.toleration, goesAt(deadline))),
    ...absent.map((taint) => {
      const match = matchToleration(pod.spec.tolerations, taint);
      return answer(taint, match, goesAfter(match));
    }),
  ];
}

function goesAt({ at, isStartKnown, taint }: TaintDeadline): string {
  if (at === Infinity) return 'never';
  const time = new Date(at).toISOString().replace('.000Z', 'Z');
  return isStartKnown ? time : `${time} (counted from now: ${unknownStart(taint)})`;
}

function unknownStart({ timeAdded }: Taint): string {
  if (timeAdded === undefined) return 'the taint does not say when it was added';
  return `the taint says it was added at ${timeAdded}, which cannot be right`;
}

function toleratedText(match: MatchingToleration): string {
  if (match.kind === 'unknown-operator') return `cannot be judged: unknown operator "${match.toleration.operator}"`;
  if (match.kind === 'none' || match.ms === 0) return 'not at all';
  return match.ms === Infinity ? 'forever' : `for ${formatDuration(match.ms)}`;
}

function goesAfter(match: MatchingToleration): string {
  if (match.kind === 'unknown-operator' || (match.kind === 'match' && match.ms === Infinity)) return 'never';
  return match.kind === 'match' && match.ms > 0 ? `${formatDuration(match.ms)} after it appears` : 'at once';
}
