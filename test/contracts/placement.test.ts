import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { createPlacement, type Placement } from '../../src/placement/fit.ts';
import { PlainPlacement } from './plain-placement.ts';
import { scenes, type Booking } from './random-placement.ts';

const RUNS = 200;

/** Codes of every pod on every node. */
function table(cluster: Snapshot, codes: (pod: Pod, index: number) => readonly string[]) {
  return cluster.pods.map((pod) => cluster.nodes.map((_, index) => codes(pod, index)));
}

function answers(placement: Placement, cluster: Snapshot) {
  return table(cluster, (pod, index) => placement.misfits(pod, cluster.nodes[index]!).map(({ code }) => code));
}

function frequencies(codes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

function book(placement: Placement | PlainPlacement, cluster: Snapshot, booking: Booking): void {
  const pod = cluster.pods[booking.pod % cluster.pods.length]!;
  if (booking.to === -3) placement.remove(pod);
  else if (booking.to === -2) placement.forget(pod);
  else placement.assume(pod, booking.to === -1 ? undefined : cluster.nodes[booking.to % cluster.nodes.length]);
}

describe('contract: placement', () => {
  it('answers as the plain rules do, after any bookings', () => {
    fc.assert(
      fc.property(scenes, ({ cluster, bookings }) => {
        const indexed = createPlacement(cluster);
        const plain = new PlainPlacement(cluster);
        const expected = () => table(cluster, (pod, index) => plain.codes(pod, cluster.nodes[index]!));
        assert.deepEqual(answers(indexed, cluster), expected());
        for (const booking of bookings) {
          book(indexed, cluster, booking);
          book(plain, cluster, booking);
          assert.deepEqual(answers(indexed, cluster), expected());
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('gives the same answer however it is asked', () => {
    fc.assert(
      fc.property(scenes, ({ cluster, bookings }) => {
        const placement = createPlacement(cluster);
        for (const booking of bookings) book(placement, cluster, booking);
        const codes = answers(placement, cluster);
        for (const [index, pod] of cluster.pods.entries()) {
          const fitting = cluster.nodes.filter((_, place) => codes[index]![place]!.length === 0);
          assert.deepEqual(placement.fitting(pod, cluster.nodes), fitting);
          assert.equal(placement.fitsAny(pod, cluster.nodes), fitting.length > 0);
          assert.deepEqual(
            Object.fromEntries(placement.summary(pod, cluster.nodes).map(({ code, count }) => [code, count])),
            frequencies(codes[index]!.flat()),
          );
          const likely = placement.likely(pod, cluster.nodes);
          assert.ok(fitting.length === 0 || likely.length > 0);
        }
      }),
      { numRuns: RUNS / 4 },
    );
  });

  it('has words for every code', () => {
    fc.assert(
      fc.property(scenes, ({ cluster }) => {
        const placement = createPlacement(cluster);
        for (const pod of cluster.pods) {
          for (const node of cluster.nodes) {
            for (const { code, text } of placement.misfits(pod, node))
              assert.notEqual(text, '', `${code} has no words`);
          }
        }
      }),
      { numRuns: RUNS / 4 },
    );
  });

  it('forgets a booking that is taken back', () => {
    fc.assert(
      fc.property(scenes, ({ cluster, bookings }) => {
        const placement = createPlacement(cluster);
        const before = answers(placement, cluster);
        for (const booking of bookings) book(placement, cluster, booking);
        for (const pod of cluster.pods) placement.forget(pod);
        assert.deepEqual(answers(placement, cluster), before);
      }),
      { numRuns: RUNS / 4 },
    );
  });
});
