import type { Pod } from '../cluster/objects/pod.ts';
import { ReachedLimits } from './reached-limits.ts';
import type { Proposal, Verdict } from './strategy.ts';

/** A proposal that concerns one pod. */
export type PodProposal = Exclude<Proposal, { readonly evictAll: readonly Pod[] }>;

/**
 * Proposes pods one by one, as strategies do that judge each pod by itself, and answers how many were proposed. Leaves
 * a node or namespace whose limit is reached, and ends when the limit of the cycle is. The proposals are drawn one at
 * a time, so that a look at free room sees the places promised before.
 */
export function* proposeEach(proposals: Iterable<PodProposal>): Generator<Proposal, number, Verdict> {
  const reached = new ReachedLimits();
  let proposed = 0;
  for (const proposal of proposals) {
    const pod = 'evict' in proposal ? proposal.evict : proposal.skip;
    if (reached.passesOver(pod)) continue;
    proposed += 1;
    const verdict = yield proposal;
    if ('evict' in proposal) reached.read(pod, verdict);
    if (reached.total) break;
  }
  return proposed;
}
