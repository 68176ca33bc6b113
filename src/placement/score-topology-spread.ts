import type { Pod, SpreadConstraint } from '../cluster/pod.ts';
import type { LabelSelector } from '../cluster/selectors.ts';
import type { Candidate } from './candidate.ts';
import { DefaultSelectors } from './default-selector.ts';
import type { Group } from './groups.ts';
import { keyedBy } from './memo.ts';
import { maxOf, perPlace, type Scorer } from './scorer.ts';
import { mergeLabelKeys, selection } from './selection.ts';
import type { State } from './state.ts';
import { PlaceTally } from './tally.ts';
import type { Domains } from './topology.ts';

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
    scores: (candidate, places) => {
      const preference = preferenceOf(candidate.pod);
      if (preference.counted.length === 0) return undefined;
      return normalised(rawScores(preference, { candidate, places, state }));
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

/** Whole numbers, small is good; -1 for a node that is out of the running. */
function rawScores(preference: Preference, asked: Asked): Float64Array {
  const { places, state } = asked;
  const domains = preference.counted.map(({ constraint }) => state.topology.domains(constraint.topologyKey));
  const isOut = (place: number) => preference.needsKeys && domains.some(({ of }) => of[place] === -1);
  const raw = perPlace(places, (place) => (isOut(place) ? -1 : 0));
  for (const counted of preference.counted) addConstraint(raw, counted, { ...asked, preference });
  for (let index = 0; index < raw.length; index += 1) raw[index] = Math.round(raw[index] ?? 0);
  return raw;
}

/** Adds what one constraint says to every node that is in the running and has its key. */
function addConstraint(raw: Float64Array, counted: Counted, asked: Asked & { readonly preference: Preference }): void {
  const { topologyKey, maxSkew } = counted.constraint;
  const domains = asked.state.topology.domains(topologyKey);
  const standing = standingOf(counted, asked);
  const isHostname = topologyKey === HOSTNAME;
  const inDomain = isHostname ? undefined : sumByDomain(standing, counted.constraint, asked);
  const weight = Math.log((isHostname ? runners(raw) : domainsAmong(raw, asked.places, domains)) + 2);
  for (let index = 0; index < raw.length; index += 1) {
    const place = asked.places[index] ?? 0;
    const domain = domains.of[place] ?? -1;
    if (raw[index] === -1 || domain < 0) continue;
    const count = (inDomain ? inDomain[domain] : standing[place]) ?? 0;
    raw[index] = (raw[index] ?? 0) + (count * weight + (maxSkew - 1));
  }
}

/** Pods of the kind by place, without terminating ones. */
function standingOf({ group }: Counted, { candidate, state: { places } }: Asked): Float64Array {
  if (!group) return new Float64Array(places.count);
  const tally = group.countedBy('standing', () => new PlaceTally(places.count));
  return tally.seenWith(group.changesOf(candidate.changes));
}

/** Sums over the nodes that the constraint's policies look at, scored or not; pods on nodes without the key nowhere. */
function sumByDomain(
  standing: Float64Array,
  constraint: SpreadConstraint,
  { candidate, state, preference }: Asked & { readonly preference: Preference },
): Float64Array {
  const all = preference.needsKeys ? preference.counted.map((counted) => counted.constraint) : [];
  const { eligible } = state.scopes.of(constraint, all, candidate.spec);
  const { of, values } = state.topology.domains(constraint.topologyKey);
  const sums = new Float64Array(values.length);
  for (let place = 0; place < standing.length; place += 1) {
    const domain = of[place] ?? -1;
    if (eligible[place] === 1 && domain >= 0) sums[domain] = (sums[domain] ?? 0) + (standing[place] ?? 0);
  }
  return sums;
}

function runners(raw: Float64Array): number {
  let runners = 0;
  for (let index = 0; index < raw.length; index += 1) if (raw[index] !== -1) runners += 1;
  return runners;
}

/** How many domains the nodes in the running are in; those without the key form one. */
function domainsAmong(raw: Float64Array, places: Int32Array, { of, values }: Domains): number {
  const seen = new Uint8Array(values.length + 1);
  let domains = 0;
  for (let index = 0; index < raw.length; index += 1) {
    const domain = (of[places[index] ?? 0] ?? -1) + 1;
    if (raw[index] === -1 || seen[domain] === 1) continue;
    seen[domain] = 1;
    domains += 1;
  }
  return domains;
}

/** Changes the array it is given. */
function normalised(raw: Float64Array): Float64Array {
  const max = maxOf(raw);
  let min = Infinity;
  for (let index = 0; index < raw.length; index += 1) {
    const score = raw[index] ?? 0;
    if (score !== -1 && score < min) min = score;
  }
  for (let index = 0; index < raw.length; index += 1) {
    const score = raw[index] ?? 0;
    if (score === -1) raw[index] = 0;
    else raw[index] = max === 0 ? 100 : Math.trunc((100 * (max + min - score)) / max);
  }
  return raw;
}
