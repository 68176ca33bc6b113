import assert from 'node:assert/strict';
import type { EvictionRequest } from '../../src/evictor/reservation.ts';
import { createApiServer } from '../../src/kube/http/api-server.ts';
import { CredentialSource } from '../../src/kube/auth/credentials.ts';
import { createEvict } from '../../src/kube/write/evict.ts';
import { systemClock } from '../../src/lib/clock.ts';
import * as given from '../builders/cluster.ts';
import { requestFor } from '../builders/requests.ts';
import type { ApiObject } from './control-plane.ts';
import { cycle, namespace, node, pod, podsIn, policyOf } from './objects.ts';
import { createServiceAccount, tokenOf } from './service-account.ts';
import { onControlPlane } from './suite.ts';

const NAMESPACE = 'results';
const PATH = `/api/v1/namespaces/${NAMESPACE}/pods`;

onControlPlane('how evictions end', {}, (plane) => {
  before(async () => {
    await plane().create(node('n1', 'a'));
    await plane().create(namespace(NAMESPACE));
  });

  it('a pod that is there is evicted, and so is one that terminates already: once', async () => {
    const made = await plane().create(long('there'));
    assert.deepEqual(await evict(asked(made)), { result: 'evicted' });
    const leaving = await metadataOf('there');
    assert.notEqual(leaving['deletionTimestamp'], undefined);
    assert.deepEqual(await evict(asked(made)), { result: 'evicted' });
    assert.equal((await metadataOf('there'))['deletionTimestamp'], leaving['deletionTimestamp']);
  });

  it('a pod that somebody else has removed is gone', async () => {
    const made = await plane().create(pod('removed', { namespace: NAMESPACE, on: 'n1' }));
    await plane().api('DELETE', `${PATH}/removed`);
    assert.deepEqual(await evict(asked(made)), { result: 'gone', error: 'the pod is gone already' });
  });

  it('another pod under the same name is left alone', async () => {
    const made = await plane().create(pod('again', { namespace: NAMESPACE, on: 'n1' }));
    await plane().api('DELETE', `${PATH}/again`);
    await plane().create(pod('again', { namespace: NAMESPACE, on: 'n1' }));
    assert.deepEqual(await evict(asked(made)), { result: 'gone', error: 'another pod has its name by now' });
    assert.equal((await metadataOf('again'))['deletionTimestamp'], undefined);
  });

  it('a budget without room refuses, two budgets are rejected for good', async () => {
    const made = await plane().create(long('guarded'));
    for (const name of ['one', 'two']) {
      await plane().create(budget(name));
      const { result } = await evict(asked(made));
      assert.equal(result, name === 'one' ? 'refused-by-budget' : 'rejected');
    }
    assert.equal((await metadataOf('guarded'))['deletionTimestamp'], undefined);
  });

  async function evict(request: EvictionRequest) {
    const flags = { kubeconfig: plane().kubeconfig('evict'), context: undefined, env: {} };
    const source = new CredentialSource(flags, systemClock);
    const server = createApiServer(source, { clock: systemClock, userAgent: 'test' });
    try {
      const port = createEvict(server.call, { clock: systemClock, random: () => 0 });
      return await port(request, new AbortController().signal);
    } finally {
      server.close();
    }
  }

  async function metadataOf(name: string): Promise<ApiObject> {
    return (await plane().api('GET', `${PATH}/${name}`)).body['metadata'] as ApiObject;
  }
});

const OVERLOADED = ['--enable-priority-and-fairness=false', '--max-mutating-requests-inflight=4'];

onControlPlane('an API server that takes four writes at a time', { apiServerFlags: OVERLOADED }, (plane) => {
  it('says 429 to most, and every pod of the plan is evicted in the end', async () => {
    for (const name of ['n1', 'n2']) await plane().create(node(name, 'a'));
    await plane().create(namespace(NAMESPACE));
    const names = Array.from({ length: 40 }, (_, i) => `p${String(i).padStart(2, '0')}`);
    for (const name of names) await plane().create(pod(name, { namespace: NAMESPACE, on: 'n1' }));
    const taint = { spec: { taints: [{ key: 'maintenance', effect: 'NoSchedule' }] } };
    await plane().api('PATCH', '/api/v1/nodes/n1', taint, 'application/merge-patch+json');
    // Administrators are never refused for overload.
    await createServiceAccount(plane());
    const account = plane().kubeconfig('account', { token: await tokenOf(plane(), 'evenkeel') });
    const report = await cycle(plane(), policyOf({ RemovePodsViolatingNodeTaints: {} }), '--kubeconfig', account);
    assert.deepEqual(
      report.evictions.map(({ pod: name, result, error }) => [name, result, error]),
      names.map((name) => [name, 'evicted', undefined]),
    );
    assert.deepEqual([report.exitCode, await podsIn(plane(), NAMESPACE)], [0, []]);
    const refused = (await plane().api('GET', '/metrics')).body['text'] as string;
    assert.match(
      refused,
      /^apiserver_request_terminations_total\{[^}]*code="429"[^}]*\} [1-9]/mu,
      'the server was never overloaded',
    );
  });
});

/** A pod that takes its time to end. */
function long(name: string): ApiObject {
  return pod(name, { namespace: NAMESPACE, on: 'n1', owner: 'guarded', spec: { terminationGracePeriodSeconds: 30 } });
}

/** A budget that allows nothing. */
function budget(name: string): ApiObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: NAMESPACE },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
    status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, observedGeneration: 1 },
  };
}

/** The eviction of the pod as the cycle found it. */
function asked({ metadata }: ApiObject): EvictionRequest {
  const { name, uid } = metadata as { name: string; uid: string };
  return requestFor(given.pod(name, given.namespace(NAMESPACE), given.uid(uid), given.on('n1')));
}
