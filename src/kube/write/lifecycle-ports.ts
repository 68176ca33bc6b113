import type { Taint } from '../../cluster/objects/terms.ts';
import { Decoder, type Objects } from '../../cluster/decode/decode.ts';
import type { Node } from '../../cluster/objects/node.ts';
import type { PodRef, ConditionUpdate } from '../../cluster/updates.ts';
import { apiTime } from '../../cluster/updates.ts';
import type { Versioned } from '../../cluster/store.ts';
import type { Reply } from '../../lib/answer.ts';
import type { NodeLifecyclePorts } from '../../node-lifecycle/ports.ts';
import type { Stamp, TaintEvictionPorts } from '../../taint-eviction/ports.ts';
import { send, type ApiRequest, type Call } from '../http/call.ts';
import type { ApiAnswer } from '../http/failure.ts';

/** The ports of both controllers but for the one that takes events. */
export type LifecyclePorts = Omit<NodeLifecyclePorts, 'recordEvent'> & Omit<TaintEvictionPorts, 'recordEvent'>;

const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';

/** Every write carries a precondition: the UID of a pod, the resourceVersion of a node. */
export function lifecyclePorts(call: Call): LifecyclePorts {
  const pod = (request: ApiRequest) => ask(call, request, 'Pod');
  const node = (request: ApiRequest) => askVersioned(call, request);
  return {
    getPod: (namespace, name) => pod({ method: 'GET', path: podPath({ namespace, name }) }),
    getNode: (name) => node({ method: 'GET', path: nodePath(name) }),
    getLease: (name) => ask(call, { method: 'GET', path: leasePath(name) }, 'Lease'),
    patchPodStatus: ({ pod: { namespace, name, uid }, condition }) =>
      pod({
        method: 'PATCH',
        path: `${podPath({ namespace, name })}/status`,
        contentType: STRATEGIC,
        body: { metadata: { uid }, status: { conditions: [written(condition)] } },
      }),
    deletePod: ({ namespace, name, uid }) =>
      done(call, {
        method: 'DELETE',
        path: podPath({ namespace, name }),
        body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } },
      }),
    evictPod: (it) => done(call, evictionOf(it)),
    stampTaints: ({ node: { name, uid }, stamps }) =>
      done(call, {
        method: 'PATCH',
        path: nodePath(name),
        contentType: JSON_PATCH,
        body: stampPatch(uid, stamps),
      }),
    patchNode: ({ node: { name, uid }, resourceVersion, change: { taints, labels } }) =>
      node({
        method: 'PATCH',
        path: nodePath(name),
        contentType: MERGE,
        body: {
          metadata: { uid, resourceVersion, ...(labels && { labels }) },
          ...(taints && { spec: { taints: taints.map(writtenTaint) } }),
        },
      }),
    patchNodeStatus: ({ node: { name, uid }, resourceVersion, conditions }) =>
      node({
        method: 'PATCH',
        path: `${nodePath(name)}/status`,
        contentType: STRATEGIC,
        body: { metadata: { uid, resourceVersion }, status: { conditions: conditions.map(written) } },
      }),
  };
}

function podPath({ namespace, name }: Pick<PodRef, 'namespace' | 'name'>): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
}

function nodePath(name: string): string {
  return `/api/v1/nodes/${encodeURIComponent(name)}`;
}

function leasePath(name: string): string {
  return `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${encodeURIComponent(name)}`;
}

function evictionOf({ namespace, name, uid }: PodRef): ApiRequest {
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions: { preconditions: { uid } },
  };
  return { method: 'POST', path: `${podPath({ namespace, name })}/eviction`, body };
}

/** Tests that each taint still stands at its place in the node that was considered; one that does not fails the whole. */
function stampPatch(uid: string, stamps: readonly Stamp[]): readonly object[] {
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    ...stamps.flatMap(({ index, taint, timeAdded }) => [
      { op: 'test', path: `/spec/taints/${index}/key`, value: taint.key },
      { op: 'test', path: `/spec/taints/${index}/effect`, value: taint.effect },
      { op: 'add', path: `/spec/taints/${index}/timeAdded`, value: timeAdded },
    ]),
  ];
}

function writtenTaint({ key, value, effect, timeAdded }: Taint): object {
  return { key, effect, ...(value !== '' && { value }), ...(timeAdded !== undefined && { timeAdded }) };
}

function written({ transitionAt, heartbeatAt, ...condition }: ConditionUpdate): object {
  return {
    ...condition,
    lastTransitionTime: apiTime(transitionAt),
    ...(heartbeatAt !== undefined && { lastHeartbeatTime: apiTime(heartbeatAt) }),
  };
}

/**
 * Makes a call about one object. A 404 that names none comes from a path that nobody serves, such as a proxy's, and says nothing of
 * the object: it is there until a server of the API says otherwise.
 */
async function sendTo(call: Call, request: ApiRequest): Promise<ApiAnswer<Buffer>> {
  const answer = await send(call, request);
  if (answer.ok || answer.failure.kind !== 'not-found' || answer.failure.objectName !== undefined) return answer;
  const message = `${request.method} ${request.path} is not served at this address: ${answer.failure.message}`;
  return { ok: false, failure: { ...answer.failure, kind: 'transient', message } };
}

async function done(call: Call, request: ApiRequest): Reply<undefined> {
  const answer = await sendTo(call, request);
  return answer.ok ? { ok: true, value: undefined } : answer;
}

async function ask<K extends 'Pod' | 'Lease'>(call: Call, request: ApiRequest, kind: K): Reply<Objects[K]> {
  const answer = await sendTo(call, request);
  if (!answer.ok) return answer;
  const object = decode(answer.value, kind)?.object;
  return object?.kind === kind ? { ok: true, value: object as Objects[K] } : unreadable(kind);
}

async function askVersioned(call: Call, request: ApiRequest): Reply<Versioned<Node>> {
  const answer = await sendTo(call, request);
  if (!answer.ok) return answer;
  const decoded = decode(answer.value, 'Node');
  if (decoded?.object.kind !== 'Node') return unreadable('Node');
  return { ok: true, value: { object: decoded.object, resourceVersion: decoded.resourceVersion } };
}

function decode(bytes: Buffer, kind: 'Pod' | 'Node' | 'Lease') {
  try {
    return new Decoder().decodeObject(JSON.parse(bytes.toString('utf8')), kind);
  } catch {
    return undefined;
  }
}

function unreadable(kind: string): Awaited<Reply<never>> {
  return { ok: false, failure: { kind: 'transient', message: `the answer is not a ${kind}`, retryAfterMs: undefined } };
}
