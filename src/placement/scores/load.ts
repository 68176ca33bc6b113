import type { Container, Pod, PodSpec } from '../../cluster/objects/pod.ts';
import { requestsOf, assignedRequests } from '../../cluster/amounts/requests.ts';
import { amountOf, type Resources } from '../../cluster/amounts/resources.ts';
import { keyedBy } from '../counts/memo.ts';
import type { Change, AssignedPod, AssignedPodIndex } from '../counts/assigned-pods.ts';

/** The resources that the scheduler's default profile scores, each with weight 1 (rule S21). */
export const SCORED_RESOURCES = ['cpu', 'memory'] as const;

/** One of `SCORED_RESOURCES`. */
export type ScoredResource = (typeof SCORED_RESOURCES)[number];

/** What a container counts that asks for nothing: 100m cpu, 200 MiB. An explicit 0 stays 0. */
const DEFAULTS: Resources = { cpu: 100, memory: 200 * 2 ** 20 };

/** What assigned pods take of one resource by place, containers without requests counted with the scheduler's defaults. */
export class Load implements AssignedPodIndex {
  readonly #name: string;
  readonly #used: Float64Array;

  constructor(name: string, nodeIndexes: number) {
    this.#name = name;
    this.#used = new Float64Array(nodeIndexes);
  }

  change(assignedPod: AssignedPod, sign: 1 | -1): void {
    add(this.#used, assignedPod.nodeIndex, sign * amountOf(assignedLoad(assignedPod), this.#name));
  }

  /** By place, as one question sees it; not to be written to. */
  seenWith(changes: readonly Change[]): Float64Array {
    return changed(this.#used, changes, (assignedPod) => amountOf(assignedLoad(assignedPod), this.#name));
  }
}

/** Whether all that changes is that a pod begins to terminate: what it takes stays taken (rule S29). */
export function movesNobody(changes: readonly Change[]): boolean {
  if (changes.length === 0) return true;
  const [gone, come] = changes;
  if (changes.length !== 2 || !gone || !come || gone.sign === come.sign) return false;
  return gone.assignedPod.pod === come.assignedPod.pod && gone.assignedPod.nodeIndex === come.assignedPod.nodeIndex;
}

/**
 * A column of amounts by place with what assigned pods that come or go add; the column itself if nobody moves.
 */
export function changed(
  column: Float64Array,
  changes: readonly Change[],
  amount: (assignedPod: AssignedPod) => number,
): Float64Array {
  if (movesNobody(changes)) return column;
  const seen = column.slice();
  for (const { assignedPod, sign } of changes) add(seen, assignedPod.nodeIndex, sign * amount(assignedPod));
  return seen;
}

function add(column: Float64Array, nodeIndex: number, amount: number): void {
  column[nodeIndex] = (column[nodeIndex] ?? 0) + amount;
}

/** Where a assigned pod holds what its spec says, all pods of the spec add the same; a resized one is considered itself. */
function assignedLoad({ pod, requests }: AssignedPod): Resources {
  const { spec } = pod;
  return requests === requestsOf(spec) ? requestsOf(withDefaults(spec)) : loadOfResized(pod);
}

const loadOfResized = keyedBy((pod: Pod) => assignedRequests({ ...pod, spec: withDefaults(pod.spec) }));

/** The load of the pod to place: its pod-level requests are not seen, only its containers' (rule S21). */
export const loadToAssign = keyedBy((spec: PodSpec) =>
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
