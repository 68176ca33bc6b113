import { replied } from '../lib/answer.ts';
import type { TaintEvictionPorts } from './ports.ts';

/** Ports for `observe`: they read like the given ones and change nothing. */
export function observingPorts(reads: Pick<TaintEvictionPorts, 'getPod' | 'getNode'>): TaintEvictionPorts {
  return {
    ...reads,
    patchPodStatus: ({ pod }) => replied(pod),
    deletePod: () => replied(undefined),
    evictPod: () => replied(undefined),
    stampTaints: () => replied(undefined),
    announce: () => undefined,
  };
}
