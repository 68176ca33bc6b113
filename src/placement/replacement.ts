import type { Container, Pod, PodSpec } from '../cluster/pod.ts';
import type { OtherKind } from '../cluster/kinds.ts';
import type { Resources } from '../cluster/resources.ts';
import { SelectorSyntaxError } from '../cluster/selector-tokens.ts';
import { parseSelector, type Labels } from '../cluster/selectors.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import { Memo } from './memo.ts';

/**
 * Specs of the pods that would replace evicted ones: the victim's own, but with the requests of the owner's template
 * where they were changed in place (scheduler.md 4.1), and with the node selector of its OpenShift project, which
 * admission adds to every new pod.
 */
export class Replacements {
  readonly #snapshot: Snapshot;
  readonly #projectSelectors = new Memo<Labels>();
  readonly #specs = new WeakMap<PodSpec, Map<string, PodSpec>>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** Equal questions get one and the same object. */
  specOf(pod: Pod): PodSpec {
    const project = this.projectSelector(pod.namespace);
    const template = resizedTemplate(pod, this.#snapshot);
    if (!template && Object.keys(project).length === 0) return pod.spec;
    const known = this.#specs.get(pod.spec) ?? new Map<string, PodSpec>();
    this.#specs.set(pod.spec, known);
    const key = JSON.stringify([project, template]);
    const spec = known.get(key) ?? adapt(pod.spec, project, template);
    known.set(key, spec);
    return spec;
  }

  /** `openshift.io/node-selector` of the namespace; what cannot be read of it demands nothing. */
  projectSelector(namespace: string): Labels {
    return this.#projectSelectors.get(namespace, () => {
      const object = this.#snapshot.find('Namespace', '', namespace);
      return readPairs(object?.annotations['openshift.io/node-selector'] ?? '');
    });
  }
}

type Template = Readonly<Record<string, Resources>>;

const OWNER_KINDS: readonly OtherKind[] = ['ReplicaSet', 'ReplicationController', 'StatefulSet', 'Job', 'DaemonSet'];

/**
 * The requests that the replacement starts with, if the pod's spec was changed after its creation (generation above
 * 1). A pod that never changed keeps its own: a webhook that raised them at creation will do so again.
 */
function resizedTemplate(pod: Pod, snapshot: Snapshot): Template | undefined {
  if ((pod.generation ?? 1) <= 1) return undefined;
  const owner = pod.owners.find(({ controller }) => controller);
  const kind = OWNER_KINDS.find((name) => name === owner?.kind);
  if (!owner || !kind) return undefined;
  const object = snapshot.find(kind, pod.namespace, owner.name);
  return object && 'templateRequests' in object ? object.templateRequests : undefined;
}

function adapt(spec: PodSpec, project: Labels, template: Template | undefined): PodSpec {
  const start = (container: Container): Container => ({
    ...container,
    requests: template?.[container.name] ?? container.requests,
  });
  return {
    ...spec,
    nodeSelector: { ...spec.nodeSelector, ...project },
    containers: spec.containers.map(start),
    initContainers: spec.initContainers.map(start),
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
