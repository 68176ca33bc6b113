import { spawn } from 'node:child_process';
import { once } from 'node:events';
import https from 'node:https';
import { join } from 'node:path';
import { assets, ControlPlane, until, type ApiObject } from '../../test/e2e/control-plane.ts';
import { createNodes, createPods, each, measure, untaint, type Round, type Size } from './lab.ts';

// How long pods live after a NoExecute taint that they do not tolerate, side by side on one control plane:
// kube-controller-manager with open throttles, a bare client that sends the same PATCH and DELETE requests, and ours.
// `KUBEBUILDER_ASSETS=… npm run build && npx tsx bench/lifecycle/latency.ts [nodes] [pods per node] [rounds]`
// Goals: p50 at most 0.5 times that of kube-controller-manager, total at most 1.2 times that of the bare client.

const [nodes = 40, podsPerNode = 29, rounds = 2] = process.argv.slice(2).map(Number);
const size: Size = { nodes, podsPerNode };
const BUNDLE = join(import.meta.dirname, '..', '..', 'dist', 'evenkeel.cjs');

/** In flight at the same time, as ours. */
const CONCURRENCY = 50;

type Stop = () => Promise<void>;

if (assets === '')
  throw new Error('KUBEBUILDER_ASSETS must name the folder of etcd, kube-apiserver and kube-controller-manager');
const plane = await ControlPlane.start();
const seen = new Map<string, Round[]>();
try {
  await createNodes(plane, size);
  for (let round = 0; round < rounds; round++) {
    await play('kube-controller-manager', builtIn);
    await play('bare client', () => Promise.resolve(() => Promise.resolve()), bareClient);
    await play('evenkeel', ours);
  }
  report();
} finally {
  await plane.stop();
}

async function play(
  name: string,
  start: () => Promise<Stop>,
  begin?: (pods: readonly ApiObject[]) => void,
): Promise<void> {
  await untaint(plane, size);
  await createPods(plane, size);
  const stop = await start();
  const round = await measure(plane, size, begin);
  await stop();
  seen.set(name, [...(seen.get(name) ?? []), round]);
  console.log(`${name.padEnd(24)} ${round.deleted} pods: ${text(round)}`);
}

/** Of the fastest rounds, which are the least disturbed. */
function report(): void {
  const best = (name: string, read: (round: Round) => number) => Math.min(...(seen.get(name) ?? []).map(read));
  const p50 = best('evenkeel', (it) => it.p50) / best('kube-controller-manager', (it) => it.p50);
  const total = best('evenkeel', (it) => it.total) / best('bare client', (it) => it.total);
  console.log(`p50   ${p50.toFixed(2)} times that of kube-controller-manager (goal: at most 0.5)`);
  console.log(`total ${total.toFixed(2)} times that of the bare client (goal: at most 1.2)`);
}

function text({ p50, p99, total }: Round): string {
  return `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, total ${total.toFixed(0)} ms`;
}

/** Both built-in controllers, for the evicter does nothing without the other; their client is not held back. */
async function builtIn(): Promise<Stop> {
  const args = [
    ...[`--kubeconfig=${plane.kubeconfig('built-in')}`, '--leader-elect=false', '--secure-port=0'],
    ...['--controllers=node-lifecycle-controller,taint-eviction-controller', '--node-monitor-grace-period=1h'],
    ...['--kube-api-qps=2000', '--kube-api-burst=4000'],
  ];
  const child = spawn(join(assets, 'kube-controller-manager'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  await says(child.stderr, /Caches are synced|Starting/u);
  // Its caches take their time, and nothing tells when the last of them is there.
  await new Promise((resolve) => setTimeout(resolve, 8_000));
  return () => end(child, 'SIGKILL');
}

async function ours(): Promise<Stop> {
  const args = [
    ...[BUNDLE, 'lifecycle', `--kubeconfig=${plane.kubeconfig('ours')}`, '--mode=act', '--ignore-built-in', '-v=1'],
    ...['--controllers=taint-eviction', '--secure-port=0', '--leader-elect-resource-name=bench'],
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  await says(child.stderr, /\S+_\S+ leads/u);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return () => end(child);
}

async function says(stream: NodeJS.ReadableStream, words: RegExp): Promise<void> {
  let log = '';
  stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  await until(String(words), () => Promise.resolve(words.test(log)));
}

/** Without an election kube-controller-manager does not listen to SIGTERM. */
async function end(child: ReturnType<typeof spawn>, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  child.kill(signal);
  await once(child, 'exit');
}

/** The same requests without anything to decide. */
function bareClient(pods: readonly ApiObject[]): void {
  const agent = new https.Agent({ keepAlive: true, maxSockets: CONCURRENCY, rejectUnauthorized: false });
  void each(pods, CONCURRENCY, async (pod) => {
    const { name, uid } = pod['metadata'] as { name: string; uid: string };
    const path = `/api/v1/namespaces/default/pods/${name}`;
    const condition = {
      ...{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' },
      ...{ message: 'Taint manager: deleting due to NoExecute taint', lastTransitionTime: new Date().toISOString() },
    };
    const patch = { metadata: { uid }, status: { conditions: [condition] } };
    await send(agent, 'PATCH', `${path}/status`, patch);
    await send(agent, 'DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } });
  }).then(() => agent.destroy());
}

function send(agent: https.Agent, method: string, path: string, body: object): Promise<void> {
  const type = method === 'PATCH' ? 'application/strategic-merge-patch+json' : 'application/json';
  const data = JSON.stringify(body);
  // Node.js sends no length with a DELETE by itself.
  const length = Buffer.byteLength(data);
  const headers = { authorization: 'Bearer e2e-admin', 'content-type': type, 'content-length': length };
  return new Promise((resolve, reject) => {
    const request = https.request(`${plane.server}${path}`, { method, agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${method} ${path}: ${response.statusCode}`));
      response.on('end', resolve).resume();
    });
    request.on('error', reject).end(data);
  });
}
