import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import type { HistoryEvent } from '../../src/evictor/limits/history.ts';
import { createApiServer } from '../../src/kube/http/api-server.ts';
import { CredentialSource } from '../../src/kube/auth/credentials.ts';
import { configMapHistory } from '../../src/kube/write/history-config-map.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { suiteNeeding } from '../suites.ts';
import { END_TO_END } from './suite.ts';
import { ControlPlane, until, type ApiObject } from './control-plane.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PLACE = { namespace: 'kube-system', name: 'evenkeel-history' };
const CONFIG_MAP = `/api/v1/namespaces/${PLACE.namespace}/configmaps/${PLACE.name}`;

/** The strategy wants every pod gone; an owner may lose one in an hour. */
const POLICY = {
  apiVersion: 'descheduler/v1alpha2',
  kind: 'DeschedulerPolicy',
  evictionWindows: [{ per: 'owner', max: 1, window: '1h' }],
  history: { configMap: PLACE },
  profiles: [
    {
      name: 'main',
      pluginConfig: [{ name: 'PodLifeTime', args: { maxPodLifeTimeSeconds: 0 } }],
      plugins: { deschedule: { enabled: ['PodLifeTime'] } },
    },
  ],
};

suiteNeeding(END_TO_END, 'limits with a memory on a real control plane', function () {
  this.timeout(120_000);
  let plane: ControlPlane;
  let policyFile = '';

  before(async () => {
    plane = await ControlPlane.start();
    policyFile = join(plane.folder, 'policy.json');
    writeFileSync(policyFile, JSON.stringify(POLICY));
    for (const name of ['n1', 'n2']) await plane.create(node(name));
    const web = await plane.create(replicaSet('web-5d', [{ ...controller, kind: 'Deployment', name: 'web' }]));
    const next = await plane.create(replicaSet('web-6e', [{ ...controller, kind: 'Deployment', name: 'web' }]));
    for (const [i, owner] of [web, web, next, next].entries()) await plane.create(pod(`web-${i}`, owner));
    const made = Date.now();
    await until('pods a whole second old', () => Promise.resolve(Date.now() > made + 2_000));
  });

  beforeEach(() => plane.api('DELETE', CONFIG_MAP));
  after(() => plane.stop());

  it('hold for a CronJob: the second process knows what the first has done, and so does a dry run', async () => {
    const first = await descheduler(plane, policyFile);
    const left = await plane.api('GET', CONFIG_MAP);
    const plan = await descheduler(plane, policyFile, '--dry-run');
    const second = await descheduler(plane, policyFile);
    assert.deepEqual(
      [first, plan, second].map(({ evictions, refusals }) => [evictions.length, refusals.map(refusedBy)]),
      [
        [1, ['evictionWindows']],
        [0, ['evictionWindows']],
        [0, ['evictionWindows']],
      ],
    );
    assert.match(
      String(second.refusals[0]?.['reason']),
      /^is kept because Deployment default\/web lost 1 pod within 1h/u,
    );
    const history = JSON.parse((left.body['data'] as Record<string, string>)['history.json'] ?? '') as ApiObject;
    const [entry] = history['evictions'] as readonly string[][];
    assert.deepEqual(entry?.slice(1, 4), ['default', 'Deployment/web', 'n1']);
    assert.ok(Math.abs(Date.parse(entry[0] ?? '') - Date.now()) < 60_000, 'the time of its end');
    assert.equal(versionOf(await plane.api('GET', CONFIG_MAP)), versionOf(left));
  });

  it('are written by many at once, and nothing is lost', async () => {
    const server = connect(plane.kubeconfig('writers'));
    const now = Date.now();
    const writer = async (name: string) => {
      const history = configMapHistory(server.call, { ...PLACE, clock: systemClock, random: Math.random });
      for (const i of [1, 2, 3])
        assert.deepEqual(await history.save(change(`${name}${i}`, now)), { ok: true, value: [] });
    };
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(writer));
    const loaded = await configMapHistory(server.call, { ...PLACE, clock: systemClock, random: Math.random }).load();
    server.close();
    const ids = loaded.ok ? loaded.value.state.evictions.map(({ id }) => id) : [];
    assert.deepEqual(
      ids,
      ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name) => [1, 2, 3].map((i) => `${name}${i}`)),
    );
  });

  it('need the Role of docs/limits.md, no less and no more', async () => {
    const server = connect(plane.kubeconfig('account', { token: await tokenOf(plane, 'evenkeel') }));
    const history = configMapHistory(server.call, { ...PLACE, clock: systemClock, random: Math.random });
    const before = await history.load();
    assert.match(before.ok ? '' : before.failure.message, /Grant get, update and create on configmaps/u);
    await grant(plane, 'evenkeel');
    assert.deepEqual(await settled(() => history.load()), {
      ok: true,
      value: { state: { evictions: [], blocks: [] }, warnings: [] },
    });
    for (const id of ['a', 'b']) assert.deepEqual(await history.save(change(id, Date.now())), { ok: true, value: [] });
    server.close();
  });
});

