import type { Pod, SpreadConstraint } from '../cluster/pod.ts';
import type { LabelSelector } from '../cluster/selectors.ts';
import type { Candidate } from './candidate.ts';
import { DefaultSelectors } from './default-selector.ts';
import type { Group } from './groups.ts';
import { keyedBy } from './memo.ts';
import type { Scorer } from './scorer.ts';
import { mergeLabelKeys, selection } from './selection.ts';
import type { State } from './state.ts';
import { PlaceTally } from './tally.ts';

const HOSTNAME = 'kubernetes.io/hostname';

/** The system defaults for pods without constraints of their own (scheduler.md 3.7). */
const SYSTEM_DEFAULTS: readonly SpreadConstraint[] = [
  { topologyKey: HOSTNAME, maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5 },
].map((constraint) => ({
  ...constraint,
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: undefined,
  matchLabelKeys: [],
  minDomains: undefined,
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
}));

/**
 * PodTopologySpread: the fewer pods of its kind in a node's domains, the better, by the constraints with ScheduleAnyway
 * (scheduler.md 3.7). Left out for a pod without any. A missing Service or owner is no reason for a warning here: what
 * comes of it is a likelihood anyway.
 */
export function topologySpreadScorer(state: State): Scorer {
  const { snapshot } = state;
  const selectors = new DefaultSelectors(snapshot, { knows: (kind) => snapshot.knows(kind) });
  const preferenceOf = keyedBy((pod: Pod) => preferenceFor(pod, selectors, state));
  return {
    name: 'PodTopologySpread',
    weight: 2,
    score: (candidate, places, scores) => {
      const preference = preferenceOf(candidate.pod);
      if (preference.counted.length === 0) return false;
      const asked = { candidate, places, state };
      markOut(scores, preference, asked);
      const views = preference.counted.map((counted) => viewOf(counted, preference, { ...asked, scores }));
      writeRaw(scores, places, views);
      normalise(scores, places.length);
      return true;
    },
  };
}

/** The constraints of a pod and what they count. */
interface Preference {
  readonly counted: readonly Counted[];
  /** Whether a node that lacks one of the keys is out of the running; not so with the system defaults. */
  readonly needsKeys: boolean;
}

interface Counted {
  readonly constraint: SpreadConstraint;
  /** Undefined: nobody is counted. */
  readonly group: Group | undefined;
}

function preferenceFor(pod: Pod, selectors: DefaultSelectors, { groups, options }: State): Preference {
  const own = pod.spec.spreadConstraints;
  const groupOf = (selector: LabelSelector | undefined) =>
    isVoid(selector) ? undefined : groups.of([selection([pod.namespace], selector)]);
  if (own.length > 0) {
    const counted = own.filter(isSoft).map((constraint) => {
      const keys = { match: constraint.matchLabelKeys };
      return { constraint, group: groupOf(mergeLabelKeys(constraint.labelSelector, keys, pod.labels)) };
    });
    return { counted, needsKeys: true };
  }
  const defaults = (options.defaultConstraints ?? SYSTEM_DEFAULTS).filter(isSoft);
  const selector = defaults.length > 0 ? selectors.of(pod) : undefined;
  const counted = selector ? defaults.map((constraint) => ({ constraint, group: groupOf(selector) })) : [];
  return { counted, needsKeys: options.defaultConstraints !== undefined };
}

function isSoft({ whenUnsatisfiable }: SpreadConstraint): boolean {
  return whenUnsatisfiable === 'ScheduleAnyway';
}

/** No selector selects nobody, and in 1.36 an empty one neither (scheduler.md D1). */
function isVoid(selector: LabelSelector | undefined): boolean {
  return !selector || Object.keys(selector.matchLabels).length + selector.matchExpressions.length === 0;
}

interface Asked {
  readonly candidate: Candidate;
  readonly places: Int32Array;
  readonly state: State;
}

/** Scores of nodes that are out of the running for want of a key are -1, all others 0. */
function markOut(scores: Float64Array, { counted, needsKeys }: Preference, { places, state }: Asked): void {
  scores.fill(0);
  for (const { constraint } of needsKeys ? counted : []) {
    const { of } = state.topology.domains(constraint.topologyKey);
    for (let index = 0; index < places.length; index += 1) if (of[places[index] ?? 0] === -1) scores[index] = -1;
  }
}

/** One constraint as it counts for one pod. */
interface View {
  readonly of: Int32Array;
  /** By domain, with a last entry for nodes without the key: what the constraint adds to the raw score. */
  readonly added: Float64Array;
}

/** A hostname's count is that of the node itself; of other keys only domains count that the constraint's policies see. */
function viewOf(
  counted: Counted,
  { counted: all, needsKeys }: Preference,
  asked: Asked & { readonly scores: Float64Array },
): View {
  const { topologyKey, maxSkew } = counted.constraint;
  const isHostname = topologyKey === HOSTNAME;
  const { of, domains } = isHostname ? nodeByNode(asked.state) : byLabel(topologyKey, asked.state);
  const weight = Math.log((isHostname ? runners(asked) : domainsAmong(asked, { of, domains })) + 2);
  const needed = needsKeys ? all.map(({ constraint }) => constraint) : [];
  const eligible = isHostname
    ? undefined
    : asked.state.scopes.of(counted.constraint, needed, asked.candidate.spec).eligible;
  const added = new Float64Array(domains + 1);
  for (const [place, count] of standingOf(counted, asked)) {
    const domain = of[place] ?? -1;
    if (domain >= 0 && (!eligible || eligible[place] === 1)) added[domain] = (added[domain] ?? 0) + count;
  }
  for (let domain = 0; domain < domains; domain += 1) added[domain] = (added[domain] ?? 0) * weight + (maxSkew - 1);
  return { of, added };
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
const nodeByNode = keyedBy(({ topology, places }: State): Division => {
  const { of } = topology.domains(HOSTNAME);
  return { of: of.map((domain, place) => (domain < 0 ? -1 : place)), domains: places.count };
});

/** Whole numbers, small is good. */
function writeRaw(scores: Float64Array, places: Int32Array, views: readonly View[]): void {
  for (const { of, added } of views) {
    const keyless = added.length - 1;
    for (let index = 0; index < places.length; index += 1) {
      const domain = of[places[index] ?? 0] ?? -1;
      if (scores[index] !== -1) scores[index] = (scores[index] ?? 0) + (added[domain < 0 ? keyless : domain] ?? 0);
    }
  }
}

/** Pods of the kind by place, without terminating ones. */
function standingOf({ group }: Counted, { candidate }: Asked): ReadonlyMap<number, number> {
  if (!group) return new Map();
  return group.countedBy('standing', () => new PlaceTally()).seenWith(group.changesOf(candidate.changes));
}

function runners({ scores, places }: { readonly scores: Float64Array; readonly places: Int32Array }): number {
  let runners = 0;
  for (let index = 0; index < places.length; index += 1) if (scores[index] !== -1) runners += 1;
  return runners;
}

/** How many domains the nodes in the running are in; those without the key form one. */
function domainsAmong(
  { scores, places }: { readonly scores: Float64Array; readonly places: Int32Array },
  { of, domains }: Division,
): number {
  const seen = new Uint8Array(domains + 1);
  let count = 0;
  for (let index = 0; index < places.length && count < seen.length; index += 1) {
    const domain = (of[places[index] ?? 0] ?? -1) + 1;
    if (scores[index] === -1 || seen[domain] === 1) continue;
    seen[domain] = 1;
    count += 1;
  }
  return count;
}

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
