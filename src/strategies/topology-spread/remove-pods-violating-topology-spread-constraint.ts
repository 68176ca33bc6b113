import type { SpreadConstraint } from '../../cluster/objects/pod.ts';
import { NodeIndexes } from '../../placement/counts/node-indexes.ts';
import {
  removePodsViolatingTopologySpreadConstraintArgs,
  type RemovePodsViolatingTopologySpreadConstraintArgs,
} from './args.ts';
import type { Context, Proposal, Strategy, Verdict } from '../strategy.ts';
import { CandidateNodes } from './candidate-nodes.ts';
import { Run } from './run.ts';
import { MovePlanner, type Move } from './move-planner.ts';
import { selectsByNothing, spreadRules } from './spread-rules.ts';
import { DomainCounts, type CountedRule } from './domain-counts.ts';
import { noBetterPlace, ruleName, stillUneven, tooMany } from './wording.ts';
import { counted as countOf, firstFew } from '../words.ts';

type Args = RemovePodsViolatingTopologySpreadConstraintArgs;

const NAME = 'RemovePodsViolatingTopologySpreadConstraint';

/**
 * Ends the violations of topology spread constraints, as kube-scheduler counts them, with as few evictions as possible
 * (rule T26). Where several constraints meet, those with the fewest domains come first, and no move makes another
 * one worse; what they then still exceed each other by, further rounds even out.
 */
export const removePodsViolatingTopologySpreadConstraint: Strategy<Args> = {
  name: NAME,
  extensionPoint: 'balance',
  args: removePodsViolatingTopologySpreadConstraintArgs,
  *propose(context) {
    const run = startRun(context);
    const { counted } = run.domainCounts;
    if (run.broken.length === 0) return [nothingBroken(counted), ...ineffective(counted, context.args)];
    let moved: number;
    do {
      moved = 0;
      for (const rule of run.broken) moved += yield* evenOut(rule, run);
    } while (moved > 0);
    for (const rule of run.broken) yield* explain(rule, run);
    return [...leftOver(run.broken), ...ineffective(counted, context.args)];
  },
};

function startRun(context: Context<Args>): Run {
  const { snapshot, args, defaultConstraints = [] } = context;
  const nodeIndexes = new NodeIndexes(snapshot);
  const rules = spreadRules({ snapshot, nodeIndexes, actions: args.constraints, defaultConstraints });
  return new Run(context, new DomainCounts(rules, snapshot, nodeIndexes));
}

/** Answers how many pods have moved. */
function* evenOut(counted: CountedRule, run: Run): Generator<Proposal, number, Verdict> {
  const movePlanner = new MovePlanner(counted, run);
  let moved = 0;
  for (let move = movePlanner.next(); move; move = movePlanner.next()) {
    const { pod, nodes, from } = move;
    const verdict = yield { evict: pod, reason: tooMany(counted, from), destinations: nodes };
    run.finish(pod);
    run.reached.read(pod, verdict);
    movePlanner.decided(move, verdict.granted);
    if (verdict.granted) {
      run.domainCounts.move(pod, landing(counted, move, { verdict, run }));
      moved += 1;
    } else if (verdict.scope !== 'pod') movePlanner.limited();
  }
  return moved;
}

/** The node on which the replacement is counted: where it is expected, else where the plan wants it. */
function landing({ rule, tally }: CountedRule, { nodes }: Move, { verdict, run }: { verdict: Verdict; run: Run }) {
  const expected = verdict.granted ? verdict.destination : undefined;
  const at = ({ name }: { readonly name: string }) => tally.at(run.domainCounts.domainOn(rule, name));
  return nodes.find((node) => node === expected) ?? nodes.reduce((best, node) => (at(node) < at(best) ? node : best));
}

/** Reports why those who lie too high stay: the evictor's own word, or that they have nowhere to go. */
function* explain(counted: CountedRule, run: Run): Generator<Proposal, void, Verdict> {
  const { rule, tally, members } = counted;
  const candidateNodes = new CandidateNodes(counted, run);
  const open = rule.domains.ids.filter((domain) => tally.isOpen(domain));
  for (const pod of members) {
    const domain = run.domainCounts.domainOn(rule, pod.nodeName);
    if (domain < 0 || !tally.isOver(domain) || !run.isCandidate(pod)) continue;
    run.finish(pod);
    const reason = tooMany(counted, domain);
    if (!run.context.check(pod).granted) run.reached.read(pod, yield { evict: pod, reason });
    else {
      const nodeIndexes = {
        open,
        nodes: candidateNodes.of(pod, open).length,
        likelyReturn: candidateNodes.likelyReturn(pod),
      };
      yield { skip: pod, by: NAME, reason: `${reason}, ${noBetterPlace(counted, nodeIndexes)}` };
    }
  }
}

function nothingBroken(all: readonly CountedRule[]): string {
  const enforced = all.filter(({ rule }) => rule.enforced).length;
  return `no topology spread constraint is broken: ${countOf(enforced, 'constraint')} checked`;
}

function leftOver(broken: readonly CountedRule[]): readonly string[] {
  return broken.length === 0 ? [] : [`still uneven: ${firstFew(broken.map(stillUneven), 3)}`];
}

/** A constraint that selects with `{}` does nothing in kube-scheduler up to 1.36 (rules S15 and S31). */
function ineffective(all: readonly CountedRule[], { constraints }: Args): readonly string[] {
  const rules = all.map(({ rule }) => rule).filter(({ constraint }) => selectsByNothing(constraint));
  const names = rules.filter(({ constraint }) => isWanted(constraint, constraints)).map(ruleName);
  if (names.length === 0) return [];
  return [`not acted on, since kube-scheduler up to 1.36 counts no pods for labelSelector {}: ${firstFew(names)}`];
}

function isWanted({ whenUnsatisfiable }: SpreadConstraint, actions: readonly string[]): boolean {
  return actions.includes(whenUnsatisfiable);
}