interface RunReport {
  readonly evictions: readonly ApiObject[];
  readonly refusals: readonly ApiObject[];
}

async function descheduler(plane: ControlPlane, policyFile: string, ...flags: readonly string[]): Promise<RunReport> {
  const args = ['--import', 'tsx', 'src/main.ts', '--policy-config-file', policyFile, '-o', 'json', ...flags];
  const { stdout } = await promisify(execFile)('node', [...args, '--kubeconfig', plane.kubeconfig('run')], {
    cwd: ROOT,
  });
  return JSON.parse(stdout) as RunReport;
}

function connect(kubeconfig: string) {
  const source = new CredentialSource({ kubeconfig, context: undefined, env: {} }, systemClock);
  return createApiServer(source, { clock: systemClock, userAgent: 'test' });
}

function change(id: string, now: number) {
  const event: HistoryEvent = {
    kind: 'evicted',
    at: now,
    namespace: 'default',
    owner: 'Deployment/web',
    node: 'n1',
    id,
  };
  return { events: [event], retention: { windowMs: 3_600_000, cooldown: undefined, blockMs: 0 }, now };
}

async function tokenOf(plane: ControlPlane, name: string): Promise<string> {
  await plane.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: PLACE.namespace } });
  const path = `/api/v1/namespaces/${PLACE.namespace}/serviceaccounts/${name}/token`;
  const { body } = await plane.api('POST', path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  });
  return String((body['status'] as ApiObject)['token']);
}

/** Binds the Role that the page shows to a service account. */
async function grant(plane: ControlPlane, name: string): Promise<void> {
  const page = readFileSync(join(ROOT, 'docs', 'limits.md'), 'utf8');
  const [, role = ''] = /```yaml\n(apiVersion: rbac.*?)```/su.exec(page) ?? [];
  await plane.create(parse(role) as ApiObject);
  const api = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: PLACE };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: PLACE.name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace: PLACE.namespace }];
  await plane.create({ ...api, kind: 'RoleBinding', roleRef, subjects });
}

/** Rights take a moment until the server knows them. */
async function settled<T extends { readonly ok: boolean }>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    const answer = await ask();
    if (answer.ok || tries > 50) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const controller = { apiVersion: 'apps/v1', uid: '00000000-0000-4000-8000-000000000001', controller: true };

function replicaSet(name: string, ownerReferences: readonly ApiObject[]): ApiObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'example.com/c' }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, namespace: 'default', ownerReferences },
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  };
}

function pod(name: string, owner: ApiObject): ApiObject {
  const { name: ownerName, uid } = owner['metadata'] as { name: string; uid: string };
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: ownerName, uid, controller: true }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: ownerName }, ownerReferences },
    spec: { nodeName: 'n1', terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'example.com/c' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

function node(name: string): ApiObject {
  const capacity = { cpu: '8', memory: '32Gi', pods: '100' };
  const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: new Date().toISOString() }];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    status: { capacity, allocatable: capacity, conditions },
  };
}

function refusedBy(refusal: ApiObject): unknown {
  return refusal['refusedBy'];
}

function versionOf({ body }: { readonly body: ApiObject }): unknown {
  return (body['metadata'] as ApiObject)['resourceVersion'];
}
