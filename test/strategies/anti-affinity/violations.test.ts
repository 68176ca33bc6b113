import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Pod } from '../../../src/cluster/objects/pod.ts';
import { groupConflicts, type Conflict, type ConflictGroup } from '../../../src/strategies/anti-affinity/conflicts.ts';
import { Violations } from '../../../src/strategies/anti-affinity/violations.ts';
import { pod, priority } from '../../builders/cluster.ts';

describe('Violations', () => {
  it('up to 16 pods, as few go as trying every set finds', () => {
    fc.assert(
      fc.property(conflictsAmong(8), fc.uniqueArray(fc.integer({ min: 0, max: 7 })), (conflicts, protectedOnes) => {
        for (const group of groupConflicts(conflicts)) {
          const isStuck = (each: Pod) => protectedOnes.includes(Number(each.name));
          const gone = play(group, isStuck);
          assert.equal(gone.size, fewest(group, isStuck));
          assert.deepEqual(
            unended(group, gone).filter(([a, b]) => !isStuck(a) || !isStuck(b)),
            [],
          );
        }
      }),
    );
  });

  it('beyond 16 pods, every violation ends that an eviction can end', () => {
    fc.assert(
      fc.property(conflictsAmong(40), fc.uniqueArray(fc.integer({ min: 0, max: 39 })), (conflicts, protectedOnes) => {
        for (const group of groupConflicts(conflicts)) {
          const isStuck = (each: Pod) => protectedOnes.includes(Number(each.name));
          const gone = play(group, isStuck);
          assert.deepEqual(
            unended(group, gone).filter(([a, b]) => !isStuck(a) || !isStuck(b)),
            [],
          );
        }
      }),
    );
  });

  it('a set of more important pods is not taken where one of equal size is less important', () => {
    const [a, b, c, d] = [9, 1, 5, 5].map((value, place) => pod(`p${place}`, priority(value))) as [Pod, Pod, Pod, Pod];
    const [group] = groupConflicts([conflict([a], [b]), conflict([b], [c]), conflict([c], [d])]);
    assert.ok(group);
    assert.deepEqual(
      [...play(group, () => false)].map((each) => each.name),
      ['p1', 'p2'],
    );
  });

  it('a group of a thousand pods that are all at odds takes no time to speak of', () => {
    const pods = Array.from({ length: 1000 }, (_, number) => pod(String(number).padStart(4, '0')));
    const [group] = groupConflicts([conflict(pods, pods)]);
    assert.ok(group);
    const gone = play(group, () => false);
    assert.deepEqual(
      pods.filter((each) => !gone.has(each)).map((each) => each.name),
      ['0999'],
    );
  });
});

function conflict(carriers: readonly Pod[], forbidden: readonly Pod[]): Conflict {
  return { what: 'x=y in zone=a', carriers, forbidden };
}

function conflictsAmong(size: number): fc.Arbitrary<readonly Conflict[]> {
  const pods = Array.from({ length: size }, (_, number) => pod(String(number)));
  const some = fc.subarray(pods, { minLength: 1, maxLength: 5 });
  const any = fc.tuple(some, some).filter(([a, b]) => new Set([...a, ...b]).size > 1);
  return fc.array(
    any.map(([carriers, forbidden]) => conflict(carriers, forbidden)),
    { maxLength: 8 },
  );
}

/** Evicts whom it is told to; the answer is who is gone. */
function play(group: ConflictGroup, isStuck: (pod: Pod) => boolean): ReadonlySet<Pod> {
  const violations = new Violations(group);
  group.pods.filter(isStuck).forEach((each) => violations.refused(each));
  const gone = new Set<Pod>();
  for (let next = violations.next(); next; next = violations.next()) {
    assert.ok(!isStuck(next) && !gone.has(next), 'nobody is asked twice, nobody protected at all');
    gone.add(next);
    violations.evicted(next);
  }
  return gone;
}

/** The plain rule: pairs of a carrier and another pod that it forbids, neither of which is gone. */
function unended(group: ConflictGroup, gone: ReadonlySet<Pod>): readonly (readonly [Pod, Pod])[] {
  return group.conflicts
    .flatMap(({ carriers, forbidden }) => carriers.flatMap((a) => forbidden.map((b) => [a, b] as const)))
    .filter(([a, b]) => a !== b && !gone.has(a) && !gone.has(b));
}

function fewest(group: ConflictGroup, isStuck: (pod: Pod) => boolean): number {
  const free = group.pods.filter((each) => !isStuck(each));
  const sets = Array.from({ length: 2 ** free.length }, (_, mask) => free.filter((_each, bit) => mask & (1 << bit)));
  const ending = sets.filter((set) => unended(group, new Set(set)).every(([a, b]) => isStuck(a) && isStuck(b)));
  return Math.min(...ending.map((set) => set.length));
}
