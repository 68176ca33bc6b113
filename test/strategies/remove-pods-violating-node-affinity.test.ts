import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { removePodsViolatingNodeAffinity } from '../../src/strategies/remove-pods-violating-node-affinity.ts';
import {
  asks,
  cordoned,
  labels,
  node,
  nodeSelector,
  notReady,
  on,
  ownedBy,
  type Part,
  pod,
  prefersNode,
  priority,
  requiresNode,
  sized,
  snapshot,
  taint,
  term,
  terminating,
} from '../builders/cluster.ts';
import { planTable, SPARE } from './plan-table.ts';
import { limited, noFit, terminatingPod } from './refusals.ts';

const R = 'requiredDuringSchedulingIgnoredDuringExecution';
const P = 'preferredDuringSchedulingIgnoredDuringExecution';
const required = { args: { nodeAffinityType: [R] } };
const preferred = { args: { nodeAffinityType: [P] } };

const desired = labels({ 'kubernetes.io/desiredNode': 'yes' });
const withLabels = (...pods: readonly Pod[]) => node('nodeWithLabels', sized(2000, 3000, 10), desired, ...pods);
const withoutLabels = (...parts: readonly (Part<Node> | Pod)[]) =>
  node('nodeWithoutLabels', sized(2000, 3000, 10), ...parts);
const unschedulable = node('unschedulableNodeWithLabels', sized(2000, 3000, 10), desired, cordoned);
const small = (name: string, ...parts: readonly Part<Pod>[]) => pod(name, asks(100, 0), ownedBy('Pod', ''), ...parts);
const wanted = term('kubernetes.io/desiredNode in (yes)');

/** The three pods of the table. */
function pods(affinity: Part<Pod>, ...parts: readonly Part<Pod>[]): readonly Pod[] {
  return [small('podWithNodeAffinity', affinity, ...parts), small('pod1', ...parts), small('pod2', ...parts)];
}
const R_PODS = pods(requiresNode(wanted));
const P_PODS = pods(prefersNode(10, wanted));

const R_REASON = 'asks for node affinity that nodeWithoutLabels does not have';
const P_REASON = 'prefers nodeWithLabels (weight 10) to nodeWithoutLabels (weight 0)';
const victim = (reason: string) => [`podWithNodeAffinity@nodeWithoutLabels ${reason}`];
const fine = (count: number) => [`every pod is where its node affinity wants it: ${count} pods checked`];
const misplaced = (...given: readonly Pod[]): Snapshot => snapshot(withoutLabels(...given), withLabels());
const PLACE = 'podWithNodeAffinity@nodeWithoutLabels';

