import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { until, type ApiObject, type ControlPlane } from './control-plane.ts';
import { FakeKubelets } from './fake-kubelets.ts';
import { onControlPlane } from './suite.ts';

const BUILT_IN_OFF = '*,-node-lifecycle-controller,-taint-eviction-controller';
const ROOT = join(import.meta.dirname, '..', '..');
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const NOT_READY = 'node.kubernetes.io/not-ready';
const QUICK = [
  ...['--node-monitor-period=500ms', '--node-monitor-grace-period=4s', '--node-startup-grace-period=4s'],
  ...['--node-eviction-rate=10', '--secondary-node-eviction-rate=10', '--secure-port=0'],
];
const ELECTION = [
  ...['--leader-elect-lease-duration=3s', '--leader-elect-renew-deadline=2s', '--leader-elect-retry-period=500ms'],
];

/** Finds nothing to do here. */
const POLICY = `apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
  - name: default
    plugins:
      deschedule: { enabled: [RemovePodsViolatingNodeTaints] }
`;

/** How late a pod may go on a machine that does a lot besides, in ms; it may never go early. */
const PATIENCE_MS = 10_000;

const ZONES: Readonly<Record<string, readonly string[]>> = { a: ['a1', 'a2', 'a3'], b: ['b1', 'b2', 'b3'] };
const ALL = Object.values(ZONES).flat();

