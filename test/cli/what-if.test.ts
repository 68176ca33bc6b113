import assert from 'node:assert/strict';
import { startControllers } from '../../src/cli/controllers/controllers.ts';
import { Decoder } from '../../src/cluster/decode/decode.ts';
import { ClusterStore } from '../../src/cluster/store.ts';
import type { LifecyclePorts } from '../../src/kube/write/lifecycle-ports.ts';
import { refused, replied } from '../../src/lib/answer.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { lifecycleLine } from '../../src/report/lifecycle.ts';

const START = Date.parse('2026-01-15T09:00:00Z');
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const decoder = new Decoder();

describe('observing both controllers', () => {
  it('tells which pods would go because of the taints that would be added, and takes it back when the node recovers', async () => {
    const { store, said, at, heartbeats } = cluster(['n1', 'n2', 'n3']);
    for (let seconds = 0; seconds <= 100; seconds += 10) {
      await at(seconds);
      heartbeats('n2', 'n3');
    }
    await at(150);
    heartbeats('n1', 'n2', 'n3');
    await at(156);
    assert.deepEqual(
      said.filter((line) => !line.includes('labelled')),
      [
        '0s zone (none) is Normal: 3 nodes ready, 0 not',
        '55s node n1 is not ready: its status is Unknown',
        '55s shop/quick on n1 would be deleted in 20s',
        '55s shop/late on n1 would be deleted in 300s',
        `55s node n1 would be tainted ${UNREACHABLE}:NoExecute`,
        '75s shop/quick on n1 would be deleted',
        '155s node n1 is ready again',
        '155s shop/late is not deleted',
        `155s node n1 would be freed of ${UNREACHABLE}:NoExecute`,
      ],
    );
    assert.deepEqual(
      store.nodes.map(({ taints }) => taints),
      [[], [], []],
    );
  });

  it('a taint that somebody else puts on beside them moves no deadline; one that takes the place of ours is the real one', async () => {
    const { store, said, at, heartbeats } = cluster(['n1', 'n2', 'n3']);
    for (let seconds = 0; seconds <= 100; seconds += 10) {
      await at(seconds);
      heartbeats('n2', 'n3');
    }
    const own = { key: 'team', value: 'blue', effect: 'NoSchedule' };
    put(store, node('n1', START, [own]));
    await at(105);
    const real = { key: UNREACHABLE, effect: 'NoExecute', timeAdded: new Date(START + 106_000).toISOString() };
    put(store, node('n1', START, [own, real]));
    await at(106);
    put(store, node('n1', START, [own]));
    await at(107);
    assert.deepEqual(
      said.filter((line) => line.includes('shop/')),
      [
        '55s shop/quick on n1 would be deleted in 20s',
        '55s shop/late on n1 would be deleted in 300s',
        '75s shop/quick on n1 would be deleted',
        '105s shop/late on n1 would be deleted in 300s',
        '106s shop/late is not deleted',
      ],
    );
  });
});

function cluster(names: readonly string[]) {
  const clock = new VirtualClock(0);
  // Not a whole second, as it is with every real clock.
  clock.step(START + 300);
  const store = new ClusterStore();
  store.replaceAll(
    'Node',
    names.map((name) => decoded('Node', node(name, START))),
  );
  store.replaceAll('Lease', []);
  store.replaceAll('Pod', [decoded('Pod', pod('quick', 20)), decoded('Pod', pod('late', 300))]);
  const said: string[] = [];
  const writes = () => Promise.reject(new Error('observing changes nothing'));
  const ports: LifecyclePorts = {
    getNode: (name) => {
      const known = store.node(name);
      return known ? replied(known) : Promise.resolve(refused('not-found', 'no node'));
    },
    getPod: (_, name) => {
      const known = store.pod(`u-${name}`);
      return known ? replied(known) : Promise.resolve(refused('not-found', 'no pod'));
    },
    getLease: () => Promise.resolve(refused('not-found', 'no Lease')),
    ...{ patchNode: writes, patchNodeStatus: writes, patchPodStatus: writes, stampTaints: writes },
    ...{ deletePod: writes, evictPod: writes },
  };
  startControllers({
    names: ['node-lifecycle', 'taint-eviction'],
    mode: 'observe',
    settings: { lifecycle: {}, eviction: {} },
    ...{ store, clock, ports },
    events: { write: () => assert.fail('no events'), flush: () => Promise.resolve(), dropped: () => 0 },
    observe: (outcome) => {
      const { message } = lifecycleLine(outcome, 'observe');
      const goes =
        outcome.kind === 'eviction-scheduled' ? ` would be deleted in ${(outcome.at - clock.wall()) / 1000}s` : '';
      said.push(`${clock.now() / 1000}s ${message.replace(/ would be deleted at .*/u, goes).replace(/: it .*/u, '')}`);
    },
  });
  const heartbeats = (...nodes: readonly string[]) => {
    for (const name of nodes) put(store, node(name, clock.wall()));
  };
  return { store, said, heartbeats, at: (seconds: number) => clock.advanceTo(seconds * 1000) };
}

function node(name: string, at: number, taints: readonly object[] = []) {
  const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: new Date(at).toISOString() };
  const metadata = { name, uid: `u-${name}`, resourceVersion: String(at) };
  return { metadata, spec: { taints }, status: { conditions: [ready] } };
}

function pod(name: string, tolerationSeconds: number) {
  return {
    metadata: { name, namespace: 'shop', uid: `u-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      nodeName: 'n1',
      containers: [],
      tolerations: [{ key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }],
    },
  };
}

function put(store: ClusterStore, json: object): void {
  store.apply({ ...decoded('Node', json), type: 'put' });
}

function decoded(kind: string, json: object) {
  const object = decoder.decodeObject(json, kind);
  assert.ok(object);
  return object;
}
