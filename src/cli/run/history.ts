import { memoryHistory, noHistory, type History } from '../../evictor/limits/history.ts';
import { memoryKeys } from '../../evictor/limits/limits.ts';
import type { Call } from '../../kube/http/call.ts';
import { configMapHistory } from '../../kube/write/history-config-map.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Policy } from '../../policy/policy.ts';

/** The history of each cycle, by the policy that it runs with. */
export type Histories = (policy: Policy) => History;

/**
 * Where a live run remembers evictions: in the ConfigMap that the policy names, else in this process as long as cycles
 * follow one another. The policy may change between two cycles.
 */
export function liveHistories(call: Call, isLoop: boolean): Histories {
  const inProcess = memoryHistory();
  return ({ history, limits }) => {
    if (history) return configMapHistory(call, { ...history.configMap, clock: systemClock, random: Math.random });
    if (isLoop) return inProcess;
    const keys = memoryKeys(limits).join(', ');
    return noHistory(
      `${keys}: this run knows of no earlier one and leaves nothing to the next; history.configMap in the policy keeps evictions in mind`,
    );
  };
}
