import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { Snapshot } from '../../src/cluster/snapshot.ts';
import { createPlacement } from '../../src/placement/fit.ts';
import { NodeIndexes } from '../../src/placement/counts/node-indexes.ts';
import { waitingPods } from '../../src/placement/queue.ts';
import {
  allocatable,
  apart,
  createdAt,
  hostPort,
  labels,
  node,
  nodeSelector,
  on,
  phase,
  pod,
  priority,
  requests,
  snapshot,
  spec,
  spreads,
  status,
  taint,
  terminating,
  type Part,
} from '../builders/cluster.ts';
import { scenes } from '../contracts/random-placement.ts';
import { HOSTNAME } from './filter-rows.ts';

const pending = status({ phase: 'Pending' });
const cpu = (amount: number) => requests({ cpu: amount });
const only = (name: string) => nodeSelector({ [HOSTNAME]: name });

/** What the pod is told about each node, `fits` where it fits. */
function answers(cluster: Snapshot, asked: Pod): Readonly<Record<string, string>> {
  const placement = createPlacement(cluster);
  return Object.fromEntries(
    cluster.nodes.map((one) => [
      one.name,
      placement
        .misfits(asked, one)
        .map(({ text }) => text)
        .join() || 'fits',
    ]),
  );
}

describe('placement: pending pods get their places first', () => {
  const victim = pod('v', cpu(2), on('n1'));
  const base = [node('n1', taint('retire:NoSchedule')), node('n2'), victim];
  const held = 'needs 2 cpu, 0 of 4 free, 4 kept for default/q (pending)';

  const rows: readonly [sentence: string, waiting: Pod, answer: string][] = [
    ['of the same priority', pod('q', pending, cpu(4)), held],
    ['of higher priority', pod('q', pending, cpu(4), priority(1)), held],
    ['not of lower priority', pod('q', pending, cpu(4), priority(-1)), 'fits'],
    ['not behind a scheduling gate', pod('q', pending, cpu(4), spec({ schedulingGates: ['wait'] })), 'fits'],
    ['not those of another scheduler', pod('q', pending, cpu(4), spec({ schedulerName: 'other' })), 'fits'],
    ['not if they are being deleted', pod('q', pending, cpu(4), terminating), 'fits'],
    ['not if they have ended', pod('q', phase('Failed'), cpu(4)), 'fits'],
    ['not if they fit nowhere', pod('q', pending, cpu(5)), 'fits'],
    [
      'not if a claim of theirs cannot be had',
      pod('q', pending, cpu(4), spec({ volumes: [{ kind: 'claim', name: 'v', claim: 'gone' }] })),
      'fits',
    ],
    [
      'nominated ones on the node that is kept for them',
      pod('q', status({ phase: 'Pending', nominatedNode: 'n2' }), cpu(4)),
      held,
    ],
    [
      'nominated to a node that is gone, like any other',
      pod('q', status({ phase: 'Pending', nominatedNode: 'gone' }), cpu(4)),
      held,
    ],
  ];
  for (const [sentence, waiting, answer] of rows) {
    it(sentence, () => {
      const claims = { kind: 'PersistentVolumeClaim', name: 'other' };
      const cluster = new Snapshot({
        nodes: snapshot(...base).nodes,
        pods: [victim, waiting],
        others: { PersistentVolumeClaim: [claims as never] },
      });
      assert.deepEqual(answers(cluster, victim), { n1: 'taint retire:NoSchedule is not tolerated', n2: answer });
    });
  }

  it('the room is enough for both', () => {
    assert.equal(answers(snapshot(...base, pod('q', pending, cpu(2))), victim)['n2'], 'fits');
  });

  it('a node that is too small anyway says nothing of them', () => {
    const large = pod('v', cpu(5), on('n1'));
    const cluster = snapshot(node('n1'), node('n2'), large, pod('q', pending, cpu(1), only('n2')));
    assert.equal(answers(cluster, large)['n2'], 'needs 5 cpu, 3 of 4 free');
  });

  it('the largest is named, the others are counted; slots are kept, too', () => {
    const waiting = [1, 2, 1].map((amount, index) => pod(`q${index}`, pending, cpu(amount), only('n2')));
    const cluster = snapshot(node('n1'), node('n2', allocatable({ pods: 3 })), victim, ...waiting);
    const kept = 'kept for default/q';
    assert.equal(
      answers(cluster, victim)['n2'],
      `no free pod slot, 3 of 3 taken, 3 ${kept}0 (pending) and 2 more,needs 2 cpu, 0 of 4 free, 4 ${kept}1 (pending) and 2 more`,
    );
  });

  it('the replacement of an earlier victim is named in the same way', () => {
    const earlier = pod('first', cpu(3), on('n1'));
    const cluster = snapshot(...base, earlier);
    const placement = createPlacement(cluster);
    placement.assume(earlier, cluster.node('n2'));
    const text = 'needs 2 cpu, 1 of 4 free, 3 kept for the replacement of default/first';
    assert.deepEqual(placement.misfits(victim, cluster.node('n2')!), [{ code: 'cpu', text }]);
  });

  it('they repel, take ports and count in the spread like those that are there', () => {
    const x = labels({ app: 'x' });
    const waiting = pod('q', pending, x, hostPort(80), apart('app=y', HOSTNAME), only('n2'));
    const ask = (...parts: readonly Part<Pod>[]) =>
      answers(snapshot(node('n1'), node('n2'), waiting), pod('p', ...parts))['n2'];
    assert.match(ask(labels({ app: 'y' })) ?? '', /the anti-affinity of default\/q \(pending\) on n2/u);
    assert.match(ask(hostPort(80)) ?? '', /is held by default\/q \(pending\)/u);
    assert.match(ask(apart('app=x', HOSTNAME)) ?? '', /excludes default\/q \(pending\)/u);
    assert.match(ask(x, spreads('app=x', HOSTNAME)) ?? '', /2/u);
  });

  it('each is placed where the scheduler likes it best, with those before it in their places', () => {
    const cluster = snapshot(
      node('n1'),
      node('n2', pod('r', cpu(1))),
      ...['a', 'b', 'c'].map((name) => pod(name, pending, requests({ cpu: 1, memory: '1Gi' }))),
    );
    const full = answers(cluster, pod('p', cpu(3)));
    // a on the emptier n1, b on n2, where less memory is asked for, c on n1 again.
    assert.deepEqual(full, {
      n1: 'needs 3 cpu, 2 of 4 free, 2 kept for default/a (pending) and 1 more',
      n2: 'needs 3 cpu, 2 of 4 free, 1 kept for default/b (pending)',
    });
  });

  it('the turn comes by priority, then by age, then by name', () => {
    const waiting = [
      pod('young', pending, createdAt('2026-03-01T00:00:00Z')),
      pod('old', pending, createdAt('2026-01-01T00:00:00Z')),
      pod('older-b', pending, createdAt('2025-01-01T00:00:00Z')),
      pod('older-a', pending, createdAt('2025-01-01T00:00:00Z')),
      pod('low', pending, priority(-5), createdAt('2020-01-01T00:00:00Z')),
      pod('high', pending, priority(5)),
    ];
    const cluster = snapshot(node('n1'), ...waiting);
    assert.deepEqual(
      waitingPods(cluster, new NodeIndexes(cluster)).map(({ name }) => name),
      ['high', 'older-a', 'older-b', 'old', 'young', 'low'],
    );
  });

  it('a pending pod itself sees those before it, and not those behind it', () => {
    const [first, second, third] = [1, 2, 3].map((day) =>
      pod(`q${day}`, pending, cpu(2), createdAt(`2026-01-0${day}T00:00:00Z`)),
    );
    const cluster = snapshot(node('n1'), first!, second!, third!);
    const texts = [first, second, third].map((one) => answers(cluster, one!)['n1']);
    assert.deepEqual(texts, ['fits', 'fits', 'needs 2 cpu, 0 of 4 free, 4 kept for default/q1 (pending) and 1 more']);
  });

  it('a candidate of higher priority sees what is booked, and not those behind it', () => {
    const important = pod('v', cpu(2), priority(10), on('n1'));
    const other = pod('w', cpu(1), on('n1'));
    const cluster = snapshot(node('n1'), node('n2'), important, other, pod('q', pending, cpu(3)));
    const placement = createPlacement(cluster);
    const [n1, n2] = cluster.nodes;
    const codes = () =>
      [important, other].map((one) =>
        placement
          .misfits(one, n2!)
          .map(({ text }) => text)
          .join(),
      );
    assert.deepEqual(codes(), ['', '']);
    placement.assume(other, n2);
    assert.deepEqual(codes(), ['', 'needs 1 cpu, 0 of 4 free, 4 kept for default/q (pending) and 1 more']);
    placement.assume(important, n2);
    assert.equal(
      placement.misfits(pod('x', cpu(2), priority(10)), n2!)[0]?.text,
      'needs 2 cpu, 1 of 4 free, 3 kept for the replacement of default/v and 1 more',
    );
    placement.forget(important);
    placement.remove(other);
    assert.deepEqual(placement.misfits(pod('x', cpu(4), priority(10)), n2!), []);
    assert.equal(placement.misfits(pod('x', cpu(4), priority(10)), n1!)[0]?.text, 'needs 4 cpu, 2 of 4 free');
  });

  it('answers as if those whose turn comes before were bound where the scheduler likely puts them', () => {
    const asPending = fc.array(
      fc.record({ is: fc.boolean(), priority: fc.integer({ min: -1, max: 1 }), day: fc.integer({ min: 1, max: 3 }) }),
      { minLength: 12, maxLength: 12 },
    );
    fc.assert(
      fc.property(scenes, asPending, ({ cluster: { nodes, pods, others } }, drawn) => {
        const mixed = pods.map((one, index): Pod => {
          const { is, priority: level, day } = drawn[index % drawn.length]!;
          if (!is || one.deletedAt !== undefined) return one;
          return [pending, priority(level), createdAt(`2026-01-0${day}T00:00:00Z`), on('')].reduce<Pod>(
            (before, part) => part(before),
            one,
          );
        });
        const cluster = new Snapshot({ nodes, pods: mixed, others });
        const asked = createPlacement(cluster);
        for (const candidate of cluster.pods) {
          const plain = createPlacement(boundBefore(candidate, cluster));
          for (const one of nodes) {
            const codes = asked.misfits(candidate, one).map(({ code }) => code);
            assert.deepEqual(
              codes,
              plain.misfits(candidate, one).map(({ code }) => code),
              `${candidate.name} on ${one.name}`,
            );
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** The cluster without a queue: who has a turn before the candidate is bound to the likely node, the others do not wait. */
function boundBefore(candidate: Pod, { nodes, pods, others }: Snapshot): Snapshot {
  const all = new Snapshot({ nodes, pods, others });
  const waiting = waitingPods(all, new NodeIndexes(all));
  const level = ({ spec }: Pod) => spec.priority ?? 0;
  const turn = waiting.findIndex(({ uid }) => uid === candidate.uid);
  const before = turn < 0 ? waiting.filter((one) => level(one) >= level(candidate)) : waiting.slice(0, turn);
  // Nobody minds the pods of another scheduler.
  const hidden = spec({ schedulerName: 'other' });
  let cluster = new Snapshot({ nodes, pods: pods.map((one) => (waiting.includes(one) ? hidden(one) : one)), others });
  for (const one of before) {
    const [best] = createPlacement(cluster).predict(one).likely;
    const bound = (it: Pod) => (it.uid === one.uid && best ? { ...one, nodeName: best.name } : it);
    cluster = new Snapshot({ nodes, pods: cluster.pods.map(bound), others });
  }
  return cluster;
}
