import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { collection, type ApiObject, type ControlPlane } from '../../test/e2e/control-plane.ts';

const MERGE = 'application/merge-patch+json';
const WITH_STATUS = new Set(['Node', 'Pod', 'PodDisruptionBudget']);
const OWNERS = new Set(['ReplicaSet', 'StatefulSet', 'DaemonSet']);

/** Loads a cluster, an object a line, into an API server: owners before pods, which get their new UIDs. */
export async function load(plane: ControlPlane, file: string): Promise<void> {
  const uids = new Map<string, string>();
  const batch: ApiObject[] = [];
  const flush = async (): Promise<void> => {
    const objects = batch.splice(0);
    await Promise.all(objects.map((object) => create(plane, object, uids)));
  };
  let isOfPods = false;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const text = line.replace(/,$/, '');
    if (!text.startsWith('{"apiVersion"') || text.startsWith('{"apiVersion":"v1","kind":"List"')) continue;
    const object = JSON.parse(text) as ApiObject;
    // What comes before the pods of a workload must be there first.
    const isPod = object['kind'] === 'Pod';
    if (isPod !== isOfPods || batch.length >= 64) await flush();
    isOfPods = isPod;
    batch.push(object);
  }
  await flush();
}

async function create(plane: ControlPlane, object: ApiObject, uids: Map<string, string>): Promise<void> {
  const { kind, metadata, status, ...rest } = object as { kind: string; metadata: Metadata; status?: object };
  const { name, namespace, labels, annotations, ownerReferences = [] } = metadata;
  const owners = ownerReferences.map((owner) => ({
    ...owner,
    uid: uids.get(`${owner.kind}/${namespace ?? ''}/${owner.name}`) ?? owner.uid,
  }));
  const made = { ...rest, kind, metadata: { name, namespace, labels, annotations, ownerReferences: owners } };
  const path = collection(made);
  const { status: code, body } = await plane.api('POST', path, made);
  if (code >= 300 && code !== 409) throw new Error(`${path} ${name}: ${code} ${JSON.stringify(body)}`);
  if (OWNERS.has(kind)) uids.set(`${kind}/${namespace ?? ''}/${name}`, (body['metadata'] as { uid: string }).uid);
  if (status && WITH_STATUS.has(kind)) await plane.api('PATCH', `${path}/${name}/status`, { status }, MERGE);
}

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: object;
  readonly annotations?: object;
  readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly uid: string }[];
}
