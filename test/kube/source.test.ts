import assert from 'node:assert/strict';
import { freshCluster, readCluster, type ReadOptions } from '../../src/kube/watch/source.ts';
import { converse, HastyClock, page, status, type Reply } from './conversation.ts';

const node = { metadata: { name: 'n1' }, status: {} };
const pod = { metadata: { name: 'p', namespace: 'd' }, spec: { nodeName: 'n1', containers: [{ name: 'c' }] } };
const required = { '/api/v1/pods': [page([pod])], '/api/v1/nodes': [page([node])] };
const METRICS = '/apis/metrics.k8s.io/v1beta1';

describe('reading a cluster', () => {
  it('lists every kind once, metrics only if they are wanted', async () => {
    assert.deepEqual((await read(required)).heard, KINDS);
    assert.deepEqual(
      (await read(required, { metrics: true })).heard,
      [...KINDS, `${METRICS}/nodes`, `${METRICS}/pods`].sort(),
    );
  });

  it('a kind that may not be listed or does not exist is unknown, not empty', async () => {
    const { cluster } = await read({
      ...required,
      '/api/v1/services': [status(403, 'services is forbidden')],
      '/apis/policy/v1/poddisruptionbudgets': [page([])],
      '/api/v1/namespaces': [page([{ metadata: { name: 'd' } }])],
    });
    assert.ok(cluster);
    const { others, nodes, pods } = cluster.contents;
    assert.deepEqual([nodes.map(({ name }) => name), pods.map(({ name }) => name)], [['n1'], ['p']]);
    assert.deepEqual(Object.keys(others).sort(), ['Namespace', 'PodDisruptionBudget']);
    assert.equal(others.PodDisruptionBudget?.length, 0);
    assert.equal(cluster.warnings.length, 14);
    assert.ok(cluster.warnings.includes('Service may not be listed: rules that read it are skipped'));
    assert.ok(cluster.warnings.includes('StorageClass does not exist on this server: rules that read it are skipped'));
  });

  const failures: readonly (readonly [string, Readonly<Record<string, readonly Reply[]>>, RegExp])[] = [
    [
      'nodes that may not be listed',
      { ...required, '/api/v1/nodes': [status(403, 'nodes is forbidden: User "u" cannot list')] },
      /^cannot list nodes: nodes is forbidden: User "u" cannot list\. Grant list and watch on it: manifests\/base\/rbac\.yaml has all that is needed$/,
    ],
    [
      'pods that do not exist: another kind of server',
      { '/api/v1/nodes': [page([])] },
      /^cannot list pods: the server could not find .*\. http:\S+ does not look like a Kubernetes API server: check the address/,
    ],
    [
      'credentials that are not accepted',
      { '/api/v1/pods': [status(401, 'Unauthorized'), status(401, 'Unauthorized')], '/api/v1/nodes': [page([])] },
      /^cannot list pods: Unauthorized\. http:\S+ does not accept these credentials: renew the token or log in again$/,
    ],
    [
      'another kind that the server keeps failing at',
      { ...required, '/api/v1/services': Array.from({ length: 40 }, () => status(500, 'etcd')) },
      /^cannot list services: etcd\. Check the address, and that http:\S+ can be reached and is healthy$/,
    ],
  ];
  for (const [row, script, message] of failures) {
    it(`${row}: nothing is decided`, async () => {
      const { error } = await read(script);
      assert.ok(error);
      assert.equal(error.name, 'ClusterError');
      assert.match(error.message, message);
    });
  }

  it('a signal ends it', async () => {
    const { error } = await read(required, { signal: AbortSignal.abort() });
    assert.equal(error?.message, 'ended by a signal while the cluster was read');
  });

  it('tells how far it is', async () => {
    const told: unknown[] = [];
    const script = {
      '/api/v1/pods': [page([pod], { continue: 'x', remainingItemCount: 1 }), page([{ metadata: { name: 'q' } }])],
      '/api/v1/nodes': [page([node])],
    };
    await read(script, { onProgress: (...progress) => void told.push(progress) });
    assert.deepEqual(
      told.filter((progress) => (progress as string[])[0] === 'Pod'),
      [
        ['Pod', 1, 1],
        ['Pod', 2, undefined],
      ],
    );
  });

  it('is a source for cycles, under the time at which the reading began', async () => {
    const clock = new HastyClock();
    const { result } = await converse(required, async (server, { url }) => {
      const view = await freshCluster(server, () => ({ clock }))(new AbortController().signal);
      return { url, view };
    });
    assert.deepEqual(result.view.source, {
      kind: 'cluster',
      name: result.url,
      now: '2026-01-15T09:00:00.000Z',
      nowFrom: 'clock',
    });
    assert.equal(result.view.snapshot.pods.length, 1);
  });
});

const KINDS = [
  '/api/v1/namespaces',
  '/api/v1/nodes',
  '/api/v1/persistentvolumeclaims',
  '/api/v1/persistentvolumes',
  '/api/v1/pods',
  '/api/v1/replicationcontrollers',
  '/api/v1/services',
  '/apis/apps/v1/replicasets',
  '/apis/apps/v1/statefulsets',
  '/apis/batch/v1/jobs',
  '/apis/policy/v1/poddisruptionbudgets',
  '/apis/resource.k8s.io/v1/resourceclaims',
  '/apis/scheduling.k8s.io/v1/priorityclasses',
  '/apis/storage.k8s.io/v1/csidrivers',
  '/apis/storage.k8s.io/v1/csinodes',
  '/apis/storage.k8s.io/v1/csistoragecapacities',
  '/apis/storage.k8s.io/v1/storageclasses',
  '/apis/storage.k8s.io/v1/volumeattachments',
];

async function read(script: Readonly<Record<string, readonly Reply[]>>, options: Partial<ReadOptions> = {}) {
  const { result, heard } = await converse(script, (server) =>
    readCluster(server, { clock: new HastyClock(), ...options }).then(
      (cluster) => ({ cluster, error: undefined }),
      (error: unknown) => ({ cluster: undefined, error: error as Error }),
    ),
  );
  return { ...result, heard: heard.map(({ path }) => path.replace('?limit=500', '')).sort() };
}
