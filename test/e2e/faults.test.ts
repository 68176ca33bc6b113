import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../src/cli/program.ts';
import { recorder } from '../cli/recorder.ts';
import { until, type ControlPlane } from './control-plane.ts';
import { cycle, namespace, node, pod, podsIn, policyOf, writePolicy, type Report } from './objects.ts';
import { createServiceAccount, tokenOf } from './service-account.ts';
import { onControlPlane } from './suite.ts';

const policy = policyOf({ RemovePodsViolatingNodeTaints: {} });
const TAINTED = { spec: { taints: [{ key: 'maintenance', effect: 'NoSchedule' }] } };
const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

onControlPlane('faults while it runs', {}, (plane) => {
  before(async () => {
    for (const name of ['n1', 'n2', 'n3']) await plane().create(node(name, 'a'));
    await plane().api('PATCH', '/api/v1/nodes/n1', TAINTED, 'application/merge-patch+json');
  });

  const loops: AbortController[] = [];
  afterEach(() => {
    for (const stop of loops.splice(0)) stop.abort();
  });

  it('SIGTERM with evictions in flight: nothing new starts, and the report says how each ended', async () => {
    const all = await crowd(plane(), 'term', 60);
    const run = start(plane(), '--client-connection-qps', '25', '--client-connection-burst', '25');
    await until('the first evictions', async () => (await podsIn(plane(), 'term')).length < 60 - 5);
    run.child.kill('SIGTERM');
    const { exitCode, report } = await run.ended;
    const left = await podsIn(plane(), 'term');
    assert.equal(exitCode, 143);
    assert.equal(report.evictions.length, 60);
    assert.deepEqual(
      namesOf(report, 'evicted'),
      all.filter((name) => !left.includes(name)),
    );
    assert.ok(left.length > 20, `${left.length} are left`);
    const errors = new Set(report.evictions.map(({ error }) => error?.replace(/ before .*/u, '')));
    assert.deepEqual(errors, new Set([undefined, 'the run was ended']));
  });

  it('the API server killed during a run and started again: every pod of the plan goes, once, and no other', async () => {
    await crowd(plane(), 'kill', 60);
    const bystander = pod('bystander', { namespace: 'kill', on: 'n2' });
    await plane().create(bystander);
    const running = cycle(
      plane(),
      policyOf({ RemovePodsViolatingNodeTaints: { namespaces: { include: ['kill'] } } }),
      ...['--client-connection-qps', '60', '--client-connection-burst', '25'],
    );
    await until('the first evictions', async () => (await podsIn(plane(), 'kill')).length < 61 - 3);
    await plane().killApiServer();
    await plane().startApiServer();
    const report = await running;
    assert.equal(report.exitCode, 0);
    assert.equal(namesOf(report, 'evicted').length, 60);
    assert.deepEqual(await podsIn(plane(), 'kill'), ['bystander']);
  });

  it('a token that expires fails those cycles only, and a new one in its file is taken', async () => {
    await createServiceAccount(plane());
    const secret = await plane().create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'bound', namespace: 'kube-system' },
    });
    const tokenFile = join(plane().folder, 'token');
    writeFileSync(tokenFile, await tokenOf(plane(), 'evenkeel', secret));
    const seen: Report[] = [];
    const stop = new AbortController();
    const running = loop(plane().kubeconfig('evenkeel', { tokenFile }), stop, (report) => seen.push(report));
    await until('a cycle', () => Promise.resolve(seen.some(({ error }) => error === undefined)));
    await plane().api('DELETE', '/api/v1/namespaces/kube-system/secrets/bound');
    await until('a cycle that fails', () => Promise.resolve(seen.at(-1)?.error !== undefined));
    assert.match(
      seen.at(-1)?.error ?? '',
      /Unauthorized\. https:\S+ does not accept these credentials: renew the token/,
    );
    writeFileSync(tokenFile, await tokenOf(plane(), 'evenkeel'));
    await until('a cycle that does not', () => Promise.resolve(seen.at(-1)?.error === undefined));
    stop.abort();
    await running;
  });

  it('an API server that stays away fails the cycle, not the loop', async function () {
    // A cycle that was reading when it went waits for it for a minute.
    this.timeout(180_000);
    const seen: Report[] = [];
    const stop = new AbortController();
    const running = loop(plane().kubeconfig('admin'), stop, (report) => seen.push(report));
    await until('a cycle', () => Promise.resolve(seen.length > 0));
    await plane().killApiServer();
    // The cycle under way fails with what it was reading, the next with the address.
    const refused = /^cannot use the cluster: https:\S+: .+\. Check the address/u;
    await until('a cycle that names the address', () => Promise.resolve(refused.test(seen.at(-1)?.error ?? '')), 120);
    await plane().startApiServer();
    await until('a cycle that does not', () => Promise.resolve(seen.at(-1)?.error === undefined));
    stop.abort();
    await running;
  });

  /** Dry cycles every 200 ms until the signal comes, or the test has ended. */
  async function loop(kubeconfig: string, stop: AbortController, onReport: (report: Report) => void): Promise<number> {
    loops.push(stop);
    const { signal } = stop;
    const file = writePolicy(plane(), policy, 'loop');
    const given = ['--dry-run', '-o', 'json', '--descheduling-interval', '200ms', '--secure-port', '0'];
    const terminal = { ...recorder().terminal, signal, out: (line: string) => onReport(JSON.parse(line) as Report) };
    return runProgram([...given, '--kubeconfig', kubeconfig, '--policy-config-file', file], terminal);
  }
});

/** Pods on the tainted node, each of a workload of its own; their names, sorted. */
async function crowd(plane: ControlPlane, name: string, count: number): Promise<readonly string[]> {
  await plane.create(namespace(name));
  const names = Array.from({ length: count }, (_, i) => `p${String(i).padStart(3, '0')}`);
  await Promise.all(names.map((each) => plane.create(pod(each, { namespace: name, on: 'n1' }))));
  return names;
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly exitCode: number | null; readonly report: Report }>;
}

/** The program as a process of its own, which signals reach. */
function start(plane: ControlPlane, ...argv: readonly string[]): Running {
  const given = ['--kubeconfig', plane.kubeconfig('admin'), '--policy-config-file', writePolicy(plane, policy)];
  const child = spawn(process.execPath, ['--import', 'tsx', main, 'run', ...given, '-o', 'json', ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = new Promise<Awaited<Running['ended']>>((resolve) => {
    child.on('close', (exitCode) => resolve({ exitCode, report: JSON.parse(printed) as Report }));
  });
  return { child, ended };
}

function namesOf({ evictions }: Report, result: string): readonly string[] {
  return evictions.flatMap((eviction) => (eviction.result === result ? [eviction.pod] : [])).sort();
}
