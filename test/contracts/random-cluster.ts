import fc from 'fast-check';
import type { OtherKind, OtherKinds } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import * as given from '../builders/cluster.ts';

/** The parts of a made-up cluster, in some order. */
export interface RandomCluster {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly others: readonly OtherKinds[OtherKind][];
}

const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';

/**
 * Small clusters in which everything that strategies look at happens often: few nodes, labels, owners and namespaces, so
 * that pods meet, share owners, break rules and run out of room.
 */
export const randomCluster: fc.Arbitrary<RandomCluster> = fc
  .record({
    nodes: fc.array(nodeParts(), { minLength: 2, maxLength: 5, size: 'max' }),
    pods: fc.array(podParts(), { maxLength: 24, size: 'max' }),
    budgets: fc.array(fc.record({ app: app(), allowed: fc.integer({ min: 0, max: 2 }) }), { maxLength: 2 }),
  })
  .map(({ nodes, pods, budgets }) => ({
    nodes: nodes.map((parts, index) => given.node(`n${index}`, ...parts)),
    pods: pods.map(({ at, parts }, index) => given.pod(`p${index}`, ...parts, ...boundTo(at, nodes.length))),
    others: budgets.map(({ app: name, allowed }, index) =>
      given.budget(`budget-${index}`, `app=${name}`, { disruptionsAllowed: allowed }),
    ),
  }));

function nodeParts(): fc.Arbitrary<readonly given.Part<Node>[]> {
  return parts<Node>([
    fc.constantFrom('a', 'b').map((zone) => given.labels({ [ZONE]: zone })),
    fc.constantFrom('ssd', 'disk').map((disk) => given.labels({ disk })),
    fc.integer({ min: 2, max: 8 }).map((cpu) => given.allocatable({ cpu, pods: 2 + cpu })),
    rarely(fc.constant(given.cordoned)),
    rarely(fc.constant(given.notReady)),
    fc.option(fc.constantFrom('maintenance=on:NoSchedule', 'soft:PreferNoSchedule').map(given.taint), {
      nil: undefined,
    }),
  ]);
}

/** Counts in quarters of a cpu, so that nodes fill up; times lie on both sides of every limit in the arguments. */
function podParts(): fc.Arbitrary<{ readonly at: number; readonly parts: readonly given.Part<Pod>[] }> {
  const list = parts<Pod>([
    app().map((name) => given.labels({ app: name })),
    fc.constantFrom('default', 'shop').map(given.namespace),
    fc.constantFrom('web', 'db', 'x').map((name) => given.ownedBy('ReplicaSet', name)),
    rarely(fc.constantFrom(given.noOwner, given.ownedBy('DaemonSet', 'agent'), given.terminating)),
    rarely(fc.constantFrom('Failed', 'Pending').map(given.phase)),
    fc.integer({ min: 0, max: 4 }).map((quarters) => given.requests({ cpu: `${quarters * 250}m` })),
    rarely(fc.constantFrom(-1, 0, 100, 2_000_000_000).map(given.priority)),
    rarely(fc.constantFrom('maintenance', 'soft', '').map((text) => given.tolerates(text))),
    rarely(fc.constantFrom('ssd', 'disk').map((disk) => given.nodeSelector({ disk }))),
    fc.option(
      fc.constantFrom('ssd', 'disk').map((disk) => given.prefersNode(10, given.term(`disk=${disk}`))),
      { nil: undefined },
    ),
    rarely(fc.tuple(app(), fc.constantFrom(HOST, ZONE)).map(([name, key]) => given.apart(`app=${name}`, key))),
    rarely(fc.tuple(app(), fc.constantFrom(HOST, ZONE)).map(([name, key]) => given.spreads(`app=${name}`, key))),
    rarely(fc.integer({ min: 0, max: 200 }).map(restarts)),
    fc.constantFrom('2025-06-01T00:00:00Z', '2026-01-01T23:59:00Z').map((time) => given.createdAt(time)),
  ]);
  return fc.record({ at: fc.nat({ max: 20 }), parts: list });
}

function app(): fc.Arbitrary<string> {
  return fc.constantFrom('web', 'db');
}

function rarely<T>(part: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: part });
}

function parts<T>(choices: readonly fc.Arbitrary<given.Part<T> | undefined>[]): fc.Arbitrary<readonly given.Part<T>[]> {
  return fc.tuple(...choices).map((chosen) => chosen.filter((part) => part !== undefined));
}

/** Most pods share the first nodes; some are not bound at all. */
function boundTo(at: number, nodes: number): readonly given.Part<Pod>[] {
  return nodes === 0 || at === 0 ? [] : [given.on(`n${Math.floor(((at * at) / 401) * nodes)}`)];
}

function restarts(restartCount: number): given.Part<Pod> {
  const state = { name: 'main', ready: true, waitingReason: undefined, terminatedReason: undefined };
  const unknown = { exitCode: undefined, requests: undefined, allocated: undefined };
  return given.status({ containers: [{ ...state, ...unknown, restartCount }] });
}
