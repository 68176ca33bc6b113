import type { Node } from '../../cluster/objects/node.ts';
import type { Resources } from '../../cluster/amounts/resources.ts';
import { lowNodeUtilizationArgs, type LowNodeUtilizationArgs } from './args.ts';
import type { Context, Strategy, UsageNeed } from '../strategy.ts';
import { drain, sourceOf, type DrainPlan, type Source } from './drain.ts';
import { grouped, nothingToDo, type Groups } from './groups.ts';
import { stillOver, unmeasured } from './notes.ts';
import { Room } from './room.ts';
import { Rooms } from './rooms.ts';
import { cappedCapacity } from './thresholds.ts';
import { measure, meterFor, type Meter } from './usage.ts';
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
    const meter = meterFor(context);
    if (typeof meter === 'string') return [meter];
    const measured = measure(meter, context.nodes, context.snapshot);
    const groups = grouped(measured, context.args);
    const notes = unmeasured(measured.missing);
    const idle = nothingToDo(groups, context.args);
    if (idle !== undefined) return [...notes, idle];
    const plan = planFor(context, { groups, meter });
    yield* drain(plan, context);
    return [...notes, ...stillOver(plan, groups.bounds.upper)];
  },
};

function usageNeed(metrics: LowNodeUtilizationArgs['metricsUtilization']): UsageNeed | undefined {
  if (!metrics?.source) return undefined;
  return { source: metrics.source, ...(metrics.query === undefined ? {} : { query: metrics.query }) };
}

interface Cast {
  readonly groups: Groups;
  readonly meter: Meter;
}

function planFor({ args, inScope }: Context<LowNodeUtilizationArgs>, { groups, meter }: Cast): DrainPlan {
  const { upper } = groups.bounds;
  const { watched } = meter;
  const rooms = new Rooms(groups.low, { watched, upper, noun: 'node below the thresholds' });
  const excluded = new Set(args.evictableNamespaces?.exclude);
  const tooFull = (source: Source) => overCap(source, { upper, watched });
  return {
    by: NAME,
    sources: groups.over.map(sourceOf),
    rooms,
    meter,
    perNode: args.evictionLimits?.node,
    inScope: (pod) => inScope(pod) && !excluded.has(pod.namespace),
    wants: (source) => tooFull(source).length > 0,
    reason: (source) =>
      `is on node ${source.node.name} at ${levels(tooFull(source), source, { word: 'target', limits: upper })}`,
    objection: liftedOver(groups, rooms, watched),
  };
}

/** Destinations are judged as they are filled, the other nodes as they were found. */
function liftedOver({ all, bounds: { upper } }: Groups, rooms: Rooms, watched: readonly string[]) {
  const others = new Map(all.map((usage) => [usage.node.name, new Room(usage, { watched, upper })]));
  return ({ name }: Node, load: Resources): string | undefined => {
    const obstacle = (rooms.room(name) ?? others.get(name))?.obstacle(load);
    return obstacle && `and lift it over its target: ${comparison(obstacle.name, obstacle.percent, obstacle.limit)}`;
  };
}

/** Watched resources of which more is used than the capped capacity; the node gives while there is one (5.3, 6). */
function overCap(source: Source, { upper, watched }: { upper: Resources; watched: readonly string[] }): string[] {
  const caps = cappedCapacity(source.capacity, upper, watched);
  return watched.filter((name) => (source.used[name] ?? 0) > (caps[name] ?? 0));
}