onControlPlane('the lifecycle controllers', { controllers: BUILT_IN_OFF }, (running) => {
  let plane: ControlPlane;
  let kubelets: FakeKubelets;
  let token = '';
  const instances: Instance[] = [];
  const start = (...flags: readonly string[]): Instance => {
    const instance = new Instance(plane, ['--mode=act', ...QUICK, ...flags], { token });
    instances.push(instance);
    return instance;
  };

  before(async () => {
    plane = running();
    token = await account(plane);
    kubelets = new FakeKubelets(plane);
    for (const [zone, names] of Object.entries(ZONES)) for (const name of names) await kubelets.add(name, zone);
  });

  afterEach(async () => {
    for (const instance of instances.splice(0)) await instance.end('SIGTERM');
    await kubelets.revive(...ALL);
    for (const name of ALL) await taint(plane, name, []);
    await plane.api('DELETE', '/api/v1/namespaces/default/pods?gracePeriodSeconds=0');
    await until('no pods', async () => (await pods(plane)).size === 0);
  });

  after(() => kubelets.stop());

  it('a node goes silent: its pods go after their tolerated seconds, a recreated pod of the same name lives', async () => {
    await place(plane, 'a1', { now: 0, after2: 2, after6: 6, twin: 3, forever: undefined });
    await place(plane, 'a2', { neighbour: 0 });
    await start().leads();
    kubelets.silence('a1');
    const taintedAt = await taintedSince(plane, 'a1', UNREACHABLE);
    await plane.api('DELETE', '/api/v1/namespaces/default/pods/twin?gracePeriodSeconds=0');
    const [twin] = await place(plane, 'a1', { twin: undefined });
    const gone = await goneAt(plane, ['now', 'after2', 'after6']);
    assertOnTime(gone, { now: taintedAt, after2: taintedAt + 2_000, after6: taintedAt + 6_000 });
    assert.deepEqual([...(await pods(plane)).keys()].sort(), ['forever', 'neighbour', 'twin']);
    assert.equal(uidOf((await pods(plane)).get('twin')), twin);
    const node = (await plane.api('GET', '/api/v1/nodes/a1')).body;
    assert.deepEqual(readiness(node), { status: 'Unknown', reason: 'NodeStatusUnknown' });
    assert.deepEqual(taintsOf(node), [`${UNREACHABLE}:NoExecute`, `${UNREACHABLE}:NoSchedule`]);
  });

  it('a whole zone goes silent: its pods go, those of the other zone stay', async () => {
    for (const [i, name] of ALL.entries()) await place(plane, name, { [`p${i}`]: 1 });
    await start().leads();
    kubelets.silence(...(ZONES['b'] ?? []));
    const at = await Promise.all((ZONES['b'] ?? []).map((name) => taintedSince(plane, name, UNREACHABLE)));
    const gone = await goneAt(plane, ['p3', 'p4', 'p5']);
    assertOnTime(gone, Object.fromEntries(at.map((since, i) => [`p${i + 3}`, since + 1_000])));
    assert.deepEqual([...(await pods(plane)).keys()].sort(), ['p0', 'p1', 'p2']);
  });

  it('all zones go silent: nothing goes, and no node keeps a NoExecute taint', async () => {
    for (const [i, name] of ALL.entries()) await place(plane, name, { [`p${i}`]: 0 });
    await start().leads();
    kubelets.silence(...ALL);
    await until('every node is Unknown', async () =>
      (await nodes(plane)).every((it) => readiness(it)?.status === 'Unknown'),
    );
    await passes(3_000);
    assert.deepEqual([...(await pods(plane)).keys()].sort(), ['p0', 'p1', 'p2', 'p3', 'p4', 'p5']);
    assert.deepEqual(
      (await nodes(plane)).flatMap(taintsOf).filter((it) => it.endsWith(':NoExecute')),
      [],
    );
  });

  it('the API server is killed and restarted in the middle: nothing is lost, nothing goes early', async () => {
    await place(plane, 'a1', { soon: 6, later: 25, forever: undefined }, 'maintenance');
    await start('--controllers=taint-eviction').leads();
    const since = wholeSeconds(Date.now());
    await taint(plane, 'a1', [{ key: 'maintenance', effect: 'NoExecute', timeAdded: new Date(since).toISOString() }]);
    await passes(1_000);
    await plane.killApiServer();
    await plane.startApiServer();
    const back = Date.now();
    const gone = await goneAt(plane, ['soon', 'later']);
    assertOnTime(gone, { soon: since + 6_000, later: since + 25_000 }, back);
    assert.deepEqual([...(await pods(plane)).keys()], ['forever']);
  });

  it('of two replicas the leader is killed: the other takes over and no deadline moves', async () => {
    await place(plane, 'a1', { dated: 10, forever: undefined }, 'maintenance');
    const first = start('--controllers=taint-eviction', ...ELECTION);
    await first.leads();
    const second = start('--controllers=taint-eviction', ...ELECTION);
    await second.said('waiting for the Lease');
    // Without a time: the leader has to write down when it first saw the taint.
    await taint(plane, 'a1', [{ key: 'maintenance', effect: 'NoExecute' }]);
    const since = await taintedSince(plane, 'a1', 'maintenance');
    await first.end('SIGKILL');
    await second.leads();
    assert.equal(await taintedSince(plane, 'a1', 'maintenance'), since);
    const gone = await goneAt(plane, ['dated']);
    assertOnTime(gone, { dated: since + 10_000 });
    assert.deepEqual([...(await pods(plane)).keys()], ['forever']);
  });

  it('gives the Lease up when it is told to stop, so that another leads at once', async () => {
    const first = start('--controllers=taint-eviction');
    await first.leads();
    assert.equal(await first.end('SIGTERM'), 143);
    const lease = await plane.api(
      'GET',
      '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/evenkeel-lifecycle',
    );
    assert.equal((lease.body['spec'] as ApiObject)['holderIdentity'] ?? '', '');
  });

  it('observes without a change: it says who would go, and the pods stay', async () => {
    await place(plane, 'a1', { quick: 1 }, 'maintenance');
    const watcher = new Instance(plane, [...QUICK, '--mode=observe', '-o', 'json'], { token });
    instances.push(watcher);
    await watcher.said('synced');
    const since = wholeSeconds(Date.now());
    await taint(plane, 'a1', [{ key: 'maintenance', effect: 'NoExecute', timeAdded: new Date(since).toISOString() }]);
    await until('it says so', () => Promise.resolve(watcher.outcomes('pod-deleted').length > 0));
    const [{ pod, result }] = watcher.outcomes('pod-deleted') as [ApiObject];
    assert.deepEqual([pod, result], ['quick', 'would-delete']);
    assert.deepEqual([...(await pods(plane)).keys()], ['quick']);
    const node = (await plane.api('GET', '/api/v1/nodes/a1')).body;
    assert.deepEqual(taintsOf(node), ['maintenance:NoExecute']);
  });

  it('a taint dated ten minutes back, then put on again: the pod has its time from when each appeared', async () => {
    await start('--controllers=taint-eviction').leads();
    await place(plane, 'a1', { held: 5 }, 'maintenance');
    const dated = (minutes: number) => ({
      ...{ key: 'maintenance', effect: 'NoExecute' },
      timeAdded: new Date(wholeSeconds(Date.now()) + minutes * 60_000).toISOString(),
    });
    const first = Date.now();
    await taint(plane, 'a1', [dated(-10)]);
    await until('three seconds later', () => Promise.resolve(Date.now() - first > 3_000));
    const second = Date.now();
    await taint(plane, 'a1', [dated(-9)]);
    assertOnTime(await goneAt(plane, ['held']), { held: second + 5_000 });
  });

  it('runs in one process with the descheduler, whose cycles read what is watched', async () => {
    await place(plane, 'a1', { bare: undefined, soon: 2 }, 'maintenance');
    const policy = join(plane.folder, 'policy.yaml');
    writeFileSync(policy, POLICY);
    const both = ['run', '-o', 'json', '--policy-config-file', policy, '--descheduling-interval=1s', '--secure-port=0'];
    const instance = new Instance(plane, ['--controllers=descheduler,taint-eviction', ...ELECTION], {
      command: both,
    });
    instances.push(instance);
    await instance.sees(2);
    await taint(plane, 'a1', [{ key: 'maintenance', effect: 'NoExecute' }]);
    const since = await taintedSince(plane, 'a1', 'maintenance');
    assertOnTime(await goneAt(plane, ['soon']), { soon: since + 2_000 });
    await instance.sees(1);
    assert.match(instance.log, /default\/soon on a1 deleted: it tolerates maintenance:NoExecute for 2s only/u);
    assert.deepEqual([...(await pods(plane)).keys()], ['bare']);
  });

  it('refuses to double the built-in evicter, and names the flag that switches it off', async () => {
    await plane.create({
      ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: 'seen', namespace: 'default' } },
      ...{ reason: 'TaintManagerEviction', type: 'Normal', lastTimestamp: new Date().toISOString() },
      ...{ source: { component: 'taint-eviction-controller' }, message: 'Marking for deletion Pod default/x' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'x' },
    });
    const refused = start('--controllers=taint-eviction');
    assert.equal(await refused.exited(), 1);
    assert.match(refused.log, /taint-eviction-controller is at work .*TaintManagerEviction/);
    assert.match(refused.log, /--controllers=\*,-taint-eviction-controller/);
    await start('--controllers=taint-eviction', '--ignore-built-in').leads();
  });
});

