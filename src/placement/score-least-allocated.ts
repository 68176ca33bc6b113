import type { Container, Pod, PodSpec } from '../cluster/pod.ts';
import { requestsOf, residentRequests } from '../cluster/requests.ts';
import { amountOf, type Resources } from '../cluster/resources.ts';
import type { Candidate } from './candidate.ts';
import { keyedBy } from './memo.ts';
import type { Resident, ResidentIndex } from './residents.ts';
import type { Scorer } from './scorer.ts';
import type { State } from './state.ts';

/** NodeResourcesFit with LeastAllocated: free cpu and memory after the pod, in percent, on average (scheduler.md 3.1). */
export function leastAllocatedScorer(state: State): Scorer {
  let load: Load | undefined;
  return {
    name: 'NodeResourcesFit',
    weight: 1,
    scores: (candidate, places) => {
      load ??= state.residents.follow(new Load(state.places.count));
      const used = load;
      return places.map((place) => scoreOf(place, candidate, { state, used }));
    },
  };
}

function scoreOf(place: number, candidate: Candidate, { state, used }: { state: State; used: Load }): number {
  const { allocatable } = state.places.at(place);
  const needs = neededLoad(candidate.spec);
  let sum = 0;
  let resources = 0;
  for (const name of RESOURCES) {
    const capacity = amountOf(allocatable, name);
    if (capacity <= 0) continue;
    const wanted = used.at(place, name, candidate) + amountOf(needs, name);
    sum += wanted > capacity ? 0 : Math.trunc(((capacity - wanted) * 100) / capacity);
    resources += 1;
  }
  return resources === 0 ? 0 : Math.trunc(sum / resources);
}

const RESOURCES = ['cpu', 'memory'] as const;
type ResourceName = (typeof RESOURCES)[number];

/** What a container counts that asks for nothing: 100m cpu, 200 MiB. An explicit 0 stays 0. */
const DEFAULTS: Resources = { cpu: 100, memory: 200 * 2 ** 20 };

/** Requests of the residents with defaults, by place. */
class Load implements ResidentIndex {
  readonly #used: Readonly<Record<ResourceName, Float64Array>>;

  constructor(places: number) {
    this.#used = { cpu: new Float64Array(places), memory: new Float64Array(places) };
  }

  change(resident: Resident, sign: 1 | -1): void {
    const load = residentLoad(resident);
    for (const name of RESOURCES) {
      const column = this.#used[name];
      column[resident.place] = (column[resident.place] ?? 0) + sign * amountOf(load, name);
    }
  }

  at(place: number, name: ResourceName, { changes }: Candidate): number {
    let used = this.#used[name][place] ?? 0;
    for (const { resident, sign } of changes) {
      if (resident.place === place) used += sign * amountOf(residentLoad(resident), name);
    }
    return used;
  }
}

function residentLoad({ pod, replacement }: Resident): Resources {
  return replacement ? requestsOf(withDefaults(pod.spec)) : loadOfPod(pod);
}

const loadOfPod = keyedBy((pod: Pod): Resources => residentRequests({ ...pod, spec: withDefaults(pod.spec) }));

/** The pod to place: its pod-level requests are not seen, only its containers' (scheduler.md D4). */
const neededLoad = keyedBy((spec: PodSpec): Resources =>
  requestsOf(withContainerDefaults({ ...spec, podRequests: undefined }, RESOURCES)),
);

/** With pod-level requests, defaults are only for what neither the pod level nor any container asks. */
const withDefaults = keyedBy((spec: PodSpec): PodSpec => {
  const asks = (name: string) =>
    spec.podRequests !== undefined &&
    [spec.podRequests, ...[...spec.containers, ...spec.initContainers].map(({ requests }) => requests)].some(
      (requests) => Object.hasOwn(requests, name),
    );
  return withContainerDefaults(
    spec,
    RESOURCES.filter((name) => !asks(name)),
  );
});

function withContainerDefaults(spec: PodSpec, names: readonly ResourceName[]): PodSpec {
  const defaults = Object.fromEntries(names.map((name) => [name, amountOf(DEFAULTS, name)]));
  const fill = (container: Container): Container => ({
    ...container,
    requests: { ...defaults, ...container.requests },
  });
  return { ...spec, containers: spec.containers.map(fill), initContainers: spec.initContainers.map(fill) };
}
