import type { Container, Pod, PodSpec } from '../../cluster/objects/pod.ts';
import { requestsOf, residentRequests } from '../../cluster/amounts/requests.ts';
import { amountOf, type Resources } from '../../cluster/amounts/resources.ts';
import { keyedBy } from '../counts/memo.ts';
import type { Change, Resident, ResidentIndex } from '../counts/residents.ts';

/** The resources that the scheduler's default profile scores, each with weight 1 (rule S21). */
export const SCORED_RESOURCES = ['cpu', 'memory'] as const;

/** One of `SCORED_RESOURCES`. */
export type ScoredResource = (typeof SCORED_RESOURCES)[number];

/** What a container counts that asks for nothing: 100m cpu, 200 MiB. An explicit 0 stays 0. */
const DEFAULTS: Resources = { cpu: 100, memory: 200 * 2 ** 20 };

/** What residents take of one resource by place, containers without requests counted with the scheduler's defaults. */
export class Load implements ResidentIndex {
  readonly #name: string;
  readonly #used: Float64Array;

  constructor(name: string, places: number) {
    this.#name = name;
    this.#used = new Float64Array(places);
  }

  change(resident: Resident, sign: 1 | -1): void {
    add(this.#used, resident.place, sign * amountOf(residentLoad(resident), this.#name));
  }

  /** By place, as one question sees it; not to be written to. */
  seenWith(changes: readonly Change[]): Float64Array {
    return changed(this.#used, changes, (resident) => amountOf(residentLoad(resident), this.#name));
  }
}

/** Whether all that changes is that a pod begins to terminate: what it takes stays taken (rule S29). */
export function movesNobody(changes: readonly Change[]): boolean {
  if (changes.length === 0) return true;
  const [gone, come] = changes;
  if (changes.length !== 2 || !gone || !come || gone.sign === come.sign) return false;
  return gone.resident.pod === come.resident.pod && gone.resident.place === come.resident.place;
}

/**
 * A column of amounts by place with what residents that come or go add; the column itself if nobody moves.
 */
export function changed(
  column: Float64Array,
  changes: readonly Change[],
  amount: (resident: Resident) => number,
): Float64Array {
  if (movesNobody(changes)) return column;
  const seen = column.slice();
  for (const { resident, sign } of changes) add(seen, resident.place, sign * amount(resident));
  return seen;
}

function add(column: Float64Array, place: number, amount: number): void {
  column[place] = (column[place] ?? 0) + amount;
}

/** Where a resident holds what its spec says, all pods of the spec add the same; a resized one is looked at itself. */
function residentLoad({ pod, requests }: Resident): Resources {
  const { spec } = pod;
  return requests === requestsOf(spec) ? requestsOf(withDefaults(spec)) : loadOfResized(pod);
}

const loadOfResized = keyedBy((pod: Pod) => residentRequests({ ...pod, spec: withDefaults(pod.spec) }));

/** The load of the pod to place: its pod-level requests are not seen, only its containers' (rule S21). */
export const loadToPlace = keyedBy((spec: PodSpec) =>
  requestsOf(withContainerDefaults({ ...spec, podRequests: undefined }, SCORED_RESOURCES)),
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
    SCORED_RESOURCES.filter((name) => !asks(name)),
  );
});

function withContainerDefaults(spec: PodSpec, names: readonly ScoredResource[]): PodSpec {
  const defaults = Object.fromEntries(names.map((name) => [name, amountOf(DEFAULTS, name)]));
  const fill = (container: Container): Container => ({
    ...container,
    requests: { ...defaults, ...container.requests },
  });
  return { ...spec, containers: spec.containers.map(fill), initContainers: spec.initContainers.map(fill) };
}
