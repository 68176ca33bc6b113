import { isFinished, isMirrorPod, isStaticPod, isTerminating, type Pod } from '../cluster/pod.ts';

/**
 * Why no taint ever removes this pod, in words that complete "pod X …"; undefined for all others (deviation 15). DaemonSet
 * pods are not among them: only their tolerations protect them (node-lifecycle.md 5.2).
 */
export function exemption(pod: Pod): string | undefined {
  if (isTerminating(pod)) return 'is terminating already';
  if (isFinished(pod)) return 'has ended and runs nothing';
  if (isMirrorPod(pod)) return 'is the mirror of a static pod, which only its kubelet can remove';
  if (isStaticPod(pod)) return 'is a static pod, which only its kubelet can remove';
  return undefined;
}
