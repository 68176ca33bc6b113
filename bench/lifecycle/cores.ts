import { setImmediate as nextTurn } from 'node:timers/promises';
import { Decoder, type Decoded } from '../../src/cluster/decode/decode.ts';
import { ClusterStore } from '../../src/cluster/store.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { NodeLifecycleController } from '../../src/node-lifecycle/controller.ts';
import { observingLifecyclePorts } from '../../src/node-lifecycle/ports.ts';
import { LIFECYCLE_DEFAULTS } from '../../src/node-lifecycle/options.ts';
import { readScenario } from '../../src/outage/load-scenario.ts';
import { simulateOutage } from '../../src/outage/simulate.ts';
import { TaintEvictionController } from '../../src/taint-eviction/controller.ts';
import { TAINT_EVICTION_DEFAULTS } from '../../src/taint-eviction/options.ts';
import { observingPorts } from '../../src/taint-eviction/ports.ts';
import { objectsOf } from '../dump/generate.ts';

// The controllers by themselves, in virtual time: armed timers, a pass over all nodes, the memory of the store, an outage.
// `node --expose-gc --import tsx bench/lifecycle/cores.ts [timers|pass|store|outage]…`, all of them by default.

const NOW = Date.parse('2026-11-30T12:00:00Z');
const MEGABYTE = 1024 * 1024;
const measurements = { timers, pass, store, outage };
const chosen = process.argv.slice(2);
for (const [name, measurement] of Object.entries(measurements)) {
  if (chosen.length === 0 || chosen.includes(name)) await measurement();
}

/** 100,000 pods on nodes that get a taint which they tolerate for a while. */
async function timers(): Promise<void> {
  const decoder = new Decoder();
  const cluster = new ClusterStore();
  const node = (i: number, taints?: readonly object[]) => ({
    metadata: { name: `n${i}`, uid: `n${i}` },
    spec: { taints },
  });
  const tolerations = [{ key: 'gone', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }];
  const nodes = Array.from({ length: 1_000 }, (_, i) => decoded(decoder, 'Node', node(i)));
  const pods = Array.from({ length: 100_000 }, (_, i) =>
    decoded(decoder, 'Pod', {
      metadata: { name: `p${i}`, namespace: 'default', uid: `uid-${i}` },
      spec: { nodeName: `n${i % 1_000}`, tolerations, containers: [] },
    }),
  );
  cluster.replaceAll('Node', nodes);
  cluster.replaceAll('Pod', pods);
  const clock = new VirtualClock(NOW);
  let scheduled = 0;
  const controller = new TaintEvictionController({
    ...{ store: cluster, clock, options: { ...TAINT_EVICTION_DEFAULTS, mode: 'observe' } },
    ports: observingPorts({ getPod: never, getNode: never }),
    observe: () => scheduled++,
  });
  controller.start();
  const taint = { key: 'gone', effect: 'NoExecute', timeAdded: '2026-11-30T12:00:00Z' };
  const tainted = nodes.map((_, i) => decoded(decoder, 'Node', node(i, [taint])));
  const before = memory();
  const start = process.cpuUsage();
  for (const { object } of tainted) cluster.apply({ object, resourceVersion: '2', type: 'put' });
  const { user, system } = process.cpuUsage(start);
  const { armed } = controller.counts;
  const megabytes = (memory() - before) / MEGABYTE;
  console.log(
    `timers  ${armed} armed in ${((user + system) / 1e6).toFixed(2)} s of all threads (goal: 0.5), ${megabytes.toFixed(1)} MB (goal: 50)`,
  );
  if (scheduled !== armed) throw new Error('something else has happened');
  await controller.stop();
}

