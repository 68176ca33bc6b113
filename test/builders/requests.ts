import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { EvictionRequest } from '../../src/evictor/reservation.ts';

/** The wish of a strategy that a pod be evicted; a row names only what matters to it. */
export function requestFor(pod: Pod, parts: Partial<EvictionRequest> = {}): EvictionRequest {
  return { profile: 'main', strategy: 'Test', pod, reason: 'is in the way', gracePeriodSeconds: undefined, ...parts };
}
