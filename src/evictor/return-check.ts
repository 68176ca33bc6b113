import { isFinished, type Pod } from '../cluster/objects/pod.ts';
import { isForeseeable, type Placement, type Scoring } from '../placement/fit.ts';

/**
 * Why an eviction would change nothing: the scheduler would likely put the pod's replacement where the pod is now
 * (rule T9; rule S31). Undefined if another node is better, for a pod of another scheduler,
 * and for one that has ended, which gives up nothing by going. The node it leaves may share the highest total with others: nobody can tell then.
 */
export function returnReason(pod: Pod, placement: Placement, scoring?: Scoring): string | undefined {
  if (isFinished(pod) || !isForeseeable(pod)) return undefined;
  const prediction = placement.predict(pod, scoring);
  const own = prediction.likely.find(({ name }) => name === pod.nodeName);
  if (!own) return undefined;
  const rival = prediction.bestBut(own);
  if (!rival) return `would be put back on ${own.name}, the only node that takes it while it terminates`;
  const [here, there] = [prediction.total(own) ?? 0, prediction.total(rival) ?? 0];
  return here === there
    ? `could be put back on ${own.name}: the scheduler gives it ${here} points, as many as ${rival.name}, the best other node`
    : `would likely be put back on ${own.name}: the scheduler gives it ${here} points, and ${there} to ${rival.name}, the best other node`;
}
