import type { Candidates } from './candidates.ts';
import type { CandidateNodes } from './candidate-nodes.ts';
import type { Run } from './run.ts';
import type { CountedRule } from './domain-counts.ts';

/** What is known of a rule's domains before any of its pods goes. */
export interface Reach {
  /** Domains that lie too high and none of whose pods can go anywhere. */
  readonly stuck: Set<number>;
  /** Domains that no pod can reach. */
  readonly closed: Set<number>;
}

interface Surveyed {
  readonly counted: CountedRule;
  readonly run: Run;
  readonly candidates: Candidates;
  readonly candidateNodes: CandidateNodes;
}

/**
 * Looks from every domain that might give a pod, so that none goes in vain. Room is asked for in domains that are open now;
 * in those that the rule itself still shuts it cannot be told, but where pods may run at all can.
 */
export function survey(surveyed: Surveyed): Reach {
  const { rule, tally } = surveyed.counted;
  const { ids } = rule.domains;
  const open = ids.filter((domain) => tally.isOpen(domain));
  const reached = new Set<number>();
  const stuck = new Set<number>();
  for (const domain of ids) {
    if (tally.at(domain) < tally.lowest + 2) continue;
    const gives = lookFrom(domain, { ...surveyed, open, reached });
    if (tally.isOver(domain) && !gives) stuck.add(domain);
  }
  for (const domain of allowed(surveyed)) if (!tally.isOpen(domain)) reached.add(domain);
  return { stuck, closed: new Set(ids.filter((domain) => !reached.has(domain))) };
}

interface View extends Surveyed {
  readonly open: readonly number[];
  readonly reached: Set<number>;
}

/** Whether a pod of the domain can go to an open one; notes those that are reached. */
function lookFrom(from: number, { counted, candidates, candidateNodes, open, reached }: View): boolean {
  let gives = false;
  for (const pod of candidates.mobileIn(from)) {
    if (gives && reached.size === open.length) break;
    if (candidateNodes.likelyReturn(pod)) continue;
    for (const nodeIndex of candidateNodes.of(pod, open)) {
      gives = true;
      reached.add(counted.rule.domains.at(nodeIndex));
    }
  }
  return gives;
}

/** Domains with a node that some candidate may run on. */
function allowed({ counted: { rule }, run, candidates }: Surveyed): ReadonlySet<number> {
  const { ids } = rule.domains;
  if (!run.context.args.topologyBalanceNodeFit) {
    return new Set(ids.filter((domain) => rule.domains.readyNodeIndexes(domain).length > 0));
  }
  const pods = ids.flatMap((domain) => candidates.mobileIn(domain));
  const nodes = [...new Set(pods.map((pod) => run.nodeIndexes.of(pod)))].flat();
  return new Set(nodes.map(({ name }) => run.domainCounts.domainOn(rule, name)));
}
