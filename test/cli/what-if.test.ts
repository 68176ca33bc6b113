import assert from 'node:assert/strict';
import { startControllers } from '../../src/cli/lifecycle-controllers.ts';
import { Decoder } from '../../src/cluster/decode.ts';
import { ClusterStore } from '../../src/cluster/store.ts';
import type { LifecyclePorts } from '../../src/kube/lifecycle-ports.ts';
import { refused, replied } from '../../src/lib/answer.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { lifecycleLine } from '../../src/report/lifecycle.ts';

const START = Date.parse('2026-01-15T09:00:00Z');
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const decoder = new Decoder();

describe('observing both controllers', () => {
  it('tells which pods would go because of the taints that would be added, and takes it back when the node recovers', async () => {
    const clock = new VirtualClock(START);
    const { store, said, at } = cluster(clock, ['n1', 'n2', 'n3']);
    const heartbeats = (...names: readonly string[]) => {
      for (const name of names) put(store, node(name, clock.now()));
    };
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
        '55s shop/quick on n1 goes in 20s',
        '55s shop/late on n1 goes in 300s',
        `55s node n1 would be tainted ${UNREACHABLE}:NoExecute`,
        '75s shop/quick on n1 would be deleted',
        '155s node n1 is ready again',
        '155s shop/late stays',
        `155s node n1 would be freed of ${UNREACHABLE}:NoExecute`,
      ],
    );
    assert.deepEqual(
      store.nodes.map(({ taints }) => taints),
      [[], [], []],
    );
  });
});

function cluster(clock: VirtualClock, names: readonly string[]) {
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
      const goes = outcome.kind === 'eviction-scheduled' ? ` goes in ${(outcome.at - clock.now()) / 1000}s` : '';
      said.push(`${(clock.now() - START) / 1000}s ${message.replace(/ goes at .*/u, goes).replace(/: it .*/u, '')}`);
    },
  });
  return { store, said, at: (seconds: number) => clock.advanceTo(START + seconds * 1000) };
}

function node(name: string, at: number) {
  const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: new Date(at).toISOString() };
  return { metadata: { name, uid: `u-${name}`, resourceVersion: String(at) }, status: { conditions: [ready] } };
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
