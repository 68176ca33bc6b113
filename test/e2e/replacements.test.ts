import assert from 'node:assert/strict';
import { Decoder } from '../../src/cluster/decode/decode.ts';
import type { StatefulSet } from '../../src/cluster/objects/kinds.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { requestsOf } from '../../src/cluster/amounts/requests.ts';
import { Snapshot } from '../../src/cluster/snapshot.ts';
import { Replacements } from '../../src/placement/replacement.ts';
import { until, type ApiObject, type ControlPlane } from './control-plane.ts';
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

/** A StatefulSet of which nothing becomes ready, so that its controller does no roll-out of its own. */
function statefulSet(name: string, updateStrategy: ApiObject): ApiObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, namespace: 'default' },
    spec: {
      ...{
        serviceName: '',
        replicas: 2,
        podManagementPolicy: 'Parallel',
        updateStrategy,
        selector: { matchLabels: labels },
      },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'c', image: 'c', resources: { requests: { cpu: '500m' } } }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  };
}

const CHANGED = {
  spec: {
    template: {
      metadata: { labels: { tier: 'new' } },
      spec: {
        nodeSelector: { pool: 'new' },
        priorityClassName: 'system-cluster-critical',
        volumes: [{ name: 'scratch', emptyDir: {} }],
        containers: [{ name: 'c', resources: { requests: { cpu: '2', memory: '1Gi' } } }],
      },
    },
  },
};

const SETS = { controllers: 'statefulset-controller,serviceaccount-controller' };

onControlPlane('replacements of a StatefulSet whose template has changed', SETS, (plane) => {
  for (const [name, updateStrategy, cpu] of [
    ['ondelete', { type: 'OnDelete' }, 2000],
    ['above', { type: 'RollingUpdate', rollingUpdate: { partition: 1 } }, 2000],
    ['below', { type: 'RollingUpdate', rollingUpdate: { partition: 2 } }, 500],
  ] as const) {
    it(`are the pods that were foreseen: ${JSON.stringify(updateStrategy)}`, async () => {
      await plane().create(statefulSet(name, updateStrategy));
      await until('two pods', async () => (await podOf(plane(), `${name}-1`)) !== undefined);
      const victim = await podOf(plane(), `${name}-1`);
      assert(victim);
      const path = `/apis/apps/v1/namespaces/default/statefulsets/${name}`;
      await plane().api('PATCH', path, CHANGED, 'application/strategic-merge-patch+json');
      const seen = async () => setOf((await plane().api('GET', path)).body);
      await until('the new revision', async () => {
        const { update } = await seen();
        return update?.revision !== '' && update?.revision !== victim.labels['controller-revision-hash'];
      });
      const foreseen = foresee(victim, await seen());
      await plane().api('DELETE', `/api/v1/namespaces/default/pods/${victim.name}`);
      await until('a new pod', async () => ((await podOf(plane(), victim.name)) ?? victim).uid !== victim.uid);
      const next = await podOf(plane(), victim.name);
      assert(next);
      assert.equal(requestsOf(next.spec)['cpu'], cpu);
      assert.deepEqual(foreseen.labels, next.labels);
      assert.deepEqual(requestsOf(foreseen.spec), requestsOf(next.spec));
      const decisive = ({ spec }: Pod) => [spec.nodeSelector, spec.volumes, spec.priority];
      assert.deepEqual(decisive(foreseen), decisive(next));
    });
  }
});

function foresee(victim: Pod, set: StatefulSet): Pod {
  const { update } = set;
  assert(update);
  return new Replacements(new Snapshot({ nodes: [], pods: [victim], others: { StatefulSet: [set] } })).of(victim);
}

async function podOf(plane: ControlPlane, name: string): Promise<Pod | undefined> {
  const { status, body } = await plane.api('GET', `/api/v1/namespaces/default/pods/${name}`);
  const pod = status === 200 ? new Decoder().decodeObject(body)?.object : undefined;
  return pod?.kind === 'Pod' ? pod : undefined;
}

function setOf(json: ApiObject): StatefulSet {
  const set = new Decoder().decodeObject(json)?.object;
  assert(set?.kind === 'StatefulSet' && 'update' in set);
  return set;
}
