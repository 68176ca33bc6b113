import assert from 'node:assert/strict';
import type { Namespace } from '../../src/cluster/objects/kinds.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { conflictsOf } from '../../src/strategies/anti-affinity/conflicts.ts';
import { antiAffinityRules } from '../../src/strategies/anti-affinity/rules.ts';
import { removePodsViolatingInterPodAntiAffinity } from '../../src/strategies/anti-affinity/remove-pods-violating-inter-pod-anti-affinity.ts';
import {
  apart,
  asks,
  budget,
  condition,
  cordoned,
  labels,
  namespace,
  namespaceObject,
  node,
  noOwner,
  nodeSelector,
  notReady,
  on,
  ownedBy,
  type Part,
  phase,
  pod,
  podTerm,
  priority,
  selector,
  sized,
  snapshot,
  spec,
  status,
  terminating,
} from '../builders/cluster.ts';
import { planTable, SPARE } from './plan-table.ts';
import { daemonSetPod, limited } from './refusals.ts';

const HOST = 'kubernetes.io/hostname';
const inRegion = labels({ region: 'main-region' });
const n1 = (...pods: readonly Pod[]) => node('n1', sized(2000, 3000, 10), inRegion, ...pods);
const small = (name: string, ...parts: readonly Part<Pod>[]) => pod(name, asks(100, 0), ownedBy('Pod', ''), ...parts);
const foo = labels({ foo: 'bar' });
const anti = apart('foo in (bar)', 'region');
const standard = [small('p1', anti), small('p2', foo), small('p3', anti), small('p4', anti)];
const critical = pod('non-evict', asks(100, 0), noOwner, priority(2_000_000_000), foo);
const west = small('p8', noOwner, nodeSelector({ datacenter: 'west' }));

const none = (rules: string) => [`no required anti-affinity is broken: ${rules} checked`];
const p2Goes = ['p2@n1 matches foo=bar in region=main-region, which default/p1 and 2 more forbid'];

/** Three nodes with their hostnames. */
const hosts = (...pods: readonly (Pod | Namespace)[]) => snapshot(node('h1'), node('h2'), node('h3'), ...pods);
const red = labels({ color: 'red' });
const ready = status({ conditions: [condition('Ready', 'True')] });
const antiRed = apart('color=red', HOST);

