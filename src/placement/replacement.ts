import type { Labels } from '../cluster/objects/terms.ts';
import type { OtherKind, TemplateRequests, UpdateTemplate } from '../cluster/objects/kinds.ts';
import type { Node } from '../cluster/objects/node.ts';
import type { AssumedPod, Container, Pod, PodSpec, PodStatus } from '../cluster/objects/pod.ts';
import { SelectorSyntaxError } from '../cluster/rules/selector-tokens.ts';
import { labelOf, parseSelector } from '../cluster/rules/selectors.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import { keyedBy, Memo } from './counts/memo.ts';

/**
 * The pods that would replace evicted ones. The best description is the victim itself, since webhooks that changed it will
 * change its replacement, too. It is another pod where the owner has a newer template for it, where its requests were
 * changed in place, and where its OpenShift project has a node selector, which admission adds to every new pod.
 */
export class Replacements {
  readonly #snapshot: Snapshot;
  readonly #projectSelectors = new Memo<Labels>();
  readonly #specs = new WeakMap<PodSpec, Memo<PodSpec>>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** The pod in place of this one, with its name and UID for want of better ones. Equal specs are one object. */
  readonly of = keyedBy((pod: Pod): Pod => {
    const updated = updatedPod(pod, this.#snapshot);
    const { labels, spec } = updated ?? pod;
    const requests = updated ? undefined : templateRequests(pod, this.#snapshot);
    const adapted = this.#adapt(spec, this.projectSelector(pod.namespace), requests);
    return adapted === pod.spec ? pod : { ...pod, labels, spec: adapted };
  });

  /** The pod in place of this one, once it is bound to the node. */
  assumedPod(victim: Pod, node: Node): AssumedPod {
    return {
      ...this.of(victim),
      uid: `assumed-${victim.uid}`,
      createdAt: undefined,
      deletedAt: undefined,
      generation: 1,
      nodeName: node.name,
      status: { ...NOT_STARTED, qosClass: victim.status.qosClass },
      replaces: victim,
    };
  }

  /** `openshift.io/node-selector` of the namespace; what cannot be read of it demands nothing. */
  projectSelector(namespace: string): Labels {
    return this.#projectSelectors.get(namespace, () => {
      const object = this.#snapshot.find('Namespace', '', namespace);
      return readPairs(object?.annotations['openshift.io/node-selector'] ?? '');
    });
  }

  #adapt(spec: PodSpec, project: Labels, requests: TemplateRequests | undefined): PodSpec {
    if (!requests && Object.keys(project).length === 0) return spec;
    const known = this.#specs.get(spec) ?? new Memo<PodSpec>();
    this.#specs.set(spec, known);
    return known.get(JSON.stringify([project, requests]), () => adapted(spec, project, requests));
  }
}

const NOT_STARTED: PodStatus = {
  phase: 'Pending',
  reason: '',
  startedAt: undefined,
  qosClass: '',
  nominatedNode: '',
  conditions: [],
  containers: [],
  initContainers: [],
  ephemeralContainers: [],
  requests: undefined,
  allocated: undefined,
  resourceClaims: {},
};

function controllerOf({ owners }: Pod) {
  return owners.find(({ controller }) => controller);
}

const HASH = 'controller-revision-hash';

/**
 * A StatefulSet makes the next pod of an ordinal from its newest template, unless the partition of a rolling update keeps
 * the ordinal back. Undefined where the pod is from that template already, or where nothing says so.
 */
function updatedPod(pod: Pod, snapshot: Snapshot): Pick<Pod, 'labels' | 'spec'> | undefined {
  const update = updateOf(pod, snapshot);
  const ordinal = /-(\d+)$/.exec(pod.name)?.[1];
  if (!update || !isOutdated(pod, update) || ordinal === undefined || Number(ordinal) < update.firstOrdinal)
    return undefined;
  const identity = Object.entries(pod.labels).filter(([key]) => IDENTITY.includes(key));
  return {
    labels: { ...update.labels, ...Object.fromEntries(identity), [HASH]: update.revision },
    spec: updatedSpec(pod, update, snapshot),
  };
}

/** Labels that a StatefulSet gives each of its pods. */
const IDENTITY: readonly string[] = ['statefulset.kubernetes.io/pod-name', 'apps.kubernetes.io/pod-index'];