describe('RemovePodsViolatingNodeAffinity', () => {
  describe('rule T24', () => {
    planTable(removePodsViolatingNodeAffinity, [
      {
        row: 'NA-1 unknown type',
        args: { nodeAffinityType: ['requiredDuringSchedulingRequiredDuringExecution'] },
        cluster: misplaced(...pods((before) => before)),
        notes: [
          ...fine(3),
          'nodeAffinityType requiredDuringSchedulingRequiredDuringExecution is unknown and does nothing',
        ],
      },
      {
        row: 'NA-1 again, with the name of something that every object of the language has',
        args: { nodeAffinityType: ['constructor'] },
        cluster: misplaced(...R_PODS),
        notes: [...fine(3), 'nodeAffinityType constructor is unknown and does nothing'],
      },
      { row: 'NA-2 R on W', ...required, cluster: snapshot(withLabels(...R_PODS), SPARE), notes: fine(3) },
      { row: 'NA-3 P on W', ...preferred, cluster: snapshot(withLabels(...P_PODS), SPARE), notes: fine(3) },
      { row: 'NA-4 R on O', ...required, cluster: misplaced(...R_PODS), evictions: victim(R_REASON) },
      { row: 'NA-5 P on O', ...preferred, cluster: misplaced(...P_PODS), evictions: victim(P_REASON) },
      ...[
        { row: 'NA-8 R, mN=0', ...required, cluster: misplaced(...R_PODS) },
        { row: 'NA-9 P, mN=0', ...preferred, cluster: misplaced(...P_PODS) },
      ].map((row) => ({
        ...row,
        limits: { node: 0 },
        refusals: [limited(PLACE, 'PerNode', 'no eviction')],
      })),
      ...[
        { row: 'NA-10 R, TERM, mN=1', ...required, cluster: misplaced(...pods(requiresNode(wanted), terminating)) },
        { row: 'NA-11 P, TERM, mN=1', ...preferred, cluster: misplaced(...pods(prefersNode(10, wanted), terminating)) },
      ].map((row) => ({
        ...row,
        limits: { node: 1 },
        refusals: [terminatingPod(PLACE)],
      })),
      {
        row: 'NA-12 R, mNs=1',
        ...required,
        cluster: misplaced(...R_PODS),
        limits: { namespace: 1 },
        evictions: victim(R_REASON),
      },
      {
        row: 'NA-14 P, mNs=1',
        ...preferred,
        cluster: misplaced(...P_PODS),
        limits: { namespace: 1 },
        evictions: victim(P_REASON),
      },
      ...[
        { row: 'NA-15 R, mNs=0', ...required, cluster: misplaced(...R_PODS) },
        { row: 'NA-16 P, mNs=0', ...preferred, cluster: misplaced(...P_PODS) },
      ].map((row) => ({
        ...row,
        limits: { namespace: 0 },
        refusals: [limited(PLACE, 'PerNamespace', 'no eviction')],
      })),
      ...[
        { row: 'NA-21 R, node of the pods not in the list, NF, mN=1', ...required, given: R_PODS },
        { row: 'NA-22 P, node of the pods not in the list, NF, mN=1', ...preferred, given: P_PODS },
      ].map(({ row, args, given }) => ({
        row,
        args,
        cluster: snapshot(withoutLabels(notReady, ...given), withLabels(), unschedulable),
        evictor: { nodeFit: true },
        limits: { node: 1 },
        notes: fine(0),
      })),
    ]);
  });

  describe('rules T7 and T24', () => {
    const ssd = labels({ disk: 'ssd' });
    planTable(removePodsViolatingNodeAffinity, [
      {
        row: 'a pod with nothing but a nodeSelector',
        ...required,
        cluster: snapshot(
          node('n1', pod('db', nodeSelector({ disk: 'ssd', arch: 'arm' }))),
          node('n2', ssd, labels({ arch: 'arm' })),
        ),
        evictions: ['db@n1 asks for labels arch=arm,disk=ssd that n1 does not have'],
        reference: 0,
      },
      {
        row: 'no other node has what is asked for',
        ...required,
        cluster: snapshot(node('n1', pod('db', nodeSelector({ disk: 'ssd' }))), node('n2')),
        refusals: [
          'db@n1 [RemovePodsViolatingNodeAffinity] asks for labels disk=ssd that n1 does not have, and no other node has it',
        ],
      },
      {
        row: 'the right node is full: fit is asked without NF, too',
        ...required,
        cluster: snapshot(
          node('n1', pod('db', nodeSelector({ disk: 'ssd' }), asks(100, 0))),
          node('n2', ssd, sized(50, 50, 10), labels({ disk: 'ssd' })),
        ),
        refusals: [
          'db@n1 [RemovePodsViolatingNodeAffinity] asks for labels disk=ssd that n1 does not have, but it does not fit on n2',
        ],
      },
      {
        row: 'the right node is full, NF: the evictor says what is missing',
        ...required,
        cluster: snapshot(
          node('n1', pod('db', nodeSelector({ disk: 'ssd' }), asks(100, 0))),
          node('n2', sized(50, 50, 10), ssd),
        ),
        evictor: { nodeFit: true },
        refusals: [noFit('db@n1', { node: 'n2', kind: 'suitable', why: 'needs 100m cpu, 50m of 50m free' })],
      },
      {
        row: 'Gt, Lt and matchFields',
        ...required,
        cluster: snapshot(
          node(
            'n1',
            labels({ generation: '5' }),
            pod('gt', requiresNode(term('generation>5'))),
            pod('lt', requiresNode(term('generation<6'))),
            pod('field', requiresNode(term('', 'n2'))),
            pod('here', requiresNode(term('', 'n1'))),
          ),
          node('n2', labels({ generation: '6' })),
        ),
        evictions: ['field', 'gt'].map((name) => `${name}@n1 asks for node affinity that n1 does not have`),
      },
      {
        row: 'the preferred node is full: the second best does not do',
        ...preferred,
        cluster: snapshot(
          node('d1', pod('web', prefersNode(100, term('spot=true')), asks(500, 0))),
          node('d2'),
          node('s1', sized(400, 400, 10), labels({ spot: 'true' })),
        ),
        evictor: { nodeFit: true },
        refusals: [noFit('web@d1', { node: 's1', kind: 'suitable', why: 'needs 500m cpu, 400m of 400m free' })],
      },
      {
        row: 'the heaviest node that takes the pod is named, tainted ones do not',
        ...preferred,
        cluster: snapshot(
          node('d1', pod('web', prefersNode(5, term('tier')), prefersNode(20, term('tier=gold')))),
          node('s1', labels({ tier: 'gold' }), taint('x:NoSchedule')),
          node('s2', labels({ tier: 'silver' })),
        ),
        evictions: ['web@d1 prefers s2 (weight 5) to d1 (weight 0)'],
      },
      {
        row: 'one place is promised once, the least important goes first',
        ...required,
        cluster: snapshot(
          node(
            'n1',
            ...['a', 'b'].map((name, place) =>
              pod(name, nodeSelector({ disk: 'ssd' }), asks(100, 0), priority(9 - place)),
            ),
          ),
          node('n2', sized(150, 150, 10), ssd),
        ),
        evictions: ['b@n1 asks for labels disk=ssd that n1 does not have'],
        refusals: [
          'a@n1 [RemovePodsViolatingNodeAffinity] asks for labels disk=ssd that n1 does not have, but it does not fit on n2',
        ],
      },
      {
        row: 'both types: each pod once, a total limit ends both',
        args: { nodeAffinityType: [R, P] },
        cluster: snapshot(
          node(
            'n1',
            pod('both', nodeSelector({ disk: 'ssd' }), prefersNode(1, term('disk=ssd'))),
            pod('soft', prefersNode(1, term('disk=ssd'))),
          ),
          node('n2', ssd),
        ),
        limits: { total: 1 },
        evictions: ['both@n1 asks for labels disk=ssd that n1 does not have'],
        refusals: [limited('soft@n1', 'Total', '1 eviction')],
      },
      {
        row: 'pods without a node are not checked',
        ...required,
        cluster: snapshot(node('n1'), node('n2', ssd), pod('db', nodeSelector({ disk: 'ssd' }))),
        notes: fine(0),
      },
      {
        row: 'outside of the label selector',
        args: { nodeAffinityType: [R], labelSelector: { matchLabels: { app: 'x' } } },
        cluster: snapshot(node('n1'), node('n2', ssd), pod('db', nodeSelector({ disk: 'ssd' }), on('n1'))),
        notes: fine(0),
      },
    ]);
  });
});
