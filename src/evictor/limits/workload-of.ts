import type { Workload } from '../../cluster/objects/kinds.ts';
import { controllerOf, type Owner, type Pod } from '../../cluster/objects/pod.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';

/** What limits call the owner of a pod. It is known by name, since it outlives the objects that stand for it. */
export interface LimitedOwner {
  readonly namespace: string;
  /** `Deployment/web`, as the history keeps it. */
  readonly name: string;
}

/** The label by which a Deployment tells its ReplicaSets apart; their names end with it. */
const TEMPLATE_HASH = 'pod-template-hash';

/** Kinds that are made and replaced by something that stands above them: it is the owner then. */
const STEPS = ['ReplicaSet', 'ReplicationController', 'Job'] as const;

/**
 * The owner that limits count a pod under: its controller, and of a ReplicaSet the Deployment, of a Job the CronJob, of a
 * ReplicationController whatever controls it. One step at most, so that owners in a circle do no harm and an operator
 * that controls many workloads does not make them one. A pod without an owner is its own.
 */
export function limitedOwner(pod: Pod, snapshot: Snapshot): LimitedOwner {
  const { namespace } = pod;
  const controller = controllerOf(pod);
  if (!controller) return { namespace, name: `Pod/${pod.name}` };
  const above = ownerAbove(controller, pod, snapshot) ?? controller;
  return { namespace, name: `${above.kind}/${above.name}` };
}

function ownerAbove(owner: Owner, pod: Pod, snapshot: Snapshot): Pick<Owner, 'kind' | 'name'> | undefined {
  const kind = STEPS.find((step) => step === owner.kind);
  if (kind === undefined) return undefined;
  const found: Workload | undefined = snapshot.find(kind, pod.namespace, owner.name);
  return found ? found.owners.find(({ controller }) => controller) : deploymentByHash(owner, pod);
}

/** Without the ReplicaSet itself: a Deployment labels its pods with the hash that it appends to the ReplicaSet's name. */
function deploymentByHash({ kind, name }: Owner, { labels }: Pod): Pick<Owner, 'kind' | 'name'> | undefined {
  const hash = labels[TEMPLATE_HASH];
  if (kind !== 'ReplicaSet' || !hash || !name.endsWith(`-${hash}`)) return undefined;
  const deployment = name.slice(0, -hash.length - 1);
  return deployment === '' ? undefined : { kind: 'Deployment', name: deployment };
}
