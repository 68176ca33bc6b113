import type { Pod, SpreadConstraint } from '../cluster/pod.ts';
import type { LabelSelector } from '../cluster/selectors.ts';
import type { Candidate } from './candidate.ts';
import { DefaultSelectors } from './default-selector.ts';
import type { Group } from './groups.ts';
import { keyedBy } from './memo.ts';
import { maxOf, type Scorer } from './scorer.ts';
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
  const byPlace = new Float64Array(state.places.count);
  const preferenceOf = keyedBy((pod: Pod) => preferenceFor(pod, selectors, state));
  return {
    name: 'PodTopologySpread',
    weight: 2,
    score: (candidate, places, scores) => {
      const preference = preferenceOf(candidate.pod);
      if (preference.counted.length === 0) return false;
      writeRaw(scores, preference, { candidate, places, state, byPlace });
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
  /** Lent, to be overwritten: a value for every place. */
  readonly byPlace: Float64Array;
}

/** Whole numbers, small is good; -1 for a node that is out of the running. */
function writeRaw(scores: Float64Array, preference: Preference, asked: Asked): void {
  const { places, state } = asked;
  scores.fill(0);
  const needed = preference.needsKeys ? preference.counted : [];
  for (const { constraint } of needed) {
    const { of } = state.topology.domains(constraint.topologyKey);
    for (let index = 0; index < places.length; index += 1) if (of[places[index] ?? 0] === -1) scores[index] = -1;
  }
  for (const counted of preference.counted) {
    addConstraint(scores, counted, { ...asked, all: needed.map(({ constraint }) => constraint) });
  }
  for (let index = 0; index < places.length; index += 1) scores[index] = Math.round(scores[index] ?? 0);
}

interface AskedOfOne extends Asked {
  /** The constraints whose keys a node must have to be looked at. */
  readonly all: readonly SpreadConstraint[];
}

/** Adds what one constraint says to every node that is in the running and has its key. */
function addConstraint(scores: Float64Array, counted: Counted, asked: AskedOfOne): void {
  const { topologyKey, maxSkew } = counted.constraint;
  const { places } = asked;
  const domains = asked.state.topology.domains(topologyKey);
  const isHostname = topologyKey === HOSTNAME;
  const counts = isHostname ? countByPlace(counted, asked) : countByDomain(counted, domains, asked);
  const weight = Math.log((isHostname ? runners(scores, places) : domainsAmong(scores, places, domains)) + 2);
  for (let index = 0; index < places.length; index += 1) {
    const place = places[index] ?? 0;
    const domain = domains.of[place] ?? -1;
    if (scores[index] === -1 || domain < 0) continue;
    const count = counts[isHostname ? place : domain] ?? 0;
    scores[index] = (scores[index] ?? 0) + (count * weight + (maxSkew - 1));
  }
}

/** Pods of the kind by place, without terminating ones. */
function standingOf({ group }: Counted, { candidate }: Asked): ReadonlyMap<number, number> {
  if (!group) return new Map();
  return group.countedBy('standing', () => new PlaceTally()).seenWith(group.changesOf(candidate.changes));
}

function countByPlace(counted: Counted, asked: Asked): Float64Array {
  asked.byPlace.fill(0);
  for (const [place, count] of standingOf(counted, asked)) asked.byPlace[place] = count;
  return asked.byPlace;
}

/** Sums over the nodes that the constraint's policies look at, scored or not; pods on nodes without the key nowhere. */
function countByDomain(counted: Counted, { of, values }: Domains, asked: AskedOfOne): Float64Array {
  const { eligible } = asked.state.scopes.of(counted.constraint, asked.all, asked.candidate.spec);
  const sums = new Float64Array(values.length);
  for (const [place, count] of standingOf(counted, asked)) {
    const domain = of[place] ?? -1;
    if (eligible[place] === 1 && domain >= 0) sums[domain] = (sums[domain] ?? 0) + count;
  }
  return sums;
}

function runners(scores: Float64Array, places: Int32Array): number {
  let runners = 0;
  for (let index = 0; index < places.length; index += 1) if (scores[index] !== -1) runners += 1;
  return runners;
}

/** How many domains the nodes in the running are in; those without the key form one. */
function domainsAmong(scores: Float64Array, places: Int32Array, { of, values }: Domains): number {
  const seen = new Uint8Array(values.length + 1);
  let domains = 0;
  for (let index = 0; index < places.length; index += 1) {
    const domain = (of[places[index] ?? 0] ?? -1) + 1;
    if (scores[index] === -1 || seen[domain] === 1) continue;
    seen[domain] = 1;
    domains += 1;
  }
  return domains;
}

function normalise(scores: Float64Array, count: number): void {
  const max = maxOf(scores, count);
  let min = Infinity;
  for (let index = 0; index < count; index += 1) {
    const score = scores[index] ?? 0;
    if (score !== -1 && score < min) min = score;
  }
  for (let index = 0; index < count; index += 1) {
    const score = scores[index] ?? 0;
    if (score === -1) scores[index] = 0;
    else scores[index] = max === 0 ? 100 : Math.trunc((100 * (max + min - score)) / max);
  }
}
