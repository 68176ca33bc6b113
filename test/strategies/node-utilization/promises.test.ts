import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Node } from '../../../src/cluster/objects/node.ts';
import type { Pod } from '../../../src/cluster/objects/pod.ts';
import type { Snapshot } from '../../../src/cluster/snapshot.ts';
import { highNodeUtilization } from '../../../src/strategies/node-utilization/high.ts';
import { lowNodeUtilization } from '../../../src/strategies/node-utilization/low.ts';
import type { Context, Strategy } from '../../../src/strategies/strategy.ts';
import { allocatable, node, pod, priority, requests, snapshot } from '../../builders/cluster.ts';

/** Where each victim was sent. */
interface Move {
  readonly pod: Pod;
  readonly to: Node;
}

/** Grants everything but every `refuses`-th pod, and sends each victim to the destination that `picks` says. */
function play<Args>(
  strategy: Strategy<Args>,
  cluster: Snapshot,
  { args, picks, refuses }: { args: Args; picks: number; refuses: number },
): readonly Move[] {
  const context: Context<Args> = {
    snapshot: cluster,
    nodes: cluster.readyNodes,
    args,
    now: new Date(0),
    inScope: () => true,
    check: () => ({ granted: true }),
    fits: (_pod, nodes) => nodes,
    replacementOf: (pod) => pod,
  };
  const moves: Move[] = [];
  const proposals = strategy.propose(context);
  let asked = 0;
  for (let step = proposals.next(); !step.done;) {
    const proposal = step.value;
    asked += 1;
    const destinations = 'evict' in proposal ? (proposal.destinations ?? []) : [];
    const to = destinations[picks % Math.max(destinations.length, 1)];
    if (!('evict' in proposal) || !to || asked % refuses === 0) {
      step = proposals.next({ granted: false, scope: 'pod', by: 'test', reason: 'refused' });
      continue;
    }
    moves.push({ pod: proposal.evict, to });
    step = proposals.next({ granted: true, destination: to });
  }
  return moves;
}

const aPod = fc.record({ cpu: fc.integer({ min: 0, max: 2500 }), priority: fc.integer({ min: 0, max: 2 }) });
const aNode = fc.record({ cpu: fc.constantFrom(2000, 4000, 8000), pods: fc.array(aPod, { maxLength: 8 }) });

const aCluster = fc
  .array(aNode, { minLength: 2, maxLength: 6 })
  .map((nodes) =>
    snapshot(
      ...nodes.map(({ cpu, pods }, n) =>
        node(
          `n${n}`,
          allocatable({ cpu: `${cpu}m`, pods: 10 }),
          ...pods.map((made, p) => pod(`p${n}-${p}`, requests({ cpu: `${made.cpu}m` }), priority(made.priority))),
        ),
      ),
    ),
  );

/** Cpu in use on the node once the moves are done. */
function cpuAfter(node: Node, cluster: Snapshot, moves: readonly Move[]): number {
  const gone = new Set(moves.map(({ pod }) => pod.uid));
  const stay = cluster.podsOn(node.name).filter(({ uid }) => !gone.has(uid));
  const come = moves.filter(({ to }) => to.name === node.name).map(({ pod }) => pod);
  return [...stay, ...come].reduce((sum, { spec }) => sum + (spec.containers[0]?.requests['cpu'] ?? 0), 0);
}

const anyPlay = { picks: fc.nat(7), refuses: fc.integer({ min: 2, max: 5 }) };

describe('utilization strategies, whatever destination the pipeline promises', () => {
  it('LowNodeUtilization lifts no destination over its target, and takes no pod twice', () => {
    const args = lowNodeUtilization.args.parse({ thresholds: { cpu: 30 }, targetThresholds: { cpu: 60 } });
    fc.assert(
      fc.property(aCluster, fc.record(anyPlay), (cluster, { picks, refuses }) => {
        const moves = play(lowNodeUtilization, cluster, { args, picks, refuses });
        assert.equal(new Set(moves.map(({ pod }) => pod.uid)).size, moves.length);
        for (const { to } of moves) {
          assert.ok(cpuAfter(to, cluster, moves) <= 0.6 * (to.allocatable['cpu'] ?? 0), to.name);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('LowNodeUtilization takes no more from a node than brings it to its target', () => {
    const args = lowNodeUtilization.args.parse({ thresholds: { cpu: 30 }, targetThresholds: { cpu: 60 } });
    fc.assert(
      fc.property(aCluster, fc.record(anyPlay), (cluster, { picks, refuses }) => {
        const moves = play(lowNodeUtilization, cluster, { args, picks, refuses });
        for (const giver of cluster.nodes) {
          const own = moves.filter(({ pod }) => pod.nodeName === giver.name);
          if (own.length === 0) continue;
          const butTheLast = cpuAfter(giver, cluster, own.slice(0, -1));
          assert.ok(butTheLast > Math.trunc(0.6 * (giver.allocatable['cpu'] ?? 0)), giver.name);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('HighNodeUtilization fills no node beyond what it has, and sends nothing to a node it empties', () => {
    const args = highNodeUtilization.args.parse({ thresholds: { cpu: 30 } });
    fc.assert(
      fc.property(aCluster, fc.record(anyPlay), (cluster, { picks, refuses }) => {
        const moves = play(highNodeUtilization, cluster, { args, picks, refuses });
        const emptied = new Set(moves.map(({ pod }) => pod.nodeName));
        for (const { to } of moves) {
          assert.ok(cpuAfter(to, cluster, moves) <= (to.allocatable['cpu'] ?? 0), to.name);
          assert.ok(!emptied.has(to.name), to.name);
        }
      }),
      { numRuns: 300 },
    );
  });
});
