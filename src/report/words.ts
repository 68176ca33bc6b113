import type { EvictionResult } from '../outcomes/eviction-result.ts';
import type { CycleReport, Eviction, Source, StrategyRun } from '../outcomes/outcome.ts';
import { incompleteBecause } from '../outcomes/completeness.ts';
import { countsOf, type Counts, type Summary } from './document.ts';
import type { Section } from './sections.ts';

const TIME_SOURCES: Record<Source['nowFrom'], string> = {
  flag: 'from --now',
  dump: "the dump's own evenkeel.io/dumped-at",
  'latest-timestamp': 'the latest timestamp in the dump',
  clock: 'the clock of this machine',
};

const RESULTS: Record<EvictionResult, string> = {
  'would-evict': 'would be evicted',
  evicted: 'evicted',
  requested: 'requested, another program moves the pod',
  'refused-by-budget': 'refused by its PodDisruptionBudget',
  overloaded: 'failed, the API server is overloaded',
  gone: 'gone',
  rejected: 'failed',
  uncertain: 'uncertain',
  'not-started': 'not started',
};

/** "1 pod", "2 pods"; the plural adds an s unless it is given. */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}

/** The title of a report: what kind of run it was. */
export function titleOf(report: CycleReport): string {
  const mark = incompleteBecause(report) === undefined ? '' : ', INCOMPLETE';
  return report.dryRun ? `Descheduling plan${mark} (dry run: nothing was changed)` : `Descheduling report${mark}`;
}

/** Where the cluster came from, what time it is there and how big it is, as label and text. */
export function factsOf(report: CycleReport): readonly (readonly [string, string])[] {
  const { source, cluster } = report;
  return [
    ['Source', sourceText(source)],
    ['Time', `${source.now}, ${source.kind === 'demo' ? 'always the same' : TIME_SOURCES[source.nowFrom]}`],
    ['Cluster', `${count(cluster.nodes, 'node')} (${cluster.readyNodes} ready), ${count(cluster.pods, 'pod')}`],
  ];
}

/** What a strategy came to, in one phrase. */
export function resultOf(section: Section, dryRun: boolean): string {
  const { run, evictions, refusals } = section;
  const counts = countsOf(evictions);
  const parts = [
    counts.evicted > 0 ? `${count(counts.evicted, 'pod')} ${dryRun ? 'would be evicted' : 'evicted'}` : '',
    refusals.length > 0 ? count(refusals.length, 'refusal') : '',
    ...troubleOf(counts),
  ].filter((part) => part !== '');
  if (run.error !== undefined) parts.push('stopped by an ERROR');
  if (run.cut !== undefined) parts.push(`${run.cut.state.replace('-', ' ').toUpperCase()}: ${run.cut.why}`);
  return parts.join(', ') || 'nothing to do';
}

/** The totals of a report in one line. */
export function verdictOf({ evicted, refused, failed, gone, uncertain, incompleteBecause: because }: Summary): string {
  const trouble = troubleOf({ failed: 0, gone, uncertain });
  const counts = [count(evicted, 'eviction'), count(refused, 'refusal'), `${failed} failed`, ...trouble].join(', ');
  return because === undefined ? counts : `${counts}. INCOMPLETE: ${because}`;
}

/** `2 failed`, `1 gone`, `1 uncertain`: evictions that did not go as planned, if there are any. */
export function troubleOf(counts: Omit<Counts, 'evicted'>): readonly string[] {
  return (['failed', 'gone', 'uncertain'] as const).flatMap((word) =>
    counts[word] > 0 ? `${counts[word]} ${word}` : [],
  );
}

const LIKELY_SHOWN = 3;

/** Where an evicted pod can go: how many other nodes fit, and the first of the likely ones, which may be its own. */
export function destinationText({ pod, destinations, likelyNodes }: Eviction): string {
  const fits = destinations === 0 ? 'fits on no other node' : `fits on ${count(destinations, 'node')}`;
  if (likelyNodes.length === 0) return fits;
  const shown = likelyNodes.slice(0, LIKELY_SHOWN).map((name) => (name === pod.nodeName ? `${name} again` : name));
  const more = likelyNodes.length - LIKELY_SHOWN;
  return `${fits}, likely ${shown.join(', ')}${more > 0 ? ` or ${more} more` : ''}`;
}

/** How an eviction ended, with the error of a failed one. */
export function outcomeText(eviction: Eviction): string {
  return eviction.error === undefined ? RESULTS[eviction.result] : `${RESULTS[eviction.result]}: ${eviction.error}`;
}

/** The fact of a refusal's reason, without the advice that may follow it: the hint beside it says what to change. */
export function factOf(reason: string): string {
  return reason.split('; ', 1)[0] ?? reason;
}

/** The profile's name as shown: a policy may leave it empty. */
export function profileText(name: string): string {
  return name === '' ? '(unnamed)' : name;
}

/**
 * The profile's name where it says more than the strategy's: profiles of a converted v1alpha1 policy are named after
 * their one strategy (rule C5).
 */
export function ownProfile({ profile, name }: StrategyRun): string {
  return profile === `strategy-${name}-profile` ? '' : profileText(profile);
}

function sourceText(source: Source): string {
  if (source.kind === 'demo') return 'the built-in demo cluster, generated';
  return source.kind === 'dump' ? `dump ${source.name}` : `cluster ${source.name}`;
}
