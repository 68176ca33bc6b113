import type { Node } from '../cluster/objects/node.ts';
import { isAssumed } from '../cluster/objects/pod.ts';
import { compareText, type ExpectedChanges } from '../cluster/snapshot.ts';
import { groupBy } from '../lib/group.ts';
import { isForeseeable } from '../placement/fit.ts';
import type { Context, Usage } from '../strategies/strategy.ts';
import { firstFew } from '../strategies/words.ts';
import type { EvictionCoordinator } from './eviction-coordinator.ts';
import { expectedUsage } from './expected-usage.ts';
import type { Cycle } from './open-cycle.ts';
import { scopeOf, type PlannedStrategy } from './profile.ts';

/** What a strategy works with, and what the report says of that. */
export interface Prepared {
  readonly context: Context<unknown>;
  readonly notes: readonly string[];
}

/**
 * All that a strategy may know. Pods that are on their way out are gone from what it counts; the room they still hold is
 * fit's business. A `problem` completes the sentence "usage …": what the strategy wants measured can't be had.
 */
export async function contextOf(
  planned: PlannedStrategy,
  coordinator: EvictionCoordinator,
  cycle: Cycle,
): Promise<Prepared | { readonly problem: string }> {
  const measured = await measure(planned, cycle);
  if ('problem' in measured) return measured;
  const { args, strategy } = planned.enabled;
  const scoring = strategy.scoring?.(args);
  const { snapshot, now, changes, placement } = cycle.state;
  const isChosen = scopeOf(args);
  const context: Context<unknown> = {
    snapshot: snapshot.after(changes),
    nodes: measured.nodes,
    ...(measured.usage && { usage: expectedUsage(measured.usage, changes) }),
    args,
    now,
    inScope: (pod) => !isAssumed(pod) && isChosen(pod),
    check: (pod, destinations) => coordinator.check(pod, destinations),
    fits: (pod, nodes) => placement.fitting(pod, nodes),
    replacementOf: (pod) => placement.replacementOf(pod),
    ...(cycle.defaultConstraints && { defaultConstraints: cycle.defaultConstraints }),
    ...(planned.profile.evictor.nodeFit
      ? { likely: (pod) => (isForeseeable(pod) ? placement.predict(pod, scoring).likely : []) }
      : {}),
  };
  return { context, notes: assumedNotes(planned, changes) };
}

/** The nodes a strategy may look at, and their usage if it wants it measured. */
interface Measured {
  readonly nodes: readonly Node[];
  readonly usage?: Usage;
}

/** A node without a sample is left out instead of failing the strategy (rule T13). */
async function measure(planned: PlannedStrategy, cycle: Cycle): Promise<Measured | { readonly problem: string }> {
  const { strategy, args } = planned.enabled;
  const need = strategy.needs?.(args);
  if (!need) return { nodes: cycle.nodes };
  const answer = await cycle.usage(need, cycle.state.snapshot, cycle.signal);
  if ('problem' in answer) return answer;
  const { usage } = answer;
  const [nodes, missing] = partition(cycle.nodes, (node) => usage.node(node.name) !== undefined);
  for (const { name } of missing) {
    const text = `no measured usage of node ${name}: it is left out of ${strategy.name} in profile ${planned.profile.name}`;
    cycle.recorder.add({ kind: 'warning', text });
  }
  return { nodes, usage };
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}

/** Balance strategies compare counts, which hold pods that nobody can see in the cluster yet. */
function assumedNotes({ enabled: { strategy } }: PlannedStrategy, { assumed }: ExpectedChanges): readonly string[] {
  if (strategy.extensionPoint !== 'balance' || assumed.length === 0) return [];
  const byNode = [...groupBy(assumed, ({ nodeName }) => nodeName)].sort(([a], [b]) => compareText(a, b));
  const places = byNode.map(([name, pods]) => `${pods.length} on ${name}`);
  return [`counts replacements of earlier evictions where they are expected: ${firstFew(places)}`];
}
