import { z } from 'zod';
import type { Pod } from '../../cluster/objects/pod.ts';
import { conflictsOf, groupConflicts, type Conflict } from './conflicts.ts';
import { antiAffinityRules } from './rules.ts';
import { Violations } from './violations.ts';
import * as fragment from '../arg-fragments.ts';
import { ReachedLimits } from '../reached-limits.ts';
import type { Context, Proposal, Strategy, Verdict } from '../strategy.ts';
import { counted, firstFew } from '../words.ts';

/** Arguments (rule T21). */
const argsSchema = z.strictObject({ ...fragment.podFilter });

type Args = z.infer<typeof argsSchema>;

/** What is the same for all groups of violations of one run. */
interface Run {
  readonly context: Context<Args>;
  readonly reached: ReachedLimits;
  /** Names of the nodes whose pods may be evicted. */
  readonly nodes: ReadonlySet<string>;
}

/**
 * Ends the violations of required anti-affinity with as few evictions as possible (rule T21).
 *
 * Differs from the reference: there, only the carrier of a broken rule goes, however many they are; here, the pod that
 * others forbid is as good a candidate (18.2, number 3).
 */
export const removePodsViolatingInterPodAntiAffinity: Strategy<Args> = {
  name: 'RemovePodsViolatingInterPodAntiAffinity',
  extensionPoint: 'deschedule',
  args: argsSchema,
  *propose(context) {
    const rules = antiAffinityRules(context.snapshot);
    const conflicts = rules.flatMap((rule) => conflictsOf(rule, context.snapshot));
    if (conflicts.length === 0)
      return [`no required anti-affinity is broken: ${counted(rules.length, 'rule')} checked`];
    const nodes = new Set(context.nodes.map((node) => node.name));
    const run = { context, nodes, reached: new ReachedLimits() };
    let proposed = 0;
    for (const group of groupConflicts(conflicts))
      proposed += yield* endViolations(new Violations(group), group.pods, run);
    return proposed === 0 ? outOfReach(conflicts) : [];
  },
};

/** Evicts until no violation is left, or none that an eviction can end; answers how many pods were proposed. */
function* endViolations(violations: Violations, pods: readonly Pod[], run: Run): Generator<Proposal, number, Verdict> {
  const proposed = new Set<Pod>();
  for (const pod of pods) if (!mayGo(pod, run) || !run.context.check(pod).granted) violations.refused(pod);
  for (let pod = violations.next(); pod; pod = violations.next()) {
    if (run.reached.passesOver(pod)) violations.refused(pod);
    else yield* propose(pod, violations, { run, proposed });
  }
  // Nobody can go: the evictor says why for each of them.
  for (const pod of violations.unended()) {
    if (!mayGo(pod, run) || proposed.has(pod) || run.reached.passesOver(pod)) continue;
    yield* propose(pod, violations, { run, proposed });
  }
  return proposed.size;
}

/** The strategy's own filters choose victims only; every pod is a counterpart (rule E19). */
function mayGo(pod: Pod, { nodes, context }: Run): boolean {
  return nodes.has(pod.nodeName) && context.inScope(pod);
}

function* propose(
  pod: Pod,
  violations: Violations,
  { run, proposed }: { run: Run; proposed: Set<Pod> },
): Generator<Proposal, void, Verdict> {
  proposed.add(pod);
  const verdict = yield { evict: pod, reason: violations.reasonFor(pod) };
  run.reached.read(pod, verdict);
  if (verdict.granted) violations.evicted(pod);
  else violations.refused(pod);
}

function outOfReach(conflicts: readonly Conflict[]): readonly string[] {
  const what = firstFew(conflicts.map((conflict) => conflict.what));
  return [`broken, but only by pods on nodes or in namespaces that are not checked: ${what}`];
}
