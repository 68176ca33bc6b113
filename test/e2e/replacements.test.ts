import assert from 'node:assert/strict';
import { until, type ApiObject } from './control-plane.ts';
import { FakePods } from './fake-pods.ts';
import { cycle, namespace, node, policyOf } from './objects.ts';
import { onControlPlane } from './suite.ts';

const TAINTED = { spec: { taints: [{ key: 'maintenance', effect: 'NoSchedule' }] } };
const CONTROL = {
  scheduler: true,
  controllers: 'replicaset-controller,disruption-controller,serviceaccount-controller',
};

/** A workload of four replicas, of which a budget lets one go at a time. */
const WEB: readonly ApiObject[] = [
  namespace('shop'),
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'c', image: 'c', resources: { requests: { cpu: '500m' } } }],
        },
      },
    },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
  },
];

onControlPlane('replacements of a ReplicaSet, placed by the scheduler', CONTROL, (plane) => {
  let kubelets: FakePods;
  before(async () => {
    for (const [name, zone] of [
      ['n1', 'a'],
      ['n2', 'b'],
      ['n3', 'b'],
    ] as const)
      await plane().create(node(name, zone));
    kubelets = new FakePods(plane());
    kubelets.start();
    for (const object of WEB) await plane().create(object);
    await until(
      'four running pods and their budget',
      async () => (await placed()).length === 4 && (await allowed()) === 1,
    );
  });
  after(() => kubelets.stop());

  it('cycle after cycle the tainted node is left, one pod at a time, and nothing goes back', async () => {
    const pods = await placed();
    const countOn = (name: string) => pods.filter((pod) => pod.on === name).length;
    const on = ['n1', 'n2', 'n3'].find((name) => countOn(name) > 1) ?? '';
    const there = countOn(on);
    assert.ok(there > 1, 'four pods on three nodes');
    await plane().api('PATCH', `/api/v1/nodes/${on}`, TAINTED, 'application/merge-patch+json');
    const policy = policyOf({ RemovePodsViolatingNodeTaints: {} });
    for (let left = there; left > 0; left--) {
      const { evictions, refusals, exitCode } = await cycle(plane(), policy);
      assert.deepEqual(
        [evictions.map(({ result }) => result), refusals.map(({ refusedBy }) => refusedBy), exitCode],
        [['evicted'], Array.from({ length: left - 1 }, () => 'PodDisruptionBudget'), 0],
      );
      await until('a replacement elsewhere', async () => {
        const now = await placed();
        return now.length === 4 && now.filter((pod) => pod.on === on).length === left - 1 && (await allowed()) === 1;
      });
    }
    const after = await cycle(plane(), policy);
    assert.deepEqual([after.evictions, after.refusals], [[], []]);
  });

  /** The running pods, and where they are. */
  async function placed(): Promise<readonly { readonly name: string; readonly on: string }[]> {
    const { body } = await plane().api('GET', '/api/v1/namespaces/shop/pods');
    const items = body['items'] as {
      metadata: { name: string; deletionTimestamp?: string };
      spec: { nodeName?: string };
      status: { phase: string };
    }[];
    return items
      .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status.phase === 'Running')
      .map(({ metadata, spec }) => ({ name: metadata.name, on: spec.nodeName ?? '' }));
  }

  /** Disruptions that the controller allows, once it has seen the budget. */
  async function allowed(): Promise<number | undefined> {
    const { body } = await plane().api('GET', '/apis/policy/v1/namespaces/shop/poddisruptionbudgets/web');
    return (body['status'] as { disruptionsAllowed?: number }).disruptionsAllowed;
  }
});
