import { podName, type Pod } from '../../cluster/objects/pod.ts';
import type { Part } from './roles.ts';

/** Why a pod of these parts goes, by the conflict in which it has the most violations: completes "pod X …". */
export function wordsFor(pod: Pod, parts: readonly Part[]): string {
  const [most] = parts
    .map((part) => sidesOf(part, pod))
    .sort((a, b) => Math.max(b.against, b.itsOwn) - Math.max(a.against, a.itsOwn));
  if (!most) return 'is in no violation';
  const { conflict, against, itsOwn } = most;
  if (against >= itsOwn) {
    return `matches ${conflict.what}, which ${others(conflict.carriers, pod)} ${against > 1 ? 'forbid' : 'forbids'}`;
  }
  return `forbids ${conflict.what}, where ${others(conflict.forbidden, pod)} ${itsOwn > 1 ? 'run' : 'runs'}`;
}

/** In how many violations the pod is by the rules of others, and by its own. */
function sidesOf({ conflict, carries, forbidden }: Part, pod: Pod) {
  const without = (pods: ReadonlySet<Pod>) => pods.size - (pods.has(pod) ? 1 : 0);
  return {
    conflict,
    against: forbidden ? without(conflict.carriers) : 0,
    itsOwn: carries ? without(conflict.forbidden) : 0,
  };
}

/** `shop/a`, `shop/a and 2 more`: the first by order, without looking through all of them. */
function others(pods: ReadonlySet<Pod>, pod: Pod): string {
  const more = pods.size - (pods.has(pod) ? 1 : 0) - 1;
  for (const other of pods) {
    if (other !== pod) return more > 0 ? `${podName(other)} and ${more} more` : podName(other);
  }
  return 'nobody';
}
