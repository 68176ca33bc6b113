import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { scopeOf } from '../../src/descheduler/profile.ts';
import { defaultEvictorArgs } from '../../src/evictor/constraints/args.ts';
import { firstRefusal } from '../../src/evictor/constraints/constraint.ts';
import { evictorConstraints } from '../../src/evictor/constraints/default-evictor.ts';
import type { CycleReport } from '../../src/outcomes/outcome.ts';
import { createPlacement } from '../../src/placement/fit.ts';
import { labelSelector } from '../../src/strategies/arg-fragments.ts';
import { strategies } from '../../src/strategies/registry.ts';
import type { Context, Proposal, Strategy, Verdict } from '../../src/strategies/strategy.ts';
import * as given from '../builders/cluster.ts';
import { cycle, lines, NOW, policy, profile } from '../descheduler/policies.ts';
import { randomCluster, type RandomCluster } from './random-cluster.ts';
import { ARGS } from './strategy-args.ts';

const EVICTORS = [{}, { nodeFit: true }, { nodeFit: true, minReplicas: 2, priorityThreshold: { value: 100 } }];
const RUNS = { numRuns: 50 };

for (const strategy of strategies) {
  describe(`contract: ${strategy.name}`, () => {
    const settings = fc.record({
      cluster: randomCluster,
      args: fc.constantFrom(...(ARGS[strategy.name] ?? [])).map((raw) => strategy.args.parse(raw)),
      evictor: fc.constantFrom(...EVICTORS),
    });
    const holds = (check: (setting: Setting) => Promise<void> | void) => () =>
      fc.assert(
        fc.asyncProperty(settings, async (setting) => check(setting)),
        RUNS,
      );
    const run = ({ cluster, args, evictor }: Setting, limits = {}) =>
      cycle(policy([profile('main', [strategy, args])(evictor)], { limits }), snapshotOf(cluster));

    it('has arguments in this suite', () => assert.ok(ARGS[strategy.name], `add ${strategy.name} to ARGS`));

    it('finds something to do in such clusters, so that the rest says something', async () => {
      let evictions = 0;
      for (const setting of fc.sample(settings, { numRuns: 60, seed: 1 })) {
        evictions += (await run(setting)).evictions.length;
      }
      assert.notEqual(evictions, 0);
    });

    it(
      'does not fail',
      holds(async (setting) => {
        for (const { error } of (await run(setting)).strategies) assert.equal(error, undefined);
      }),
    );

    it(
      'the same input gives the same output',
      holds(async (setting) => {
        assert.deepEqual(lines(await run(setting)), lines(await run(setting)));
      }),
    );

    it(
      'the order of the input does not matter',
      holds(async (setting) => {
        const { nodes, pods, others } = setting.cluster;
        const reversed = { nodes: nodes.toReversed(), pods: pods.toReversed(), others: others.toReversed() };
        assert.deepEqual(lines(await run({ ...setting, cluster: reversed })), lines(await run(setting)));
      }),
    );

    it(
      'no pod goes twice',
      holds(async (setting) => {
        const { evictions } = await run(setting);
        assert.equal(new Set(evictions.map(({ pod }) => pod.uid)).size, evictions.length);
      }),
    );

    it(
      'no pod is asked for twice once it goes',
      holds((setting) => {
        const asked = converse(strategy, setting, () => ({ granted: true }));
        const evicted = asked.flatMap(podsToEvict).map(({ uid }) => uid);
        assert.equal(new Set(evicted).size, evicted.length);
      }),
    );

    it(
      'nothing goes that the evictor protects or the arguments leave out',
      holds(async (setting) => {
        const mayGo = mayGoBy(setting);
        for (const { pod } of (await run(setting)).evictions) assert.ok(mayGo(pod), pod.name);
      }),
    );

    it(
      'limits hold',
      holds(async (setting) => {
        const { evictions } = await run(setting, { total: 3, node: 2, namespace: 2 });
        const most = (key: (pod: Pod) => string) => Math.max(0, ...countBy(evictions, key).values());
        assert.ok(evictions.length <= 3 && most((pod) => pod.nodeName) <= 2 && most((pod) => pod.namespace) <= 2);
      }),
    );

    for (const scope of ['pod', 'node', 'namespace', 'total'] as const) {
      it(
        `ends when all is refused, with scope ${scope}`,
        holds((setting) => {
          const refused = { granted: false, scope, by: 'test', reason: 'stays' } as const;
          converse(strategy, setting, () => refused);
        }),
      );
    }

    it('proposes nothing in an empty cluster', () => {
      for (const raw of ARGS[strategy.name] ?? []) {
        const cluster = { nodes: [], pods: [], others: [] };
        const setting = { cluster, args: strategy.args.parse(raw), evictor: {} };
        assert.deepEqual(
          converse(strategy, setting, () => ({ granted: true })),
          [],
        );
      }
    });
  });
}

interface Setting {
  readonly cluster: RandomCluster;
  readonly args: unknown;
  readonly evictor: object;
}

/** Talks to a strategy without any pipeline. A strategy that asks for more than each pod a few times never ends. */
function converse(strategy: Strategy<unknown>, setting: Setting, answer: () => Verdict): readonly Proposal[] {
  const snapshot = snapshotOf(setting.cluster);
  const placement = createPlacement(snapshot);
  const context: Context<unknown> = {
    snapshot,
    nodes: snapshot.readyNodes,
    args: setting.args,
    now: new Date(NOW),
    inScope: scopeOf(setting.args),
    check: answer,
    fits: (pod, nodes) => placement.fitting(pod, nodes),
    replacementOf: (pod) => pod,
  };
  const conversation = strategy.propose(context);
  const asked: Proposal[] = [];
  for (let step = conversation.next(); !step.done; step = conversation.next(answer())) {
    asked.push(step.value);
    assert.ok(asked.length <= 3 * snapshot.pods.length, 'the strategy goes on and on');
  }
  return asked;
}

function podsToEvict(proposal: Proposal): readonly Pod[] {
  if ('evict' in proposal) return [proposal.evict];
  return 'evictAll' in proposal ? proposal.evictAll : [];
}

function mayGoBy({ cluster, args, evictor }: Setting): (pod: Pod) => boolean {
  const snapshot = snapshotOf(cluster);
  const checked = defaultEvictorArgs(labelSelector).parse(evictor);
  const threshold = checked.priorityThreshold && 'value' in checked.priorityThreshold ? 100 : undefined;
  const view = { snapshot, now: new Date(NOW), threshold, evictedOf: () => 0 };
  const constraints = evictorConstraints(checked, view);
  const usable = new Set(snapshot.readyNodes.map(({ name }) => name));
  const inScope = scopeOf(args);
  return (pod) => usable.has(pod.nodeName) && inScope(pod) && firstRefusal(constraints, pod) === undefined;
}

function snapshotOf({ nodes, pods, others }: RandomCluster): Snapshot {
  return given.snapshot(...nodes, ...pods, ...others);
}

function countBy(evictions: CycleReport['evictions'], key: (pod: Pod) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { pod } of evictions) counts.set(key(pod), (counts.get(key(pod)) ?? 0) + 1);
  return counts;
}