function updateOf(pod: Pod, snapshot: Snapshot): UpdateTemplate | undefined {
  const owner = controllerOf(pod);
  return owner?.kind === 'StatefulSet' ? snapshot.find('StatefulSet', pod.namespace, owner.name)?.update : undefined;
}

function isOutdated({ labels }: Pod, { revision }: UpdateTemplate): boolean {
  return revision !== '' && labelOf(labels, HASH) !== revision;
}

/** The template with what the StatefulSet and admission add to it. */
function updatedSpec(pod: Pod, { spec, claimVolumes }: UpdateTemplate, snapshot: Snapshot): PodSpec {
  const claims = claimVolumes.map((name) => ({ kind: 'claim', name, claim: `${name}-${pod.name}` }) as const);
  return {
    ...(isSizedByWebhook(pod) ? resized(spec, requestsByName(pod.spec)) : spec),
    priority: spec.priority ?? admittedPriority(spec, pod, snapshot),
    overhead: Object.keys(spec.overhead).length > 0 ? spec.overhead : pod.spec.overhead,
    volumes: [...claims, ...spec.volumes.filter(({ name }) => !claimVolumes.includes(name))],
  };
}

function admittedPriority({ priorityClassName }: PodSpec, pod: Pod, snapshot: Snapshot): number | undefined {
  if (priorityClassName === pod.spec.priorityClassName) return pod.spec.priority;
  return snapshot.find('PriorityClass', '', priorityClassName)?.value;
}

const OWNER_KINDS: readonly OtherKind[] = ['ReplicaSet', 'ReplicationController', 'StatefulSet', 'Job', 'DaemonSet'];

/**
 * The requests that the replacement starts with, if the pod's spec was changed after its creation (generation above
 * 1). A pod that never changed keeps its own: a webhook that raised them at creation will do so again.
 */
function templateRequests(pod: Pod, snapshot: Snapshot): TemplateRequests | undefined {
  if ((pod.generation ?? 1) <= 1 || isSizedByWebhook(pod)) return undefined;
  const update = updateOf(pod, snapshot);
  const owner = controllerOf(pod);
  const kind = OWNER_KINDS.find((name) => name === owner?.kind);
  // An older template than the StatefulSet's newest is not known.
  if (!owner || !kind || (update && isOutdated(pod, update))) return undefined;
  const object = snapshot.find(kind, pod.namespace, owner.name);
  return object && 'templateRequests' in object ? object.templateRequests : undefined;
}

/** The VerticalPodAutoscaler sizes every new pod in its webhook, and has sized this one, at its creation or in place. */
function isSizedByWebhook({ annotations }: Pod): boolean {
  return annotations['vpaUpdates'] !== undefined || annotations['vpaInPlaceUpdated'] !== undefined;
}

function requestsByName({ containers, initContainers, podRequests }: PodSpec): TemplateRequests {
  const all = [...initContainers, ...containers];
  return { containers: Object.fromEntries(all.map(({ name, requests }) => [name, requests])), pod: podRequests };
}

function adapted(spec: PodSpec, project: Labels, requests: TemplateRequests | undefined): PodSpec {
  return {
    ...(requests ? resized(spec, requests) : spec),
    nodeSelector: { ...spec.nodeSelector, ...project },
  };
}

/** With these requests; a container that is not among them, such as one that a webhook adds, keeps its own. */
function resized(spec: PodSpec, { containers, pod }: TemplateRequests): PodSpec {
  const start = (container: Container): Container => ({
    ...container,
    requests: (Object.hasOwn(containers, container.name) && containers[container.name]) || container.requests,
  });
  return {
    ...spec,
    containers: spec.containers.map(start),
    initContainers: spec.initContainers.map(start),
    podRequests: pod ?? spec.podRequests,
  };
}

function readPairs(text: string): Labels {
  try {
    const equalities = parseSelector(text).filter(({ operator, values }) => operator === 'In' && values.length === 1);
    return Object.fromEntries(equalities.map(({ key, values }) => [key, values[0] ?? '']));
  } catch (error) {
    if (error instanceof SelectorSyntaxError) return {};
    throw error;
  }
}
