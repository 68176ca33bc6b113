import type { Pod } from '../../cluster/objects/pod.ts';
import { compareText } from '../../cluster/snapshot.ts';
import { DEFAULT_SCORING, type Scoring } from '../../placement/fit.ts';
import { keyedBy } from '../../placement/counts/memo.ts';
import { isScored } from '../../placement/scores/resources-fit.ts';
import { highNodeUtilizationArgs, type HighNodeUtilizationArgs } from './args.ts';
import type { Context, Strategy } from '../strategy.ts';
import { classify, isLow, rawTotal } from './classify.ts';
import { drain, sourceOf, type DrainPlan } from './drain.ts';
import { nothingLow, stopped, tooFewLow } from './notes.ts';
import { Destinations } from './destinations.ts';
import { measure, requestsReader, watchedResources, type UsageReader, type NodeUsage } from './usage.ts';
import { counted, firstFew } from '../words.ts';
import { levels } from './wording.ts';

const NAME = 'HighNodeUtilization';

/** The nodes of a run: those to be emptied and those that may take their pods. */
interface Groups {
  readonly all: readonly NodeUsage[];
  readonly low: readonly NodeUsage[];
  readonly open: readonly NodeUsage[];
}

/**
 * Empties nodes at or below the thresholds, so that an autoscaler can take them away (rule T20). Only sensible
 * with a scheduler that packs (MostAllocated) by the resources of the thresholds, which it takes for granted.
 *
 * Differs from the reference: the room of each destination is counted by itself, so a pod goes only while some node that
 * stays has room for it (rule T8).
 */
export const highNodeUtilization: Strategy<HighNodeUtilizationArgs> = {
  name: NAME,
  extensionPoint: 'balance',
  scoring: (args) => packing(args),
  args: highNodeUtilizationArgs,
  *propose(context) {
    const usageReader = requestsReader(watchedResources(context.args), context.replacementOf);
    const groups = grouped(measure(usageReader, context.nodes, context.snapshot).nodes, context.args);
    const idle = nothingToDo(groups, context.args);
    if (idle !== undefined) return [idle];
    const plan = planFor(context, { groups, usageReader });
    yield* drain(plan, context);
    return stopped(plan.destinations);
  },
};

/** What its users configure: a scheduler that packs by what they want packed. `pods` the scheduler cannot score. */
const packing = keyedBy(({ thresholds }: HighNodeUtilizationArgs): Scoring => {
  const names = Object.keys(thresholds).filter(isScored);
  const resources = names.length > 0 ? names.map((name) => ({ name, weight: 1 })) : DEFAULT_SCORING.resources;
  return { type: 'MostAllocated', resources };
});

/** A cordoned node is emptied like any other, but takes nothing (rule T20). */
function grouped(nodes: readonly NodeUsage[], { thresholds }: HighNodeUtilizationArgs): Groups {
  const [low, open] = classify(
    nodes.map((usage) => ({ key: usage.node.name, value: usage, limits: [thresholds, thresholds] })),
    [(_name, { percent }, bounds) => isLow(percent, bounds), (_name, { node }) => !node.unschedulable],
  ).map((names) => new Set(names));
  return {
    all: nodes,
    low: byRawUsage(nodes.filter(({ node }) => low?.has(node.name))),
    open: nodes.filter(({ node }) => open?.has(node.name)),
  };
}

/** Least used first by the plain sum of amounts, as the Go descheduler has it; by name among equals (rule T16). */
export function byRawUsage(nodes: readonly NodeUsage[]): readonly NodeUsage[] {
  return nodes.toSorted((a, b) => rawTotal(a.used) - rawTotal(b.used) || compareText(a.node.name, b.node.name));
}

function nothingToDo({ all, low, open }: Groups, args: HighNodeUtilizationArgs): string | undefined {
  if (low.length === 0) return nothingLow(all, args.thresholds);
  if (low.length <= args.numberOfNodes) return tooFewLow(low, args.numberOfNodes);
  if (low.length === all.length)
    return `all ${counted(all.length, 'node')} are below the thresholds: none would be kept`;
  if (open.length > 0) return undefined;
  const cordoned = all.filter((usage) => !low.includes(usage)).map(({ node }) => node.name);
  return `no node can take pods: those above the thresholds are cordoned (${firstFew(cordoned)})`;
}

interface PlanInput {
  readonly groups: Groups;
  readonly usageReader: UsageReader;
}

function planFor({ args, inScope }: Context<HighNodeUtilizationArgs>, { groups, usageReader }: PlanInput): DrainPlan {
  const excluded = new Set(args.evictableNamespaces?.exclude);
  const names = Object.keys(args.thresholds);
  const open = new Set(groups.open.map(({ node }) => node));
  const thresholdingOnly = args.evictionModes?.includes('OnlyThresholdingResources') ?? false;
  return {
    by: NAME,
    sources: groups.low.map(sourceOf),
    destinations: new Destinations(groups.open, {
      watched: usageReader.watched,
      upper: {},
      noun: 'node above the thresholds',
    }),
    usageReader,
    perNode: undefined,
    inScope: (pod) => inScope(pod) && !excluded.has(pod.namespace) && (!thresholdingOnly || requestsOneOf(pod, names)),
    wants: () => true,
    reason: (source) =>
      `is on node ${source.node.name} at ${levels(names, source, { word: 'threshold', limits: args.thresholds })}`,
    objection: (node) => (open.has(node) ? undefined : 'which is to be emptied, too'),
  };
}

/** Some container has an entry for one of the resources in its requests; an entry of 0 counts (rule T20). */
function requestsOneOf({ spec }: Pod, names: readonly string[]): boolean {
  return [...spec.initContainers, ...spec.containers].some(({ requests }) =>
    names.some((name) => Object.hasOwn(requests, name)),
  );
}
