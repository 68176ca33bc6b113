import type { Labels } from '../../src/cluster/objects/terms.ts';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { matchesRequirements, parseSelector } from '../../src/cluster/rules/selectors.ts';
import { isReady } from '../../src/cluster/objects/node.ts';
import type { Condition } from '../../src/cluster/objects/pod.ts';
import { compareText } from '../../src/cluster/snapshot.ts';
import {
  budget,
  condition,
  conditions,
  cordoned,
  labels,
  namespace,
  namespaceObject,
  node,
  notReady,
  on,
  phase,
  pod,
  priority,
  snapshot,
  spec,
  terminating,
  uid,
} from '../builders/cluster.ts';

function names(things: readonly { readonly name: string }[]): readonly string[] {
  return things.map(({ name }) => name);
}

describe('Snapshot', () => {
  it('the order of the input does not matter', () => {
    const things = [
      node('n2', pod('b'), pod('a')),
      node('n1', pod('c')),
      pod('a', namespace('x')),
      pod('a', namespace('x'), uid('other')),
      budget('b2', 'app'),
      budget('b1', 'app'),
      namespaceObject('x'),
    ];
    const seen = (given: typeof things): unknown => {
      const cluster = snapshot(...given);
      return [cluster.nodes, cluster.pods, cluster.others, cluster.podsOn('n2')];
    };
    fc.assert(
      fc.property(fc.shuffledSubarray(things, { minLength: things.length }), (shuffled) => {
        assert.deepEqual(seen(shuffled), seen(things));
      }),
    );
  });

  it('stands by name, pods and other kinds by namespace, name and UID', () => {
    const cluster = snapshot(
      node('n10', pod('b')),
      node('n2'),
      pod('a', namespace('x')),
      budget('z', ''),
      budget('a', ''),
      budget('b', '', { namespace: 'a' }),
    );
    assert.deepEqual(names(cluster.nodes), ['n10', 'n2']);
    assert.deepEqual(names(cluster.pods), ['b', 'a']);
    assert.deepEqual(names(cluster.list('PodDisruptionBudget')), ['b', 'a', 'z']);
  });

  it('cannot be changed', () => {
    const cluster = snapshot(node('n1', pod('a')));
    assert.ok([cluster.nodes, cluster.pods, cluster.others].every(Object.isFrozen));
  });

  it('LST-1 the pods of a node', () => {
    const cluster = snapshot(node('n1', pod('pod1'), pod('pod2')), node('n2', pod('pod3')));
    assert.deepEqual(names(cluster.podsOn('n1')), ['pod1', 'pod2']);
  });

  const groups: readonly [
    id: string,
    places: readonly string[],
    expected: Readonly<Record<string, readonly string[]>>,
  ][] = [
    ['GRP-1 none', [], { node1: [], node2: [] }],
    ['GRP-2 two on node1', ['node1', 'node1'], { node1: ['p0', 'p1'], node2: [] }],
    ['GRP-3 one each', ['node1', 'node2'], { node1: ['p0'], node2: ['p1'] }],
  ];
  for (const [id, places, expected] of groups) {
    it(id, () => {
      const cluster = snapshot(...places.map((place, index) => pod(`p${index}`, on(place))));
      const grouped = Object.fromEntries(Object.keys(expected).map((name) => [name, names(cluster.podsOn(name))]));
      assert.deepEqual(grouped, expected);
    });
  }

  it('finished pods are on the node but hold no room; terminating ones do', () => {
    const cluster = snapshot(
      node('n1', pod('a', phase('Failed')), pod('b', phase('Succeeded')), pod('c', terminating), pod('d', phase(''))),
    );
    assert.deepEqual(names(cluster.podsOn('n1')), ['a', 'b', 'c', 'd']);
    assert.deepEqual(names(cluster.assignedPodsOf('n1')), ['c', 'd']);
  });

  it('pods by namespace, bound or not', () => {
    const cluster = snapshot(pod('a', namespace('x')), pod('b', namespace('x'), on('n1')), pod('c'));
    assert.deepEqual(names(cluster.podsIn('x')), ['a', 'b']);
    assert.deepEqual(cluster.podsIn('y'), []);
  });

  it('a pod that only names the class of its priority has the value of the class, and shares its spec as before', () => {
    const high = { kind: 'PriorityClass', name: 'high', namespace: '', uid: 'high', labels: {}, value: 7 } as const;
    const classy = spec({ priorityClassName: 'high' });
    const [a, b] = [pod('a', classy), pod('b', classy)];
    const twin = { ...b, spec: a.spec };
    const set = pod('c', classy, priority(1));
    const { pods } = snapshot(a, twin, set, pod('d', spec({ priorityClassName: 'gone' })), pod('e'), high);
    assert.deepEqual(
      pods.map((one) => one.spec.priority),
      [7, 7, 1, undefined, undefined],
    );
    assert.equal(pods[0]?.spec, pods[1]?.spec);
    assert.equal(pods[2], set);
  });

  it('a kind that is absent is unknown, not empty', () => {
    const cluster = snapshot(namespaceObject('x'));
    assert.deepEqual([cluster.knows('Namespace'), cluster.knows('Service')], [true, false]);
    assert.deepEqual(cluster.list('Service'), []);
  });

  it('finds one object by namespace and name', () => {
    const cluster = snapshot(budget('b', ''), budget('b', '', { namespace: 'x' }), namespaceObject('x'));
    assert.equal(cluster.find('PodDisruptionBudget', 'x', 'b')?.uid, 'uid-x-b');
    assert.equal(cluster.find('Namespace', '', 'x')?.name, 'x');
    assert.equal(cluster.find('PodDisruptionBudget', 'y', 'b'), undefined);
    assert.equal(cluster.find('Service', 'x', 'b'), undefined);
    assert.equal(cluster.node('n1'), undefined);
  });

  it('after some evictions, pods are gone by UID and their replacements are there; the rest is the same', () => {
    const cluster = snapshot(node('n1', pod('a'), pod('b')), node('n2', pod('c')), budget('z', ''));
    const [a] = cluster.podsOn('n1');
    assert.ok(a);
    const assumed = { ...a, uid: 'new', nodeName: 'n2', replaces: a };
    const expected = cluster.after({ gone: [a], assumed: [assumed] });
    assert.deepEqual(
      [names(expected.podsOn('n1')), expected.podsOn('n2')],
      [['b'], [assumed, ...cluster.podsOn('n2')]],
    );
    assert.deepEqual(expected.assignedPodsOf('n2'), expected.podsOn('n2'));
    assert.deepEqual(names(cluster.podsOn('n1')), ['a', 'b']);
    assert.deepEqual([expected.nodes, expected.others], [cluster.nodes, cluster.others]);
  });

  it('after no evictions it is the same snapshot', () => {
    const cluster = snapshot(node('n1', pod('a')));
    assert.equal(cluster.after({ gone: [], assumed: [] }), cluster);
  });

  it('text is compared by code units', () => {
    assert.deepEqual(['b', 'a', 'B', '\u00e4', 'a'].toSorted(compareText), ['B', 'a', 'a', 'b', '\u00e4']);
  });
});