/** What an instance is: `lifecycle` by default, as administrator unless it has a token. */
interface Start {
  readonly command?: readonly string[];
  readonly token?: string | undefined;
}

/** A running `evenkeel lifecycle`. */
class Instance {
  log = '';
  #out = '';
  readonly #child: ChildProcess;
  readonly #exit: Promise<number>;

  constructor(plane: ControlPlane, flags: readonly string[], { command = ['lifecycle'], token }: Start = {}) {
    const config = plane.kubeconfig(`evenkeel-${command[0] ?? ''}`, token === undefined ? undefined : { token });
    const args = [...command, `--kubeconfig=${config}`, '-v=1', ...flags];
    this.#child = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'src', 'main.ts'), ...args], { cwd: ROOT });
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.log += chunk.toString()));
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.#out += chunk.toString()));
    this.#exit = new Promise((resolve) => this.#child.once('exit', (code) => resolve(code ?? -1)));
  }

  exited(): Promise<number> {
    return this.#exit;
  }

  async said(words: string): Promise<void> {
    await until(`"${words}" in the log:\n${this.log}`, () => Promise.resolve(this.log.includes(words)), 60);
  }

  /** It holds the Lease. */
  async leads(): Promise<void> {
    await until('it leads', () => {
      const identity = /waiting for the Lease \S+ as (\S+)/.exec(this.log)?.[1] ?? 'nobody yet';
      return Promise.resolve(this.log.includes(`${identity} leads`));
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.log}`);
    });
  }

  outcomes(kind: string): readonly ApiObject[] {
    const lines = this.#out.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as ApiObject).filter((it) => it['outcome'] === kind);
  }

  /** What the cycles of the descheduler have reported. */
  reports(): readonly { readonly pods: number }[] {
    const lines = this.#out.split('\n').filter((line) => line.endsWith('}'));
    return lines.map((line) => (JSON.parse(line) as { cluster: { pods: number } }).cluster);
  }

  /** The last cycle has counted so many pods. */
  async sees(pods: number): Promise<void> {
    await until(`a cycle sees ${pods}`, () => Promise.resolve(this.reports().at(-1)?.pods === pods)).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${this.log}`);
      },
    );
  }

  async end(signal: NodeJS.Signals): Promise<number> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
    return this.#exit;
  }
}

/** Makes the account of the manifests with no other rights than theirs; answers with a token of it. */
async function account(plane: ControlPlane): Promise<string> {
  for (const file of ['service-account.yaml', 'rbac.yaml']) {
    const text = readFileSync(join(ROOT, 'manifests', 'lifecycle', file), 'utf8');
    for (const document of parseAllDocuments(text)) await plane.create(document.toJS() as ApiObject);
  }
  const path = '/api/v1/namespaces/kube-system/serviceaccounts/evenkeel-lifecycle/token';
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } };
  const { body } = await plane.api('POST', path, request);
  return (body['status'] as { readonly token: string }).token;
}

