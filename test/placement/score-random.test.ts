import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Service, Workload } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { createPlacement } from '../../src/placement/fit.ts';
import * as given from '../builders/cluster.ts';
import { HOSTNAME, ZONE } from './filter-rows.ts';
import { plainTotals, type Standing } from './plain-scores.ts';
import { hasImage } from './score-rows.ts';

type NodePart = given.Part<Node>;
type PodPart = given.Part<Pod>;

const same = <T>(before: T): T => before;
const KEYS = [ZONE, HOSTNAME, 'rack'] as const;

const nodeParts: fc.Arbitrary<readonly NodePart[]> = fc
  .record({
    zone: fc.constantFrom('a', 'b', undefined),
    rack: fc.constantFrom('r1', 'r2', undefined),
    cpu: fc.integer({ min: 4, max: 16 }),
    gib: fc.integer({ min: 4, max: 16 }),
    taints: fc.subarray(['s:PreferNoSchedule', 't=1:PreferNoSchedule', 'u:NoSchedule'], { maxLength: 2 }),
    images: fc.subarray(['app:1', 'web:1']),
    mib: fc.integer({ min: 10, max: 2000 }),
  })
  .map((drawn) => [
    drawn.zone === undefined ? same : given.labels({ [ZONE]: drawn.zone }),
    drawn.rack === undefined ? same : given.labels({ rack: drawn.rack }),
    given.allocatable({ cpu: drawn.cpu, memory: `${drawn.gib}Gi` }),
    ...drawn.taints.map((text) => given.taint(text)),
    ...drawn.images.map((name) => hasImage(name, drawn.mib)),
  ]);

const podTerm = fc
  .record({ text: fc.constantFrom('app=x', 'app in (x,y)', 'app'), key: fc.constantFrom(...KEYS), other: fc.nat(3) })
  .map(({ text, key, other }) => given.podTerm(text, key, other === 0 ? { namespaces: ['other', 'default'] } : {}));
const weight = fc.integer({ min: 1, max: 100 });

/** Nothing that forbids a node but room and one taint: what fits is another table's business. */
const rule: fc.Arbitrary<PodPart> = fc.oneof(
  fc.tuple(weight, podTerm).map(([one, term]): PodPart => {
    return (before) =>
      given.spec({ preferredPodAffinity: [...before.spec.preferredPodAffinity, { weight: one, term }] })(before);
  }),
  fc.tuple(weight, podTerm).map(([one, term]): PodPart => {
    return (before) =>
      given.spec({ preferredPodAntiAffinity: [...before.spec.preferredPodAntiAffinity, { weight: one, term }] })(
        before,
      );
  }),
  fc
    .record({
      key: fc.constantFrom(...KEYS),
      maxSkew: fc.integer({ min: 1, max: 3 }),
      nodeAffinityPolicy: fc.constantFrom('Honor' as const, 'Ignore' as const),
      nodeTaintsPolicy: fc.constantFrom('Honor' as const, 'Ignore' as const),
    })
    .map(({ key, ...over }) => given.spreads('app=x', key, { ...over, whenUnsatisfiable: 'ScheduleAnyway' })),
  weight.map((one) => given.prefersNode(one, given.term(`${ZONE}=a`))),
  weight.map((one) => given.prefersNode(one, given.term('rack'))),
  fc.constantFrom(given.tolerates('s'), given.tolerates('t=1:PreferNoSchedule'), given.tolerates('u:NoSchedule')),
  fc.constantFrom(given.nodeSelector({ rack: 'r1' }), given.container('second', { cpu: '50m' })),
);

const podParts: fc.Arbitrary<readonly PodPart[]> = fc
  .record({
    at: fc.nat(5),
    other: fc.nat(3),
    app: fc.constantFrom('x', 'x', 'y'),
    owner: fc.constantFrom('ReplicaSet', 'StatefulSet', 'Job'),
    amounts: fc.constantFrom({}, { cpu: 0 }, { cpu: '500m' }, { cpu: 1, memory: '1Gi' }, { memory: '512Mi' }),
    image: fc.constantFrom('app:1', 'web:1', 'none:1'),
    leaving: fc.nat(5),
    rules: fc.array(rule, { maxLength: 3 }),
  })
  .map((drawn) => [
    drawn.other === 0 ? given.namespace('other') : same,
    given.labels({ app: drawn.app }),
    given.ownedBy(drawn.owner, 'web'),
    given.requests(drawn.amounts),
    given.image(drawn.image),
    drawn.leaving === 0 ? given.terminating : same,
    given.on(`n${drawn.at}`),
    ...drawn.rules,
  ]);

