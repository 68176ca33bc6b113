import type { Candidate } from '../candidate.ts';
import { keyedBy } from '../counts/memo.ts';
import type { Scorer } from './scorer.ts';
import { HOSTNAME, softConstraintsReader, type Counted, type SoftConstraints } from './soft-constraints.ts';
import type { State } from '../state.ts';
import { NodeTally } from '../counts/tally.ts';

/**
 * PodTopologySpread: the fewer pods of its kind in a node's domains, the better, by the constraints with ScheduleAnyway
 * (rule S27). Left out for a pod without any.
 */
export function topologySpreadScorer(state: State): Scorer {
  const lent = new Float64Array(state.nodeIndexes.count);
  const constraintsOf = softConstraintsReader(state);
  return {
    name: 'PodTopologySpread',
    weight: 2,
    score: (candidate, nodeIndexes, scores) => {
      const constraints = constraintsOf(candidate.pod);
      if (constraints.counted.length === 0) return false;
      const asked = { candidate, nodeIndexes, scores, state };
      markOut(constraints, asked);
      for (const counted of constraints.counted) addConstraint(counted, constraints, { ...asked, lent });
      normalise(scores, nodeIndexes.length);
      return true;
    },
  };
}

interface Asked {
  readonly candidate: Candidate;
  readonly nodeIndexes: Int32Array;
  /** In the order of the places: -1 for a node that is out of the running, else small is good. */
  readonly scores: Float64Array;
  readonly state: State;
}

/** A node is out of the running for want of a key. */
function markOut({ counted, needsKeys }: SoftConstraints, { nodeIndexes, scores, state }: Asked): void {
  scores.fill(0);
  for (const { constraint } of needsKeys ? counted : []) {
    const { of } = state.topology.domains(constraint.topologyKey);
    for (let index = 0; index < nodeIndexes.length; index += 1)
      if (of[nodeIndexes[index] ?? 0] === -1) scores[index] = -1;
  }
}

/** Adds what one constraint says to every node that is in the running and has its key. `lent` may be overwritten. */
function addConstraint(
  counted: Counted,
  constraints: SoftConstraints,
  asked: Asked & { readonly lent: Float64Array },
): void {
  const { nodeIndexes, scores, state, lent } = asked;
  const { topologyKey, maxSkew } = counted.constraint;
  const isHostname = topologyKey === HOSTNAME;
  const division = isHostname ? nodeByNode(state) : byLabel(topologyKey, state);
  const weight = Math.log((isHostname ? runners(asked) : domainsAmong(asked, division)) + 2);
  const added = lent.fill(maxSkew - 1, 0, division.domains);
  for (const [domain, count] of countsOf(counted, constraints, { ...asked, division })) {
    added[domain] = count * weight + (maxSkew - 1);
  }
  for (let index = 0; index < nodeIndexes.length; index += 1) {
    const domain = division.of[nodeIndexes[index] ?? 0] ?? -1;
    if (domain >= 0 && scores[index] !== -1) scores[index] = (scores[index] ?? 0) + (added[domain] ?? 0);
  }
}

/**
 * Pods of the kind by domain. A hostname's count is that of the node itself; of other keys only nodes count that the
 * constraint's policies look at.
 */
function countsOf(
  counted: Counted,
  { counted: all, needsKeys }: SoftConstraints,
  asked: Asked & { readonly division: Division },
): ReadonlyMap<number, number> {
  const { candidate, state, division } = asked;
  const counts = runningCounts(counted, asked);
  if (counted.constraint.topologyKey === HOSTNAME) return counts;
  const needed = needsKeys ? all.map(({ constraint }) => constraint) : [];
  const seesAll = needed.length === 0 && counted.constraint.nodeTaintsPolicy === 'Ignore';
  const isOpen = seesAll && state.affinityMatcher.keyOf(candidate.spec) === '';
  const eligible = isOpen ? undefined : state.scopes.of(counted.constraint, needed, candidate.spec).eligible;
  const sums = new Map<number, number>();
  for (const [nodeIndex, count] of counts) {
    const domain = division.of[nodeIndex] ?? -1;
    if (domain >= 0 && (!eligible || eligible[nodeIndex] === 1)) sums.set(domain, (sums.get(domain) ?? 0) + count);
  }
  return sums;
}

/** The domain of every place, -1 without the key, and how many domains there are. */
interface Division {
  readonly of: Int32Array;
  readonly domains: number;
}

function byLabel(topologyKey: string, { topology }: State): Division {
  const { of, values } = topology.domains(topologyKey);
  return { of, domains: values.length };
}

/** Every node that has the label is a domain, even if two have the same value. */
const nodeByNode = keyedBy(({ topology, nodeIndexes }: State): Division => {
  const { of } = topology.domains(HOSTNAME);
  return { of: of.map((domain, nodeIndex) => (domain < 0 ? -1 : nodeIndex)), domains: nodeIndexes.count };
});

/** Pods of the kind by place, without terminating ones. */
function runningCounts({ group }: Counted, { candidate }: Asked): ReadonlyMap<number, number> {
  if (!group) return new Map();
  return group.countedBy('running', () => new NodeTally()).seenWith(group.changesOf(candidate.changes));
}

function runners({ scores, nodeIndexes }: Asked): number {
  let runners = 0;
  for (let index = 0; index < nodeIndexes.length; index += 1) if (scores[index] !== -1) runners += 1;
  return runners;
}

/** How many domains the nodes in the running are in; those without the key form one. */
function domainsAmong({ scores, nodeIndexes }: Asked, { of, domains }: Division): number {
  const seen = new Uint8Array(domains + 1);
  let count = 0;
  for (let index = 0; index < nodeIndexes.length && count < seen.length; index += 1) {
    const domain = (of[nodeIndexes[index] ?? 0] ?? -1) + 1;
    if (scores[index] === -1 || seen[domain] === 1) continue;
    seen[domain] = 1;
    count += 1;
  }
  return count;
}

/** Rounds, and makes the smallest the best. */
function normalise(scores: Float64Array, count: number): void {
  let max = 0;
  let min = Infinity;
  for (let index = 0; index < count; index += 1) {
    const score = scores[index] ?? 0;
    if (score === -1) continue;
    const rounded = Math.round(score);
    scores[index] = rounded;
    if (rounded > max) max = rounded;
    if (rounded < min) min = rounded;
  }
  for (let index = 0; index < count; index += 1) {
    const score = scores[index] ?? 0;
    if (score === -1) scores[index] = 0;
    else scores[index] = max === 0 ? 100 : Math.trunc((100 * (max + min - score)) / max);
  }
}