describe('RemovePodsViolatingInterPodAntiAffinity', () => {
  describe('rule T22', () => {
    planTable(removePodsViolatingInterPodAntiAffinity, [
      { row: 'AA-1 no limit', cluster: snapshot(n1(...standard), SPARE), evictions: p2Goes, reference: 3 },
      {
        row: 'AA-2 mN=3',
        cluster: snapshot(n1(...standard), SPARE),
        limits: { node: 3 },
        evictions: p2Goes,
        reference: 3,
      },
      {
        row: 'AA-4 mNs=3, mT=1: as many as in the reference, but p2',
        cluster: snapshot(n1(...standard), SPARE),
        limits: { namespace: 3, total: 1 },
        evictions: p2Goes,
      },
      ...['AA-6', 'AA-7'].map((id) => ({
        row: `${id} critical occupant, mN=1`,
        cluster: snapshot(n1(small('p1', anti), critical), SPARE),
        limits: { node: 1 },
        evictions: ['p1@n1 forbids foo=bar in region=main-region, where default/non-evict runs'],
      })),
      {
        row: 'AA-8 selector mismatch, NF, mN=1',
        cluster: snapshot(n1(west, critical), node('n2', sized(2000, 3000, 10), labels({ datacenter: 'east' }))),
        evictor: { nodeFit: true },
        limits: { node: 1 },
        notes: none('0 rules'),
      },
      {
        row: 'AA-9 other node cordoned, NF, mN=1',
        cluster: snapshot(n1(west, critical), node('n3', sized(2000, 3000, 10), cordoned)),
        evictor: { nodeFit: true },
        limits: { node: 1 },
        notes: none('0 rules'),
      },
      {
        row: 'AA-10 terminating',
        cluster: snapshot(n1(small('p9', anti, terminating), small('p10', anti, terminating)), SPARE),
        notes: none('0 rules'),
      },
    ]);
  });

  describe('rule T5, the check itself', () => {
    const both = (name: string, ...parts: readonly Part<Pod>[]) => pod(name, foo, anti, ...parts);
    checkTable([
      {
        row: 'AAC-1 two pods that carry and match the rule in one region',
        cluster: snapshot(node('node', inRegion, both('p1'), both('p2'))),
        expected: ['foo=bar in region=main-region: p1,p2 forbid p1,p2'],
      },
      {
        row: 'AAC-2 a pod without a node, a term that matches nobody',
        cluster: snapshot(node('node', inRegion), pod('p1', foo, apart('wrong=selector', 'region'))),
        expected: [],
      },
      {
        row: 'AAC-3 the other pod in another namespace',
        cluster: snapshot(node('node', inRegion, both('p1'), pod('p2', foo, namespace('other')))),
        expected: [],
      },
    ]);
  });

  describe('rule T7 and rule E19', () => {
    planTable(removePodsViolatingInterPodAntiAffinity, [
      {
        row: 'namespaceSelector {} is every namespace',
        cluster: hosts(
          pod('a', apart('color=red', HOST, { namespaceSelector: selector('') }), on('h1')),
          pod('b', red, namespace('other'), noOwner, on('h1')),
        ),
        evictions: ['a@h1 forbids color=red in kubernetes.io/hostname=h1, where other/b runs'],
        reference: 0,
      },
      {
        row: 'namespaceSelector joins the list of namespaces and leaves out the own one',
        cluster: hosts(
          pod(
            'a',
            apart('color=red', HOST, { namespaces: ['x'], namespaceSelector: selector('team=t') }),
            on('h1'),
            priority(9),
          ),
          pod('own', red, on('h1')),
          pod('listed', red, namespace('x'), on('h1')),
          pod('selected', red, namespace('y'), on('h1')),
          pod('unselected', red, namespace('z'), on('h1')),
          namespaceObject('y', { team: 't' }),
          namespaceObject('z', { team: 'u' }),
        ),
        evictions: ['a@h1 forbids color=red in kubernetes.io/hostname=h1, where x/listed and 1 more run'],
        reference: 0,
      },
      {
        row: 'the same name in two namespaces is two pods',
        cluster: hosts(
          pod('db-0', apart('color=red', HOST, { namespaces: ['x'] }), on('h1')),
          pod('db-0', red, namespace('x'), on('h1')),
        ),
        evictions: ['db-0@h1 forbids color=red in kubernetes.io/hostname=h1, where x/db-0 runs'],
        reference: 0,
      },
      {
        row: 'a shared node without the topology key breaks nothing',
        cluster: snapshot(n1(pod('a', apart('color=red', 'zone')), pod('b', red)), SPARE),
        notes: none('1 rule'),
      },
      {
        row: 'a key that objects of the language have by themselves is a key like any other',
        cluster: hosts(pod('a', apart('color=red', 'constructor'), on('h1')), pod('b', red, on('h1'))),
        notes: none('1 rule'),
      },
      {
        row: 'two nodes of one zone are one domain',
        cluster: snapshot(
          node('a1', labels({ zone: 'a' }), pod('p', apart('color=red', 'zone'), priority(1))),
          node('a2', labels({ zone: 'a' }), pod('q', red)),
          node('b1', labels({ zone: 'b' }), pod('r', red)),
        ),
        evictions: ['q@a2 matches color=red in zone=a, which default/p forbids'],
      },
      {
        row: 'a term without a selector forbids nobody, an empty one everybody',
        cluster: hosts(
          pod('a', spec({ podAntiAffinity: [podTerm('', HOST, { labelSelector: undefined })] }), on('h1')),
          pod('b', on('h1')),
          pod('c', apart('', HOST), on('h2')),
          pod('d', on('h2')),
        ),
        evictions: ['c@h2 forbids every pod in kubernetes.io/hostname=h2, where default/d runs'],
      },
      {
        row: 'matchLabelKeys are part of the stored selector and not read again',
        cluster: hosts(
          pod('a', red, apart('color=red', HOST, { matchLabelKeys: ['rev'] }), labels({ rev: '1' }), on('h1')),
          pod('b', red, labels({ rev: '2' }), on('h1')),
        ),
        evictions: ['a@h1 forbids color=red in kubernetes.io/hostname=h1, where default/b runs'],
      },
      {
        row: 'of mutual enemies the less important goes',
        cluster: hosts(pod('a', red, antiRed, priority(10), on('h1')), pod('b', red, antiRed, priority(2), on('h1'))),
        evictions: ['b@h1 matches color=red in kubernetes.io/hostname=h1, which default/a forbids'],
      },
      {
        row: 'of three mutual enemies two go',
        cluster: hosts(...['a', 'b', 'c'].map((name) => pod(name, red, antiRed, on('h1')))),
        evictions: [
          'a@h1 matches color=red in kubernetes.io/hostname=h1, which default/b and 1 more forbid',
          'b@h1 matches color=red in kubernetes.io/hostname=h1, which default/c forbids',
        ],
      },
      {
        row: 'a terminating pod is about to end its violation by itself',
        cluster: hosts(pod('a', antiRed, on('h1')), pod('b', red, terminating, on('h1'))),
        notes: none('1 rule'),
        reference: 1,
      },
      {
        row: 'a finished pod violates nothing',
        cluster: hosts(pod('a', antiRed, on('h1')), pod('b', red, phase('Failed'), on('h1'))),
        notes: none('1 rule'),
      },
      {
        row: 'pods outside of the filters are counterparts, not victims',
        cluster: hosts(
          pod('a', apart('color=red', HOST, { namespaces: ['x'] }), on('h1'), priority(7)),
          pod('b', red, namespace('x'), on('h1')),
        ),
        args: { namespaces: { exclude: ['x'] } },
        evictions: ['a@h1 forbids color=red in kubernetes.io/hostname=h1, where x/b runs'],
      },
      {
        row: 'pods on nodes that are not looked at are counterparts, not victims',
        cluster: snapshot(
          node('a1', labels({ zone: 'a' }), pod('p', apart('color=red', 'zone'), priority(7))),
          node('a2', labels({ zone: 'a' }), notReady, pod('q', red)),
          SPARE,
        ),
        evictions: ['p@a1 forbids color=red in zone=a, where default/q runs'],
      },
      {
        row: 'violations out of reach are named',
        cluster: hosts(pod('a', antiRed, on('h1')), pod('b', red, on('h1'))),
        args: { labelSelector: { matchLabels: { app: 'x' } } },
        notes: [
          'broken, but only by pods on nodes or in namespaces that are not checked: color=red in kubernetes.io/hostname=h1',
        ],
      },
      {
        row: 'where nobody may go, everybody says why',
        cluster: hosts(pod('a', antiRed, noOwner, on('h1')), pod('b', red, ownedBy('DaemonSet', 'ds'), on('h1'))),
        refusals: [
          'a@h1 [FailedBarePods] is a bare pod in phase Running: it has no owner that would replace it; only the annotation descheduler.alpha.kubernetes.io/evict would allow its eviction (podProtections.defaultDisabled: [FailedBarePods] frees bare pods that have failed)',
          daemonSetPod('b@h1'),
        ],
      },
      {
        row: 'whom a budget holds is left, the others make up for it',
        cluster: snapshot(
          node('h1', pod('a', antiRed), pod('b', red, ready), pod('c', antiRed)),
          SPARE,
          budget('b', 'color=red', { disruptionsAllowed: 0 }),
        ),
        evictions: [
          'a@h1 forbids color=red in kubernetes.io/hostname=h1, where default/b runs',
          'c@h1 forbids color=red in kubernetes.io/hostname=h1, where default/b runs',
        ],
      },
      {
        row: 'with a limit the least important violators over all groups go first',
        cluster: hosts(
          pod('a', red, antiRed, priority(5), on('h1')),
          pod('b', red, antiRed, priority(5), on('h1')),
          pod('c', red, antiRed, priority(1), on('h2')),
          pod('d', red, antiRed, priority(5), on('h2')),
        ),
        limits: { total: 1 },
        evictions: ['c@h2 matches color=red in kubernetes.io/hostname=h2, which default/d forbids'],
        refusals: [limited('a@h1', 'Total', '1 eviction')],
      },
      {
        row: 'groups of more than 16 pods: whoever must go, then whoever is in most violations',
        cluster: hosts(
          pod('hub', red, on('h1'), priority(100)),
          ...Array.from({ length: 20 }, (_, number) => pod(`leaf-${number + 10}`, antiRed, on('h1'))),
          pod('leaf-99', antiRed, labels({ size: 'big' }), on('h1')),
          pod('daemon', apart('size=big', HOST), ownedBy('DaemonSet', 'ds'), on('h1')),
        ),
        evictions: [
          'leaf-99@h1 forbids color=red in kubernetes.io/hostname=h1, where default/hub runs',
          'hub@h1 matches color=red in kubernetes.io/hostname=h1, which default/leaf-10 and 19 more forbid',
        ],
      },
    ]);
  });
});

/** Conflicts as lines: `selector in key=value: carriers forbid pods`. */
function checkTable(
  rows: readonly { readonly row: string; readonly cluster: Snapshot; readonly expected: readonly string[] }[],
): void {
  for (const { row, cluster, expected } of rows) {
    it(row, () => {
      const conflicts = antiAffinityRules(cluster).flatMap((rule) => conflictsOf(rule, cluster));
      const names = (pods: readonly Pod[]) => pods.map((each) => each.name).join(',');
      assert.deepEqual(
        conflicts.map(({ what, carriers, forbidden }) => `${what}: ${names(carriers)} forbid ${names(forbidden)}`),
        expected,
      );
    });
  }
}