/** Pods on a node, by name: how many seconds each tolerates the node's taint, for ever if undefined. Answers with UIDs. */
async function place(
  plane: ControlPlane,
  nodeName: string,
  seconds: Readonly<Record<string, number | undefined>>,
  key?: string,
): Promise<readonly string[]> {
  const uids: string[] = [];
  for (const [name, tolerationSeconds] of Object.entries(seconds)) {
    const keys = key === undefined ? [UNREACHABLE, NOT_READY] : [key];
    const tolerations = keys.map((it) => ({ key: it, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }));
    const made = await plane.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: {
        ...{ nodeName, tolerations, terminationGracePeriodSeconds: 0 },
        containers: [{ name: 'c', image: 'example.com/c' }],
      },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
    uids.push((made['metadata'] as { uid: string }).uid);
  }
  return uids;
}

async function list(plane: ControlPlane, path: string): Promise<readonly ApiObject[]> {
  const { status, body } = await plane.api('GET', path);
  if (status !== 200) throw new Error(`GET ${path}: ${status}`);
  return body['items'] as ApiObject[];
}

async function pods(plane: ControlPlane): Promise<ReadonlyMap<string, ApiObject>> {
  const found = await list(plane, '/api/v1/namespaces/default/pods');
  return new Map(found.map((pod) => [(pod['metadata'] as { name: string }).name, pod]));
}

function nodes(plane: ControlPlane): Promise<readonly ApiObject[]> {
  return list(plane, '/api/v1/nodes');
}

/** When each of these pods was seen to be gone, in ms since the epoch. */
async function goneAt(plane: ControlPlane, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const gone = new Map<string, number>();
  await until(`${names.join(', ')} gone`, async () => {
    const asked = Date.now();
    const left = await pods(plane);
    for (const name of names) if (!left.has(name) && !gone.has(name)) gone.set(name, Math.max(asked, Date.now()));
    return gone.size === names.length;
  });
  return gone;
}

/** `from`: nothing could happen earlier than that. */
function assertOnTime(gone: ReadonlyMap<string, number>, due: Readonly<Record<string, number>>, from = 0): void {
  for (const [name, at] of Object.entries(due)) {
    const seen = gone.get(name) ?? NaN;
    assert.ok(seen >= at, `${name} went ${at - seen} ms early`);
    assert.ok(seen <= Math.max(at, from) + PATIENCE_MS, `${name} went ${seen - at} ms late`);
  }
}

/** The earliest moment at which a NoExecute taint can have come, once it is there: times are written in whole seconds, rounded up. */
async function taintedSince(plane: ControlPlane, name: string, key: string): Promise<number> {
  let since = NaN;
  await until(`${key} on ${name}`, async () => {
    const node = (await plane.api('GET', `/api/v1/nodes/${name}`)).body;
    const taints = ((node['spec'] as ApiObject)['taints'] ?? []) as ApiObject[];
    since = Date.parse(String(taints.find((it) => it['key'] === key && it['effect'] === 'NoExecute')?.['timeAdded']));
    return !Number.isNaN(since);
  });
  return since - 1_000;
}

async function taint(plane: ControlPlane, name: string, taints: readonly ApiObject[]): Promise<void> {
  const body = { spec: { taints } };
  const { status } = await plane.api('PATCH', `/api/v1/nodes/${name}`, body, 'application/merge-patch+json');
  assert.equal(status, 200);
}

function taintsOf(node: ApiObject): readonly string[] {
  const taints = ((node['spec'] as ApiObject)['taints'] ?? []) as ApiObject[];
  return taints.map((it) => `${String(it['key'])}:${String(it['effect'])}`).sort();
}

function readiness(node: ApiObject): { readonly status: string; readonly reason: string } | undefined {
  const conditions = ((node['status'] as ApiObject)['conditions'] ?? []) as {
    type: string;
    status: string;
    reason: string;
  }[];
  const found = conditions.find(({ type }) => type === 'Ready');
  return found && { status: found.status, reason: found.reason };
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** Real time: there is nothing to wait for where nothing happens. */
function passes(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function uidOf(object: ApiObject | undefined): string | undefined {
  return (object?.['metadata'] as { readonly uid?: string } | undefined)?.uid;
}
