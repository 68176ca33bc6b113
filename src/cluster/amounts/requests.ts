import type { Container, ContainerStatus, Pod, PodSpec } from '../objects/pod.ts';
import { addResources, maxResources, roundUp, type Resources } from './resources.ts';

const NOTHING: Resources = Object.freeze({});

// Derived values, kept as long as the (frozen, interned) object they were computed from.
const ofSpec = new WeakMap<PodSpec, Resources>();
const ofAssigned = new WeakMap<Pod, Resources>();

/**
 * What a pod that is still to be placed asks of a node, from its spec alone: the peak of init phase and running phase,
 * pod-level requests, overhead. All of it is added exactly and rounded up once, as kube-scheduler does. Without the pod
 * slot. Equal specs share the answer.
 */
export function requestsOf(spec: PodSpec): Resources {
  let requests = ofSpec.get(spec);
  if (!requests) {
    requests = Object.freeze(podTotal(spec, { container: (container) => container.requests, pod: spec.podRequests }));
    ofSpec.set(spec, requests);
  }
  return requests;
}

/**
 * What a bound pod holds on its node: like `requestsOf`, but a resize in place that is not finished counts with the
 * larger of what is asked and what the kubelet has given (rule S10).
 */
export function assignedRequests(pod: Pod): Resources {
  if (!isResized(pod)) return requestsOf(pod.spec);
  let requests = ofAssigned.get(pod);
  if (!requests) {
    requests = Object.freeze(assignedTotal(pod));
    ofAssigned.set(pod, requests);
  }
  return requests;
}

/** Where the amounts of a container and of the pod as a whole come from. */
interface Requested {
  readonly container: (container: Container) => Resources;
  readonly pod: Resources | undefined;
}

function podTotal(spec: PodSpec, source: Requested): Resources {
  return roundUp(addResources({ ...peakOf(spec, source.container), ...podLevel(source.pod) }, spec.overhead));
}

/** What containers ask for together: the larger of init phase and running phase, resource by resource. */
export function peakOf(
  { containers, initContainers }: Pick<PodSpec, 'containers' | 'initContainers'>,
  requests: Requested['container'] = (container) => container.requests,
): Resources {
  let running = NOTHING;
  for (const container of containers) running = addResources(running, requests(container));
  let sidecars = NOTHING;
  let init = NOTHING;
  for (const container of initContainers) {
    const own = requests(container);
    // A sidecar keeps running, so it adds to all that start later; a plain init container is gone by then.
    if (container.sidecar) sidecars = addResources(sidecars, own);
    init = maxResources(init, container.sidecar ? sidecars : addResources(sidecars, own));
  }
  return maxResources(addResources(running, sidecars), init);
}

function podLevel(requests: Resources | undefined): Resources {
  return Object.fromEntries(Object.entries(requests ?? NOTHING).filter(([name]) => isPodLevel(name)));
}

/** The only resources that the pod level can set. */
export function isPodLevel(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/** Whether the status says anything about what was given; only then can the assigned pod's rule differ. */
function isResized({ status }: Pod): boolean {
  return (
    status.requests !== undefined ||
    status.containers.some((container) => container.requests !== undefined) ||
    status.initContainers.some((container) => container.requests !== undefined)
  );
}

function assignedTotal(pod: Pod): Resources {
  const { spec, status } = pod;
  const infeasible = isResizeInfeasible(pod);
  const statuses = new Map<string, ContainerStatus>();
  for (const container of [...status.containers, ...status.initContainers]) statuses.set(container.name, container);
  return podTotal(spec, {
    container: (container) => {
      const isPlainInit = !container.sidecar && spec.initContainers.includes(container);
      const given = isPlainInit ? undefined : statuses.get(container.name);
      return given ? held(container.requests, given, infeasible) : container.requests;
    },
    pod: spec.podRequests && held(spec.podRequests, status, infeasible),
  });
}

/** A resize that can never be carried out counts with what runs, not with what was asked. */
function isResizeInfeasible({ status }: Pod): boolean {
  return status.conditions.find((condition) => condition.type === 'PodResizePending')?.reason === 'Infeasible';
}

function held(
  asked: Resources,
  given: { readonly requests: Resources | undefined; readonly allocated: Resources | undefined },
  infeasible: boolean,
): Resources {
  if (!given.requests) return asked;
  const actual = maxResources(given.requests, given.allocated ?? NOTHING);
  return infeasible ? actual : maxResources(asked, actual);
}
