import type { ApiObject, ControlPlane } from '../../test/e2e/control-plane.ts';

const MERGE = 'application/merge-patch+json';
const BUDGETS = '/apis/policy/v1/poddisruptionbudgets';

/** A control plane's pods and budgets as they are now; the answer puts evicted pods back and budgets as they were. */
export async function remember(plane: ControlPlane): Promise<() => Promise<void>> {
  const pods = await itemsOf(plane, '/api/v1/pods');
  const budgets = await itemsOf(plane, BUDGETS);
  const byName = new Map(pods.map((pod) => [pathOf(pod), pod]));
  return async () => {
    const here = await itemsOf(plane, '/api/v1/pods');
    const leaving = here.filter(({ metadata }) => (metadata as Metadata).deletionTimestamp !== undefined);
    await inBatches(leaving, (pod) => plane.api('DELETE', pathOf(pod), { gracePeriodSeconds: 0 }));
    const left = new Set(here.filter((pod) => !leaving.includes(pod)).map(pathOf));
    const missing = [...byName].filter(([path]) => !left.has(path)).map(([, pod]) => pod);
    await inBatches(missing, (pod) => plane.create(anew(pod)));
    await inBatches(budgets, (budget) => {
      const { metadata, status } = budget as { metadata: Metadata; status: object };
      const path = `/apis/policy/v1/namespaces/${metadata.namespace}/poddisruptionbudgets/${metadata.name}/status`;
      return plane.api('PATCH', path, { status: { ...status, disruptedPods: null } }, MERGE);
    });
  };
}

interface Metadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels?: object;
  readonly ownerReferences?: readonly object[];
  readonly deletionTimestamp?: string;
}

function anew({ spec, status, metadata }: ApiObject): ApiObject {
  const { name, namespace, labels, ownerReferences } = metadata as Metadata;
  const kept = { name, namespace, ...(labels && { labels }), ...(ownerReferences && { ownerReferences }) };
  return { apiVersion: 'v1', kind: 'Pod', metadata: kept, spec: spec as object, status: status as object };
}

function pathOf({ metadata }: ApiObject): string {
  const { namespace, name } = metadata as Metadata;
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

async function itemsOf(plane: ControlPlane, path: string): Promise<readonly ApiObject[]> {
  return (await plane.api('GET', path)).body['items'] as readonly ApiObject[];
}

async function inBatches<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += 32) await Promise.all(items.slice(start, start + 32).map(run));
}
