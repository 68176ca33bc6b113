import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Node } from '../../src/cluster/objects/node.ts';
import { isAssumed, type Pod } from '../../src/cluster/objects/pod.ts';
import { Snapshot } from '../../src/cluster/snapshot.ts';
import { scopeOf } from '../../src/descheduler/profile.ts';
import { strategies } from '../../src/strategies/registry.ts';
import type { Context, Proposal, Strategy, Verdict } from '../../src/strategies/strategy.ts';
import * as given from '../builders/cluster.ts';
import { cycle, policy, profile } from '../descheduler/policies.ts';
import { randomCluster, type RandomCluster } from './random-cluster.ts';
import { ARGS } from './strategy-args.ts';

/** Strategies that count pods. The others judge pods one by one, and only have to know who is gone and who may be chosen. */
const COUNTING = new Set([
  'RemoveDuplicates',
  'LowNodeUtilization',
  'HighNodeUtilization',
  'RemovePodsViolatingTopologySpreadConstraint',
]);

for (const first of strategies) {
  for (const second of strategies) {
    describe(`contract: ${second.name} after ${first.name}`, () => {
      const settings = fc.record({ cluster: randomCluster, first: argsOf(first), second: argsOf(second) });

      it('wants what it would want once the victims are gone and their replacements bound', () =>
        fc.assert(
          fc.asyncProperty(settings, async (setting) => {
            const both = await runBoth({ first, second }, setting);
            if (both) assert.deepEqual(wanted(second, both.seen), wanted(second, both.applied));
          }),
          { numRuns: 10 },
        ));

      // Failed pods were replaced when they failed.
      if (!COUNTING.has(second.name) || first.name === 'RemoveFailedPods') return;
      it('wants something else because of the replacements, so that this says something', async () => {
        for (const setting of fc.sample(settings, { numRuns: 500, seed: 1 })) {
          const seen = (await runBoth({ first, second }, setting))?.seen;
          if (seen && wanted(second, seen).join() !== wanted(second, withoutAssumed(seen)).join()) return;
        }
        assert.fail('in none of the clusters');
      });
    });
  }
}

function argsOf({ name, args }: Strategy<unknown>): fc.Arbitrary<unknown> {
  return fc.constantFrom(...(ARGS[name] ?? [])).map((raw) => args.parse(raw));
}

function withoutAssumed(context: Context<unknown>): Context<unknown> {
  const { nodes, pods, others } = context.snapshot;
  return { ...context, snapshot: new Snapshot({ nodes, pods: pods.filter((pod) => !isAssumed(pod)), others }) };
}

interface Pair {
  readonly first: Strategy<unknown>;
  readonly second: Strategy<unknown>;
}

interface Setting {
  readonly cluster: RandomCluster;
  readonly first: unknown;
  readonly second: unknown;
}

interface Both {
  /** What the second strategy is given by the cycle. */
  readonly seen: Context<unknown>;
  /** The same on a cluster in which the evictions of the first have had all their effects. */
  readonly applied: Context<unknown>;
}

/** Runs the first strategy in a real cycle, and takes down what the second one is given after it. */
async function runBoth({ first, second }: Pair, setting: Setting): Promise<Both | undefined> {
  const { nodes, pods, others } = setting.cluster;
  const moves: Move[] = [];
  let seen: Context<unknown> | undefined;
  const spy = deschedules(second, function* (context) {
    seen = context;
    yield* [];
    return [];
  });
  const noting = deschedules(first, (context) => notingMoves(first.propose(context), moves));
  const rules = policy([profile('main', [noting, setting.first], [spy, setting.second])({ nodeFit: true })]);
  const report = await cycle(rules, given.snapshot(...nodes, ...pods, ...others));
  for (const { error } of report.strategies) assert.equal(error, undefined);
  if (!seen) return undefined;
  const gone = new Set(moves.map(({ pod }) => pod));
  const replacements = moves.flatMap(({ pod, destination }) => (destination ? boundTo(destination, pod) : []));
  const left = pods.filter((pod) => !gone.has(pod));
  const isChosen = scopeOf(setting.second);
  return {
    seen,
    applied: {
      ...seen,
      snapshot: given.snapshot(...nodes, ...left, ...replacements, ...others),
      inScope: (pod) => isChosen(pod) && !replacements.includes(pod),
    },
  };
}

/** At one extension point the order is that of the policy. */
function deschedules(strategy: Strategy<unknown>, propose: Strategy<unknown>['propose']): Strategy<unknown> {
  return { ...strategy, extensionPoint: 'deschedule', propose };
}

type Conversation = ReturnType<Strategy<unknown>['propose']>;

interface Move {
  readonly pod: Pod;
  readonly destination: Node | undefined;
}

function* notingMoves(proposals: Conversation, moves: Move[]): Conversation {
  let step = proposals.next();
  while (!step.done) {
    const verdict = yield step.value;
    if (verdict.granted && 'evict' in step.value)
      moves.push({ pod: step.value.evict, destination: verdict.destination });
    step = proposals.next(verdict);
  }
  return step.value;
}

/** As its controller makes it and the scheduler binds it; by the victim's name, so that both stand in the same order. */
function boundTo({ name }: Node, victim: Pod): Pod {
  const parts = [
    given.namespace(victim.namespace),
    given.labels(victim.labels),
    given.spec(victim.spec),
    given.on(name),
  ];
  return { ...given.pod(victim.name, ...parts, given.uid(`new-${victim.uid}`)), owners: victim.owners };
}

/** What the strategy asks for and says if everything fits and is granted. */
function wanted(
  strategy: Strategy<unknown>,
  { snapshot, nodes, args, now, inScope }: Context<unknown>,
): readonly string[] {
  const check = (): Verdict => ({ granted: true });
  const conversation = strategy.propose({
    snapshot,
    nodes,
    args,
    now,
    inScope,
    check,
    fits: (_pod, all) => all,
    replacementOf: (pod) => pod,
  });
  const lines: string[] = [];
  let step = conversation.next();
  for (; !step.done; step = conversation.next(check())) lines.push(lineOf(step.value));
  return [...lines, ...step.value];
}

/** An assumed pod has no name of its own yet. */
function lineOf(proposal: Proposal): string {
  const reason = proposal.reason.replaceAll('the replacement of ', '');
  if ('skip' in proposal) return `${proposal.skip.uid} [${proposal.by}] ${reason}`;
  if ('evictAll' in proposal) return `${proposal.evictAll.map(({ uid }) => uid).join()} ${reason}`;
  const nodes = proposal.destinations?.map(({ name }) => name).join() ?? 'anywhere';
  return `${proposal.evict.uid} to ${nodes}: ${reason}`;
}
