import type { NodeMetrics } from '../../cluster/objects/kinds.ts';
import type { ApiServer } from '../../kube/http/api-server.ts';
import { readCluster } from '../../kube/watch/source.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import { explainError } from '../known-errors.ts';

/** What sampling takes. */
export interface SamplingParts {
  readonly server: ApiServer;
  readonly clock: Clock;
  /** Whether a policy wants usage measured, as the last cycle has seen it. */
  readonly wanted: () => boolean;
  readonly sample: (nodes: readonly NodeMetrics[]) => void;
  readonly warn: (message: string) => void;
}

/** metrics-server has a new sample about every 15 s (https://github.com/kubernetes-sigs/metrics-server#readme). */
const PERIOD_MS = 15_000;

/**
 * Samples the usage of nodes beside the cycles of a loop, on its own clock, so that it is smooth whatever the interval of cycles is.
 * What fails is said once until it goes well again. Resolves when the signal comes.
 */
export async function sampleMetrics(parts: SamplingParts, signal: AbortSignal): Promise<void> {
  const { clock, wanted, warn } = parts;
  let said: string | undefined;
  while (!signal.aborted) {
    await sleep(clock, PERIOD_MS, signal);
    const problem = wanted() ? await sampleOnce(parts, signal) : undefined;
    if (problem !== undefined && problem !== said) warn(`sampling usage: ${problem}; trying again`);
    said = problem;
  }
}

/** Answers with what went wrong; nothing where the signal ended it. */
async function sampleOnce({ server, clock, sample }: SamplingParts, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { contents, warnings } = await readCluster(server, { clock, signal, kinds: ['NodeMetrics'] });
    if (contents.others.NodeMetrics) sample(contents.others.NodeMetrics);
    return warnings[0];
  } catch (error) {
    return signal.aborted ? undefined : explainError(error).message;
  }
}
