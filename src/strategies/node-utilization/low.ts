import type { Node } from '../../cluster/objects/node.ts';
import type { Resources } from '../../cluster/amounts/resources.ts';
import { lowNodeUtilizationArgs, type LowNodeUtilizationArgs } from './args.ts';
import type { Context, Strategy, UsageNeed } from '../strategy.ts';
import { drain, sourceOf, type DrainPlan, type DrainedNode } from './drain.ts';
import { grouped, nothingToDo, type Groups } from './groups.ts';
import { stillOver, unmeasured } from './notes.ts';
import { Destination } from './destination.ts';
import { Destinations } from './destinations.ts';
import { cappedCapacity } from './thresholds.ts';
import { measure, usageReaderFor, type UsageReader } from './usage.ts';
import { comparison, levels } from './wording.ts';

const NAME = 'LowNodeUtilization';

/**
 * Moves pods from nodes above their target to nodes below the thresholds (rule T18).
 *
 * Differs from the reference: the node furthest above its target gives first (18.3), and a pod that no destination can
 * take without getting above its own target stays, since it would only come back (18.2, number 9).
 */
export const lowNodeUtilization: Strategy<LowNodeUtilizationArgs> = {
  name: NAME,
  extensionPoint: 'balance',
  args: lowNodeUtilizationArgs,
  needs: ({ metricsUtilization }) => usageNeed(metricsUtilization),
  *propose(context) {
    const usageReader = usageReaderFor(context);
    if (typeof usageReader === 'string') return [usageReader];
    const measured = measure(usageReader, context.nodes, context.snapshot);
    const groups = grouped(measured, context.args);
    const notes = unmeasured(measured.missing);
    const idle = nothingToDo(groups, context.args);
    if (idle !== undefined) return [...notes, idle];
    const plan = planFor(context, { groups, usageReader });
    yield* drain(plan, context);
    return [...notes, ...stillOver(plan, groups.bounds.upper)];
  },
};

function usageNeed(metrics: LowNodeUtilizationArgs['metricsUtilization']): UsageNeed | undefined {
  if (!metrics?.source) return undefined;
  return { source: metrics.source, ...(metrics.query === undefined ? {} : { query: metrics.query }) };
}

interface PlanInput {
  readonly groups: Groups;
  readonly usageReader: UsageReader;
}

function planFor({ args, inScope }: Context<LowNodeUtilizationArgs>, { groups, usageReader }: PlanInput): DrainPlan {
  const { upper } = groups.bounds;
  const { watched } = usageReader;
  const destinations = new Destinations(groups.low, { watched, upper, noun: 'node below the thresholds' });
  const excluded = new Set(args.evictableNamespaces?.exclude);
  const tooFull = (source: DrainedNode) => overCap(source, { upper, watched });
  return {
    by: NAME,
    sources: groups.over.map(sourceOf),
    destinations,
    usageReader,
    perNode: args.evictionLimits?.node,
    inScope: (pod) => inScope(pod) && !excluded.has(pod.namespace),
    wants: (source) => tooFull(source).length > 0,
    reason: (source) =>
      `is on node ${source.node.name} at ${levels(tooFull(source), source, { word: 'target', limits: upper })}`,
    objection: liftedOver(groups, destinations, watched),
  };
}

/** Destinations are judged as they are filled, the other nodes as they were found. */
function liftedOver({ all, bounds: { upper } }: Groups, destinations: Destinations, watched: readonly string[]) {
  const others = new Map(all.map((usage) => [usage.node.name, new Destination(usage, { watched, upper })]));
  return ({ name }: Node, load: Resources): string | undefined => {
    const obstacle = (destinations.room(name) ?? others.get(name))?.obstacle(load);
    return obstacle && `and lift it over its target: ${comparison(obstacle.name, obstacle.percent, obstacle.limit)}`;
  };
}

/** Watched resources of which more is used than the capped capacity; the node gives while there is one (5.3, 6). */
function overCap(source: DrainedNode, { upper, watched }: { upper: Resources; watched: readonly string[] }): string[] {
  const caps = cappedCapacity(source.capacity, upper, watched);
  return watched.filter((name) => (source.used[name] ?? 0) > (caps[name] ?? 0));
}
