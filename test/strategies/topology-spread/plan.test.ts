import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Node } from '../../../src/cluster/objects/node.ts';
import type { Pod } from '../../../src/cluster/objects/pod.ts';
import { removePodsViolatingTopologySpreadConstraint } from '../../../src/strategies/topology-spread/remove-pods-violating-topology-spread-constraint.ts';
import type { Context, Proposal, Strategy, Verdict } from '../../../src/strategies/strategy.ts';
import * as given from '../../builders/cluster.ts';
import { cycle, policy, profile, strategy } from '../../descheduler/policies.ts';
import { bruteForce } from './brute-force.ts';
import { plainExcess, sum } from './plain-spread.ts';

const ZONE = 'zone';
const HOST = 'kubernetes.io/hostname';

/** Nodes in zones, and pods bound to them. */
interface Crowd {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
}

describe('topology spread: plans for random clusters', () => {
  it('no constraint of any pod gets worse by the plan', async () => {
    await fc.assert(
      fc.asyncProperty(crowds, async (crowd) => {
        let pods = crowd.pods;
        for (const { pod, destination } of await plan(crowd, {})) {
          pods = neverWorse(crowd.nodes, pods, { pod, nodeName: destination });
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('with nodeFit, nor does it where the scheduler is likely to put the pods', async () => {
    const property = fc.asyncProperty(crowds, async (crowd) => {
      let pods = crowd.pods;
      for (const { pod, destination, likely } of await plan(crowd, { nodeFit: true })) {
        for (const nodeName of likely) neverWorse(crowd.nodes, pods, { pod, nodeName });
        pods = moved(pods, { pod, nodeName: destination });
      }
    });
    await fc.assert(property, OTHER_ORDER);
    await fc.assert(property, { numRuns: RUNS });
  });

  it('no pod goes where all constraints hold, and after some went, less is amiss', async () => {
    await fc.assert(
      fc.asyncProperty(crowds, async (crowd) => {
        const moves = await plan(crowd, {});
        const [before, after] = [crowd.pods, afterwards(crowd, moves)].map((pods) =>
          plainExcess(crowd.nodes, pods, sum),
        );
        assert.ok(moves.length === 0 || total(after!) < total(before!));
      }),
      { numRuns: RUNS },
    );
  });

  it('one constraint: the fewest evictions, past pods that cannot go and zones that are full', async () => {
    await fc.assert(
      fc.asyncProperty(heaps, fc.integer({ min: 1, max: 3 }), async (zones, maxSkew) => {
        const moves = await plan(crowdOf(zones, maxSkew), {});
        const levels = zones.map(({ free, fixed, closed }) => ({ count: free + fixed, fixed, closed }));
        const [, fewest] = bruteForce(levels, { maxSkew, lowestIsZero: false });
        assert.equal(moves.length, fewest);
      }),
      { numRuns: RUNS },
    );
  });

  it('a second cycle moves nothing that the first one has moved', async () => {
    await fc.assert(
      fc.asyncProperty(crowds, async (crowd) => {
        const first = await plan(crowd, { nodeFit: true });
        const second = await plan({ ...crowd, pods: afterwards(crowd, first) }, { nodeFit: true });
        const names = new Set(first.map(({ pod }) => pod.name));
        assert.deepEqual(
          second.map(({ pod }) => pod.name).filter((name) => names.has(name)),
          [],
        );
      }),
      { numRuns: RUNS },
    );
  });
});

const RUNS = 100;

/** A crowd in which replacements that come in another order than the plan's take nodes that the plan would not. */
const OTHER_ORDER = { seed: -1093856783, path: '59', numRuns: 1 };

/**
 * An eviction of the plan, where it counts on, and where the scheduler is likely to put the pod when its turn comes. The
 * report names more nodes than that: those of replacements that come in another order than the plan's.
 */
interface Move {
  readonly pod: Pod;
  readonly destination: string;
  readonly likely: readonly string[];
}

/** Runs the strategy in a real cycle, listening. */
async function plan({ nodes, pods }: Crowd, evictor: object): Promise<readonly Move[]> {
  const heard: Omit<Move, 'pod'>[] = [];
  const listening = strategy('Listening', (context) => overhear(context, heard), { point: 'balance' });
  const args: unknown = removePodsViolatingTopologySpreadConstraint.args.parse({});
  const report = await cycle(policy([profile('main', [listening, args])(evictor)]), given.snapshot(...nodes, ...pods));
  for (const { error } of report.strategies) assert.equal(error, undefined);
  return report.evictions.map(({ pod }, index) => ({ pod, ...heard[index]! }));
}

function* overhear(
  context: Context<unknown>,
  heard: Omit<Move, 'pod'>[],
): Generator<Proposal, readonly string[], Verdict> {
  const conversation = (removePodsViolatingTopologySpreadConstraint as Strategy<unknown>).propose(context);
  let step = conversation.next();
  while (!step.done) {
    const { value } = step;
    const likely = 'evict' in value ? context.likely?.(value.evict).map(({ name }) => name) : [];
    const verdict = yield value;
    if (verdict.granted) heard.push({ likely: likely ?? [], destination: verdict.destination?.name ?? 'nowhere' });
    step = conversation.next(verdict);
  }
  return step.value;
}

function neverWorse(nodes: readonly Node[], pods: readonly Pod[], move: Landing): readonly Pod[] {
  const then = moved(pods, move);
  const before = plainExcess(nodes, pods);
  for (const [key, excess] of plainExcess(nodes, then)) assert.ok(excess <= (before.get(key) ?? 0), key);
  return then;
}

interface Landing {
  readonly pod: Pod;
  readonly nodeName: string;
}

function moved(pods: readonly Pod[], { pod, nodeName }: Landing): readonly Pod[] {
  return pods.map((one) => (one.uid === pod.uid ? { ...one, nodeName } : one));
}

function afterwards({ pods }: Crowd, moves: readonly Move[]): readonly Pod[] {
  return moves.reduce<readonly Pod[]>((now, { pod, destination: nodeName }) => moved(now, { pod, nodeName }), pods);
}

function total(excess: ReadonlyMap<string, number>): number {
  return [...excess.values()].reduce((all, one) => all + one, 0);
}

/** What stands in a zone of two nodes: pods that may go, pods that may not, and whether anybody else can come. */
interface ZoneHeap {
  readonly free: number;
  readonly fixed: number;
  readonly closed: boolean;
}

const heaps: fc.Arbitrary<readonly ZoneHeap[]> = fc.array(
  fc.record({
    free: fc.nat({ max: 4 }),
    fixed: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat({ max: 3 })),
    closed: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
  }),
  { minLength: 2, maxLength: 4 },
);

function crowdOf(zones: readonly ZoneHeap[], maxSkew: number): Crowd {
  const pods: Pod[] = [];
  const nodes = zones.flatMap(({ free, fixed, closed }, zone) => {
    const names = [`n${zone}-a`, `n${zone}-b`];
    const add = (index: number, ...parts: readonly given.Part<Pod>[]) => {
      const rule = given.spreads('app=web', ZONE, { maxSkew });
      const place = given.on(names[index % 2]!);
      pods.push(given.pod(`p${pods.length}`, given.labels({ app: 'web' }), rule, place, ...parts));
    };
    for (let n = 0; n < free; n++) add(n);
    for (let n = 0; n < fixed; n++) add(n, given.ownedBy('DaemonSet', 'agent'));
    const full = closed ? [given.taint('full:NoSchedule')] : [];
    return names.map((name) => given.node(name, given.labels({ [ZONE]: `z${zone}` }), ...full));
  });
  return { nodes, pods };
}

const maybe = <T>(part: fc.Arbitrary<T>) => fc.option(part, { nil: undefined, freq: 1 });
const rarely = <T>(part: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: part });
const partsOf = <T>(...choices: readonly fc.Arbitrary<given.Part<T> | undefined>[]) =>
  fc.tuple(...choices).map((chosen) => chosen.filter((part) => part !== undefined));
const app = fc.constantFrom('web', 'db');

const constraint = fc
  .record({
    name: app,
    key: fc.constantFrom(ZONE, HOST),
    maxSkew: fc.constantFrom(1, 1, 2),
    minDomains: rarely(fc.constantFrom(2, 3)),
    nodeAffinityPolicy: fc.constantFrom('Honor', 'Ignore'),
    nodeTaintsPolicy: fc.constantFrom('Honor', 'Ignore'),
    matchLabelKeys: fc.constantFrom([], [], ['hash']),
  })
  .map(({ name, key, ...over }) => given.spreads(`app=${name}`, key, over));

/** Pods that crowd on the first nodes, with one or two constraints or none, and obstacles of every kind. */
const crowds: fc.Arbitrary<Crowd> = fc
  .record({
    nodes: fc.array(
      partsOf<Node>(
        fc.constantFrom('a', 'b', 'c').map((zone) => given.labels({ [ZONE]: zone })),
        maybe(fc.constantFrom('x', 'y').map((pool) => given.labels({ pool }))),
        rarely(fc.constant(given.taint('gpu:NoSchedule'))),
        rarely(fc.constant(given.cordoned)),
        rarely(fc.constant(given.notReady)),
      ),
      { minLength: 2, maxLength: 5, size: 'max' },
    ),
    pods: fc.array(
      fc.record({
        at: fc.nat({ max: 20 }),
        parts: partsOf<Pod>(
          app.map((name) => given.labels({ app: name })),
          fc.constantFrom('1', '2').map((hash) => given.labels({ hash })),
          maybe(constraint),
          rarely(constraint),
          rarely(fc.constantFrom('x', 'y').map((pool) => given.nodeSelector({ pool }))),
          rarely(fc.constant(given.tolerates('gpu'))),
          rarely(fc.constantFrom(-1, 100).map(given.priority)),
          rarely(fc.constantFrom(given.noOwner, given.terminating, given.phase('Failed'))),
          rarely(fc.constant(given.namespace('shop'))),
        ),
      }),
      { maxLength: 16, size: 'max' },
    ),
  })
  .map(({ nodes, pods }) => ({
    // A cycle needs two ready nodes; the spare ones have no labels and no room.
    nodes: [
      ...nodes.map((parts, index) => given.node(`n${index}`, ...parts)),
      ...['spare-a', 'spare-b'].map((name) => given.node(name, given.sized(0, 0, 0))),
    ],
    pods: pods.map(({ at, parts }, index) => {
      return given.pod(`p${index}`, ...parts, given.on(`n${Math.floor(((at * at) / 401) * nodes.length)}`));
    }),
  }));