/** A pass over 5,000 nodes whose kubelets renew their Leases, where nothing has to be written. */
async function pass(): Promise<void> {
  const decoder = new Decoder();
  const cluster = new ClusterStore();
  const names = Array.from({ length: 5_000 }, (_, i) => `node-${i}`);
  const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: '2026-11-30T12:00:00Z' };
  const labels = (i: number) => ({ 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': `z${i % 3}` });
  const lease = (name: string, at: number) =>
    decoded(decoder, 'Lease', {
      metadata: { name, namespace: 'kube-node-lease', uid: `l-${name}` },
      spec: { renewTime: new Date(at).toISOString() },
    });
  cluster.replaceAll(
    'Node',
    names.map((name, i) =>
      decoded(decoder, 'Node', { metadata: { name, uid: name, labels: labels(i) }, status: { conditions: [ready] } }),
    ),
  );
  cluster.replaceAll(
    'Lease',
    names.map((name) => lease(name, NOW)),
  );
  cluster.replaceAll('Pod', []);
  const clock = new VirtualClock(NOW);
  const controller = new NodeLifecycleController({
    ...{ store: cluster, clock, options: LIFECYCLE_DEFAULTS, observe: () => undefined },
    ports: observingLifecyclePorts({ getNode: never, getLease: never }),
  });
  controller.start();
  await clock.advanceTo(NOW + 1_000);
  const times: number[] = [];
  for (let i = 1; i <= 20; i++) {
    for (const name of names) cluster.apply({ ...lease(name, NOW + i * 5_000), type: 'put' });
    const start = performance.now();
    await clock.advanceTo(NOW + i * 5_000 + 1_000);
    times.push(performance.now() - start);
  }
  await controller.stop();
  times.sort((a, b) => a - b);
  const [best = NaN, middle = NaN] = [times[0], times[10]];
  console.log(`pass    5,000 nodes in ${best.toFixed(1)} ms at best, ${middle.toFixed(1)} ms in the middle (goal: 50)`);
}

/** What the store adds to decoded pods. */
async function store(): Promise<void> {
  const decoder = new Decoder();
  const pods: Decoded[] = [];
  const before = memory();
  for (const object of objectsOf({ nodes: 1_000, pods: 30_000, layout: 'jsonl' })) {
    if (object['kind'] === 'Pod') pods.push(decoded(decoder, 'Pod', object));
  }
  await nextTurn();
  const decodedAt = memory();
  const cluster = new ClusterStore();
  cluster.replaceAll('Pod', pods);
  const bytes = (memory() - decodedAt) / pods.length;
  const decodedBytes = (decodedAt - before) / pods.length;
  const { length } = cluster.contents().pods;
  console.log(
    `store   ${length} pods: ${(bytes / 1024).toFixed(2)} KB a pod (goal: 0.6) over ${(decodedBytes / 1024).toFixed(2)} KB decoded`,
  );
}

/** A zone of a third of 1,000 nodes is away for half of an hour. */
async function outage(): Promise<void> {
  const decoder = new Decoder();
  const objects = [...objectsOf({ nodes: 1_000, pods: 30_000, layout: 'jsonl' })].map(
    (object) => decoder.decodeObject(object)?.object,
  );
  const nodes = objects.filter((it) => it?.kind === 'Node');
  const pods = objects.filter((it) => it?.kind === 'Pod');
  const zones = nodes.map(({ labels }) => labels['topology.kubernetes.io/zone'] ?? '').filter((zone) => zone !== '');
  const text = `apiVersion: evenkeel.io/v1alpha1
kind: OutageScenario
duration: 1h
events:
- {at: 1m, stopKubelet: {zone: ${zones[0] ?? ''}}}
- {at: 30m, startKubelet: {zone: ${zones[0] ?? ''}}}
`;
  const scenario = readScenario({ file: 'outage.yaml', text });
  const start = performance.now();
  const { summary } = await simulateOutage({ nodes, pods, others: {} }, scenario, { now: NOW });
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `outage  1 h on ${nodes.length} nodes and ${pods.length} pods in ${seconds.toFixed(1)} s (goal: 10): ` +
      `${summary.nodesTainted} nodes tainted, ${summary.podsDeleted} pods deleted`,
  );
}

function decoded(decoder: Decoder, kind: string, json: object): Decoded {
  const object = decoder.decodeObject(json, kind);
  if (!object) throw new Error(`not read: ${JSON.stringify(json)}`);
  return object;
}

function never(): Promise<never> {
  return Promise.reject(new Error('nothing has to be read'));
}

/** Live bytes of the heap. */
function memory(): number {
  if (!globalThis.gc) throw new Error('run it with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
