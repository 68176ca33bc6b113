import https from 'node:https';
import { ControlPlane, type ApiObject } from '../../test/e2e/control-plane.ts';

/** Size of the cluster of a measurement. */
export interface Size {
  readonly nodes: number;
  readonly podsPerNode: number;
}

const MERGE = 'application/merge-patch+json';
const TAINT = 'bench/gone';

/** Node names. */
export function nodeNames({ nodes }: Size): readonly string[] {
  return Array.from({ length: nodes }, (_, i) => `node-${String(i).padStart(3, '0')}`);
}

/** Creates the nodes, ready and with fresh Leases, so that nobody takes them for silent during the measurement. */
export async function createNodes(plane: ControlPlane, size: Size): Promise<void> {
  await each(nodeNames(size), 20, async (name) => {
    const now = new Date().toISOString();
    const capacity = { cpu: '64', memory: '256Gi', pods: '500' };
    await plane.create({
      ...{ apiVersion: 'v1', kind: 'Node', metadata: { name } },
      status: {
        ...{ capacity, allocatable: capacity },
        conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now }],
      },
    });
  });
}

/** Creates the pods; none tolerates the taint of the measurement, and each goes at once when it is deleted. */
export async function createPods(plane: ControlPlane, size: Size): Promise<void> {
  const places = nodeNames(size).flatMap((nodeName) =>
    Array.from({ length: size.podsPerNode }, (_, i) => ({ nodeName, name: `${nodeName}-${i}` })),
  );
  await each(places, 40, async ({ nodeName, name }) => {
    await plane.create({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', labels: { app: nodeName } } },
      spec: { nodeName, terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'example.com/c:1' }] },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
  });
}

/** What was seen of one round. Milliseconds. */
export interface Round {
  readonly deleted: number;
  readonly p50: number;
  readonly p99: number;
  /** From the first taint to the last deletion. */
  readonly total: number;
}

/** Taints all nodes at once and waits until a watch has seen all their pods go. `begin` does what else is to be done then. */
export async function measure(
  plane: ControlPlane,
  size: Size,
  begin: (pods: readonly ApiObject[]) => void = () => undefined,
): Promise<Round> {
  const { body } = await plane.api('GET', '/api/v1/pods');
  const pods = (body['items'] as ApiObject[]).filter((pod) => nodeOf(pod) !== '');
  const left = new Map(pods.map((pod) => [uidOf(pod), nodeOf(pod)]));
  const taintedAt = new Map<string, number>();
  const latencies: number[] = [];
  const version = (body['metadata'] as { resourceVersion: string }).resourceVersion;
  const start = performance.now();
  const gone = watchPods(plane, version, (uid, at) => {
    const node = left.get(uid);
    if (node === undefined) return false;
    left.delete(uid);
    latencies.push(at - (taintedAt.get(node) ?? start));
    return left.size === 0;
  });
  await Promise.all(
    nodeNames(size).map(async (name) => {
      const taints = [{ key: TAINT, effect: 'NoExecute', timeAdded: new Date().toISOString().replace(/\.\d+/, '') }];
      await plane.api('PATCH', `/api/v1/nodes/${name}`, { spec: { taints } }, MERGE);
      taintedAt.set(name, performance.now());
    }),
  );
  begin(pods);
  await gone;
  const total = performance.now() - start;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))] ?? NaN;
  return { deleted: latencies.length, p50: at(0.5), p99: at(0.99), total };
}

/** Takes all taints off. */
export async function untaint(plane: ControlPlane, size: Size): Promise<void> {
  await each(nodeNames(size), 20, async (name) => {
    await plane.api('PATCH', `/api/v1/nodes/${name}`, { spec: { taints: [] } }, MERGE);
  });
}

/** Works through the list with so many at the same time. */
export async function each<T>(list: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const items = list.values();
  const worker = async () => {
    for (const item of items) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Resolves when `onGone` says that all are gone: deleted, or marked as to be deleted. */
async function watchPods(
  plane: ControlPlane,
  from: string,
  onGone: (uid: string, at: number) => boolean,
): Promise<void> {
  // A burst that a watch cannot take ends it; the next one goes on where it was.
  for (let version: string | undefined = from; version !== undefined;) {
    version = await watchFrom(plane, version, onGone);
  }
}

/** Answers with the version to go on from, or undefined when all are gone. */
function watchFrom(
  plane: ControlPlane,
  from: string,
  onGone: (uid: string, at: number) => boolean,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let version = from;
    const url = `${plane.server}/api/v1/pods?watch=1&resourceVersion=${from}`;
    const options = { headers: { authorization: 'Bearer e2e-admin' }, rejectUnauthorized: false };
    const request = https.get(url, options, (response) => {
      let rest = '';
      response.on('data', (chunk: Buffer) => {
        const at = performance.now();
        const lines = (rest + chunk.toString()).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const { type, object } = JSON.parse(line) as { type: string; object: ApiObject };
          const { deletionTimestamp, resourceVersion } = object['metadata'] as Record<string, string>;
          version = resourceVersion ?? version;
          if (type !== 'DELETED' && deletionTimestamp === undefined) continue;
          if (!onGone(uidOf(object), at)) continue;
          resolve(undefined);
          request.destroy();
        }
      });
      response.on('end', () => resolve(version));
    });
    request.on('error', reject);
  });
}

function uidOf(object: ApiObject): string {
  return (object['metadata'] as { uid: string }).uid;
}

function nodeOf(object: ApiObject): string {
  return (object['spec'] as { nodeName?: string }).nodeName ?? '';
}