interface Scene {
  readonly cluster: Snapshot;
  /** The pod by number and the node that it is promised, -1 for none, -2 to take the booking back. */
  readonly bookings: readonly { readonly pod: number; readonly to: number }[];
}

const scenes: fc.Arbitrary<Scene> = fc
  .record({
    nodes: fc.array(nodeParts, { minLength: 2, maxLength: 6 }),
    pods: fc.array(podParts, { minLength: 1, maxLength: 12 }),
    bookings: fc.array(fc.record({ pod: fc.nat(11), to: fc.integer({ min: -2, max: 5 }) }), { maxLength: 6 }),
    objects: fc.subarray([service({ app: 'x' }), service({}), workload('ReplicaSet'), workload('StatefulSet')]),
  })
  .map(({ nodes, pods, bookings, objects }) => ({
    cluster: given.snapshot(
      ...nodes.map((parts, index) => given.node(`n${index}`, ...parts)),
      ...pods.map((parts, index) => given.pod(`p${index}`, ...parts)),
      ...objects,
    ),
    bookings,
  }));

function service(selector: Service['selector']): Service {
  const name = JSON.stringify(selector);
  return { kind: 'Service', name, namespace: 'default', uid: `uid-${name}`, labels: {}, selector };
}

function workload(kind: 'ReplicaSet' | 'StatefulSet'): Workload {
  return {
    ...{ kind, name: 'web', namespace: 'default', uid: `uid-${kind}-web`, labels: {}, owners: [] },
    selector: given.selector('app in (x)'),
    templateRequests: undefined,
    podReplacementPolicy: undefined,
  };
}

/** Pods on existing nodes as the bookings leave them; `asked` is gone, or on its way out. */
function standingIn(cluster: Snapshot, booked: ReadonlyMap<string, Node | undefined>, asked: Pod): readonly Standing[] {
  const isGone = asked.deletedAt !== undefined || asked.owners[0]!.kind === 'StatefulSet';
  return cluster.pods.flatMap((pod) => {
    const node = cluster.node(pod.nodeName);
    const promised = booked.get(pod.uid);
    const leaving = pod.deletedAt !== undefined || booked.has(pod.uid) || pod === asked;
    return [
      ...(node && !(pod === asked && isGone) ? [{ pod, node, leaving }] : []),
      ...(promised ? [{ pod, node: promised, leaving: false }] : []),
    ];
  });
}

describe('placement: scores of random clusters', () => {
  it('are what the formulas say, before and after bookings', () => {
    fc.assert(
      fc.property(scenes, ({ cluster, bookings }) => {
        const placement = createPlacement(cluster);
        const booked = new Map<string, Node | undefined>();
        for (const booking of [undefined, ...bookings]) {
          const pod = booking && cluster.pods[booking.pod];
          if (pod && booking.to === -2) {
            placement.forget(pod);
            booked.delete(pod.uid);
          } else if (pod) {
            placement.assume(pod, cluster.nodes[booking.to]);
            booked.set(pod.uid, cluster.nodes[booking.to]);
          }
          for (const asked of cluster.pods) {
            const prediction = placement.predict(asked);
            const fitting = cluster.nodes.filter((node) => prediction.total(node) !== undefined);
            const standing = standingIn(cluster, booked, asked);
            assert.deepEqual(
              Object.fromEntries(fitting.map((node) => [node.name, prediction.total(node)])),
              plainTotals({ snapshot: cluster, pod: asked, standing, fitting }),
            );
          }
        }
      }),
      { numRuns: Number(process.env.R ?? 100) },
    );
  }).timeout(60_000);
});