describe('nodes (rule T5)', () => {
  const ready: readonly [id: string, given: readonly Condition[], expected: boolean][] = [
    ['RDY-1 Ready=True', [condition('Ready', 'True')], true],
    ['RDY-2 only MemoryPressure=True', [condition('MemoryPressure', 'True')], true],
    ['RDY-3 only NetworkUnavailable=True', [condition('NetworkUnavailable', 'True')], true],
    ['RDY-5 Ready=False', [condition('Ready', 'False')], false],
    ['Ready=Unknown', [condition('MemoryPressure', 'False'), condition('Ready', 'Unknown')], false],
    ['no condition', [], true],
  ];
  for (const [id, given, expected] of ready) {
    it(`${id}: ${expected ? 'ready' : 'not ready'}`, () => {
      assert.equal(isReady(node('n', conditions(...given))), expected);
    });
  }

  it('RDY-4 a cordoned node is ready', () => {
    assert.equal(isReady(node('n', cordoned)), true);
  });

  it('RDY-6 ready nodes by selector', () => {
    const cluster = snapshot(node('node1', labels({ type: 'compute' })), node('node2', labels({ type: 'infra' })));
    const selected = cluster.readyNodes.filter((each) =>
      matchesRequirements(parseSelector('type=compute'), each.labels),
    );
    assert.deepEqual(names(selected), ['node1']);
  });

  it('RDY-7..9 ready nodes of a list, in order', () => {
    const lists = [[node('a'), node('b')], [node('a'), node('b', notReady), node('c')], []];
    assert.deepEqual(
      lists.map((nodes) => names(snapshot(...nodes).readyNodes)),
      [['a', 'b'], ['a', 'c'], []],
    );
  });

  const zones: readonly [string, Labels][] = [
    ['node1', { type: 'compute', zone: 'us-east-1' }],
    ['node2', { type: 'infra', zone: 'us-west-1' }],
    ['node3', { type: 'compute', zone: 'us-west-1' }],
  ];
  const selections: readonly [id: string, selector: string, expected: readonly string[]][] = [
    ['IDX-1', 'type=compute', ['node1', 'node3']],
    ['IDX-2', 'type=infra', ['node2']],
    ['IDX-3', 'zone=us-west-1', ['node2', 'node3']],
    ['IDX-4', 'type=compute,zone=us-east-1', ['node1']],
    ['IDX-5', 'type=storage', []],
  ];
  for (const [id, text, expected] of selections) {
    it(`${id} ${text}: ${expected.join() || 'none'}`, () => {
      const cluster = snapshot(...zones.map(([name, given]) => node(name, labels(given))));
      const selected = cluster.nodes.filter((each) => matchesRequirements(parseSelector(text), each.labels));
      assert.deepEqual(names(selected), expected);
    });
  }

  it('UNS-1..2 unschedulable', () => {
    assert.deepEqual([node('n').unschedulable, node('n', cordoned).unschedulable], [false, true]);
  });
});
