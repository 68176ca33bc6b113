import assert from 'node:assert/strict';
import { collection } from './control-plane.ts';
import { cycle, namespace, node, pod, podsIn, policyOf } from './objects.ts';
import { createServiceAccount, EVENKEEL, manifestObjects, rightsOf, tokenOf } from './service-account.ts';
import { onControlPlane } from './suite.ts';

const LISTED = [
  ...[
    'nodes',
    'pods',
    'namespaces',
    'services',
    'replicationcontrollers',
    'persistentvolumes',
    'persistentvolumeclaims',
  ],
  ...['replicasets.apps', 'statefulsets.apps', 'jobs.batch', 'poddisruptionbudgets.policy'],
  ...['priorityclasses.scheduling.k8s.io', 'resourceclaims.resource.k8s.io', 'storageclasses.storage.k8s.io'],
  ...['csinodes', 'csidrivers', 'csistoragecapacities', 'volumeattachments'].map((name) => `${name}.storage.k8s.io`),
];
const TAINTED = { spec: { taints: [{ key: 'maintenance', effect: 'NoSchedule' }] } };
const policy = policyOf({ RemovePodsViolatingNodeTaints: {} });

onControlPlane('the service account of the manifests', {}, (plane) => {
  let kubeconfig = '';
  before(async () => {
    await createServiceAccount(plane());
    kubeconfig = plane().kubeconfig('evenkeel', { token: await tokenOf(plane(), 'evenkeel') });
    for (const name of ['n1', 'n2']) await plane().create(node(name, 'a'));
    await plane().create(namespace('shop'));
  });

  it('can do its work: list, evict, write events', async () => {
    for (const name of ['a', 'b']) await plane().create(pod(name, { namespace: 'shop', on: 'n1' }));
    await plane().api('PATCH', '/api/v1/nodes/n1', TAINTED, 'application/merge-patch+json');
    const { exitCode, evictions, warnings } = await cycle(plane(), policy, '--kubeconfig', kubeconfig);
    assert.deepEqual(
      evictions.map(({ pod: name, result }) => [name, result]),
      [
        ['a', 'evicted'],
        ['b', 'evicted'],
      ],
    );
    assert.deepEqual([exitCode, warnings, await podsIn(plane(), 'shop')], [0, [], []]);
    const { body } = await plane().api('GET', '/apis/events.k8s.io/v1/namespaces/shop/events');
    assert.equal((body['items'] as unknown[]).length, 2);
  });

  it('can do nothing more in the cluster', async () => {
    const rights = await beyondOthers('shop');
    assert.deepEqual(
      [...rights].sort(),
      [
        ...LISTED.flatMap((resource) => [`list ${resource}`, `watch ${resource}`]),
        'create pods/eviction',
        'create events.events.k8s.io',
      ].sort(),
    );
  });

  it('can create Leases and ConfigMaps in kube-system, and no Secret is open to it anywhere', async () => {
    const inShop = await beyondOthers('shop');
    const rights = [...(await beyondOthers('kube-system'))].filter((right) => !inShop.has(right));
    assert.deepEqual(rights.sort(), ['create configmaps', 'create leases.coordination.k8s.io']);
  });

  it('without the right to evict, nothing goes and the report says which right is missing', async () => {
    await bind(plane(), 'reader', ['list'], []);
    await plane().create(pod('c', { namespace: 'shop', on: 'n1' }));
    const reader = plane().kubeconfig('reader', { token: await tokenOf(plane(), 'reader') });
    const { exitCode, evictions } = await cycle(plane(), policy, '--kubeconfig', reader);
    assert.equal(exitCode, 1);
    assert.match(
      evictions[0]?.error ?? '',
      /^not allowed; the service account needs create on pods\/eviction: pods "c" is forbidden/,
    );
    assert.deepEqual(await podsIn(plane(), 'shop'), ['c']);
  });

  it('without the right to read budgets, a 429 is respected and reported, exit code 0', async () => {
    await bind(plane(), 'blind', ['list'], ['pods/eviction']);
    await plane().create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'all', namespace: 'shop' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'c' } } },
      status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    });
    const blind = plane().kubeconfig('blind', { token: await tokenOf(plane(), 'blind') });
    const { exitCode, evictions, warnings } = await cycle(plane(), policy, '--kubeconfig', blind);
    assert.deepEqual(
      evictions.map(({ pod: name, result, error }) => [name, result, error]),
      [['c', 'failed', "Cannot evict pod as it would violate the pod's disruption budget."]],
    );
    assert.ok(warnings.includes('PodDisruptionBudget may not be listed: rules that read it are skipped'));
    assert.deepEqual([exitCode, await podsIn(plane(), 'shop')], [0, ['c']]);
  });

  it('with it, the same is foreseen and nobody is asked', async () => {
    const { exitCode, evictions, refusals } = await cycle(plane(), policy, '--kubeconfig', kubeconfig);
    assert.deepEqual(
      [exitCode, evictions, refusals.map(({ pod: name, refusedBy }) => [name, refusedBy])],
      [0, [], [['c', 'PodDisruptionBudget']]],
    );
  });

  it('without the right to list pods, the message says what to grant', async () => {
    await plane().create({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'nobody', namespace: 'kube-system' },
    });
    const nobody = plane().kubeconfig('nobody', { token: await tokenOf(plane(), 'nobody') });
    await assert.rejects(
      cycle(plane(), policy, '--kubeconfig', nobody),
      /exit code 1: error: cannot list (nodes|pods): .* is forbidden: .*\. Grant list and watch on it: manifests\/base\/rbac\.yaml has all/,
    );
  });

  for (const { folder, object } of manifestObjects()) {
    const kind = object['kind'] as string;
    it(`manifests/${folder}: ${kind} passes a dry run on the server`, async () => {
      const { name } = object['metadata'] as { name: string };
      const path = `${collection(object)}/${name}?dryRun=All&fieldManager=e2e&fieldValidation=Strict&force=true`;
      const { status, body } = await plane().api('PATCH', path, object, 'application/apply-patch+yaml');
      assert.ok(status < 300, JSON.stringify(body));
    });
  }

  /** What the account may do that an account without any binding may not. */
  async function beyondOthers(name: string): Promise<ReadonlySet<string>> {
    const [ours, others] = await Promise.all(
      [EVENKEEL, 'system:serviceaccount:kube-system:unbound'].map((user) => rightsOf(plane(), user, name)),
    );
    return new Set([...(ours ?? [])].filter((right) => !others?.has(right)));
  }
});

/** A service account that may list nodes and pods, and create these subresources. */
async function bind(
  plane: Parameters<typeof tokenOf>[0],
  name: string,
  verbs: string[],
  create: string[],
): Promise<void> {
  const metadata = { name };
  await plane.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'kube-system' } });
  await plane.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata,
    rules: [
      { apiGroups: [''], resources: ['nodes', 'pods'], verbs },
      ...(create.length > 0 ? [{ apiGroups: [''], resources: create, verbs: ['create'] }] : []),
    ],
  });
  await plane.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: 'kube-system' }],
  });
}
