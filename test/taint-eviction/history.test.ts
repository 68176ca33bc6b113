import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Node } from '../../src/cluster/node.ts';
import type { Pod } from '../../src/cluster/pod.ts';
import type { Taint, Toleration } from '../../src/cluster/taints.ts';
import { deadlineOf } from '../../src/taint-eviction/deadline.ts';
import { sightTaints, type SightedTaint } from '../../src/taint-eviction/sightings.ts';
import { node, on, pod, spec } from '../builders/cluster.ts';
import { at, boundSince, stamp, World } from '../node-lifecycle/world.ts';

// Random lives of one node and three pods: taints come, go and change their value, tolerations change, the controller is
// restarted. A model with nothing but the pure deadline says when each pod must go.

type Step =
  | { readonly kind: 'taints'; readonly taints: readonly Taint[] }
  | { readonly kind: 'tolerations'; readonly pod: number; readonly tolerations: readonly Toleration[] }
  | { readonly kind: 'restart' };

/** Steps with the whole seconds in between. */
type History = readonly (readonly [wait: number, step: Step])[];

const KEYS = ['a', 'b', 'node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const PODS = 3;
const END = 400;

const taint = fc.record({
  key: fc.constantFrom(...KEYS),
  value: fc.constantFrom('', 'x'),
  effect: fc.constant('NoExecute'),
  // Seconds before the moment at which it is put on; a taint is never from the future here.
  timeAdded: fc.constantFrom('0', '5', '60'),
});
const taints = fc.uniqueArray(taint, { maxLength: 3, selector: ({ key }) => key });
const toleration: fc.Arbitrary<Toleration> = fc.record({
  key: fc.constantFrom('', ...KEYS),
  operator: fc.constant('Exists'),
  value: fc.constant(''),
  effect: fc.constantFrom('', 'NoExecute'),
  tolerationSeconds: fc.constantFrom(undefined, -1, 0, 1, 10, 30, 100),
});
const tolerations = fc.array(toleration, { maxLength: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('taints' as const), taints }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('tolerations' as const), pod: fc.nat(PODS - 1), tolerations }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);
const history: fc.Arbitrary<History> = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), step), { maxLength: 10 });
const start = fc.tuple(tolerations, tolerations, tolerations);

describe('random histories', () => {
  it('every pod goes at exactly the moment that the pure deadline says, none earlier, none twice', async () => {
    await fc.assert(
      fc.asyncProperty(start, history, async (first, steps) => {
        assert.deepEqual(await played(first, steps), predicted(first, steps));
      }),
      { numRuns: 300 },
    );
  });
});

/** What the controller does, as `seconds pod`. */
async function played(first: readonly (readonly Toleration[])[], steps: History): Promise<readonly string[]> {
  const pods = first.map((each, index) => podOf(index, each));
  const world = new World([node('n'), ...pods], { lifecycle: 'off' });
  world.start();
  let now = 0;
  for (const [wait, each] of steps) {
    now += wait;
    await world.until(`${now}s`);
    if (each.kind === 'taints') world.node('n', (before) => withTaints(before, each.taints, now));
    else if (each.kind === 'tolerations') world.pod(`p${each.pod}`, spec({ tolerations: each.tolerations }));
    else await world.restart();
    await world.until(`${now}s`);
  }
  await world.until(`${END}s`);
  return world
    .logged('deleted')
    .map((line) => line.replace(/^(.*) deleted default\//, '$1 '))
    .sort();
}

/** What it should do: after every step the deadline of every pod, the first that comes before the next step counts. */
function predicted(first: readonly (readonly Toleration[])[], steps: History): readonly string[] {
  const pods: (Pod | undefined)[] = first.map((each, index) => podOf(index, each));
  const gone: string[] = [];
  let on: Node = node('n');
  let sighted: readonly SightedTaint[] = [];
  let seenAt: number | undefined;
  let now = 0;
  const expire = (until: number): void => {
    for (const [index, each] of pods.entries()) {
      if (!each) continue;
      const end = Math.max(deadlineOf(each, sighted, seenAt ?? at(`${now}s`)).at, at(`${now}s`));
      // What falls due at the very moment of the next step goes before it.
      if (end > at(`${until}s`)) continue;
      gone.push(`${durationOf(end)} p${index}`);
      pods[index] = undefined;
    }
  };
  const look = (): void => {
    sighted = sightTaints(sighted, on, at(`${now}s`));
    seenAt = sighted.length === 0 ? undefined : (seenAt ?? at(`${now}s`));
  };
  for (const [wait, each] of steps) {
    expire(now + wait);
    now += wait;
    if (each.kind === 'taints') on = withTaints(on, each.taints, now);
    else if (each.kind === 'restart') {
      sighted = [];
      seenAt = undefined;
    } else {
      const before = pods[each.pod];
      if (before) pods[each.pod] = spec({ tolerations: each.tolerations })(before);
    }
    look();
    expire(now);
  }
  expire(END);
  return gone.sort();
}

function podOf(index: number, of: readonly Toleration[]): Pod {
  return pod(`p${index}`, on('n'), boundSince('-1h'), spec({ tolerations: of }));
}

/** A taint that is there already keeps its time. */
function withTaints(before: Node, given: readonly Taint[], now: number): Node {
  const known = (key: string) => before.taints.find((it) => it.key === key)?.timeAdded;
  return {
    ...before,
    taints: given.map((each) => ({
      ...each,
      timeAdded: known(each.key) ?? stamp(`${now - Number(each.timeAdded)}s`),
    })),
  };
}

function durationOf(end: number): string {
  const total = (end - at('0s')) / 1000;
  const minutes = Math.floor(total / 60);
  return minutes === 0 ? `${total}s` : `${minutes}m${total - minutes * 60}s`;
}
