import picocolors from 'picocolors';
import { formatDuration } from '../lib/duration.ts';
import { groupBy } from '../lib/group.ts';
import type { OutageEvent, OutageReport, PodResult, TimelineEntry } from '../outcomes/outage-report.ts';
import type { OutagePage } from './outage-document.ts';
import { timeAxis, zonePlots } from './outage-plot.ts';
import type { Canvas } from './table.ts';
import { hanging } from './text.ts';
import { count } from './words.ts';

type Sheet = Canvas & { readonly pen: ReturnType<typeof picocolors.createColors> };

const MOST_GROUPS = 40;
const MOST_REASONS = 8;

/** The outage for a person at a terminal: the zones over time, what happens when, who goes, what stays and why. */
export function renderOutageTable(page: OutagePage, canvas: Canvas): string {
  const sheet = { ...canvas, pen: picocolors.createColors(canvas.colors) };
  const { report } = page;
  const blocks = [
    head(page, sheet),
    plots(report, sheet),
    timeline(report, sheet),
    goers(report, sheet),
    stayers(report, sheet),
    comparisons(page, sheet),
    list('Warnings', [...page.warnings, ...report.warnings], sheet),
    sheet.pen.bold(summaryText(report)),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** What an outage comes to, in one sentence. */
export function summaryText({ summary }: OutageReport): string {
  const last = summary.lastDeletionAt === undefined ? '' : `, the last at ${summary.lastDeletionAt}`;
  return `${count(summary.podsDeleted, 'pod')} deleted${last}; ${count(summary.nodesTainted, 'node')} tainted NoExecute`;
}

/** Equal events of one moment and zone as one line, in the order of the timeline. */
export function eventGroups(timeline: readonly TimelineEntry[]): readonly EventGroup[] {
  const groups = groupBy(timeline, ({ at, event, zone, pod, detail }) =>
    JSON.stringify([at, event, zone, pod === undefined ? detail : '']),
  );
  return [...groups.values()].flatMap((entries) =>
    entries.slice(0, 1).map((first) => ({ first, size: entries.length })),
  );
}

/** Entries of the timeline that tell the same of several nodes or pods. */
export interface EventGroup {
  readonly first: TimelineEntry;
  readonly size: number;
}

function head({ source, report }: OutagePage, { pen, width }: Sheet): string {
  const facts = [
    ['Source', `dump ${source.name}`],
    ['Time', `begins at ${source.now}, simulates ${formatDuration(report.durationMs)}`],
    ['Cluster', `${count(report.cluster.nodes, 'node')}, ${count(report.cluster.pods, 'pod')}`],
  ];
  return [
    pen.bold('Outage, simulated in virtual time (nothing was changed)'),
    ...facts.map(([label = '', text = '']) => hanging(label.padEnd(9), text, width)),
  ].join('\n');
}

function plots({ zones, durationMs }: OutageReport, { pen, width }: Sheet): string {
  const columns = Math.min(60, width - 18);
  const blocks = zonePlots(zones, durationMs, columns).map(({ zone, nodes, ready, deleted, podsDeleted }) =>
    [
      `  ${pen.bold(zone)}, ${count(nodes, 'node')}`,
      `    ready       ${pen.green(ready)}`,
      `    deleted     ${pen.yellow(deleted)} ${podsDeleted}`,
    ].join('\n'),
  );
  return [pen.bold('Zones'), ...blocks, `                ${timeAxis(durationMs, columns)}`].join('\n');
}

function timeline(report: OutageReport, { pen, width }: Sheet): string {
  const groups = eventGroups(report.timeline);
  const shown = groups.slice(0, MOST_GROUPS).map(({ first, size }) => {
    const color = BAD.has(first.event) ? pen.red : GOOD.has(first.event) ? pen.green : (text: string) => text;
    return `  ${first.at.padStart(9)}  ${color(first.event.padEnd(17))} ${hanging(' '.repeat(30), eventText(first, size), width).trimStart()}`;
  });
  const more = groups.length - shown.length;
  if (more > 0) shown.push(`  and ${count(more, 'further moment')}: -o json has the whole timeline`);
  return groups.length === 0 ? 'Nothing happens.' : [pen.bold('Timeline'), ...shown].join('\n');
}

const BAD: ReadonlySet<OutageEvent> = new Set(['NodeNotReady', 'PodDeleted', 'TaintAdded']);
const GOOD: ReadonlySet<OutageEvent> = new Set(['NodeReady', 'TaintRemoved', 'EvictionCancelled']);

/** What an event is about, in words; the first of several and how many there are. */
export function eventText({ pod, node, zone, detail }: TimelineEntry, size: number): string {
  const subject = pod ?? node ?? (zone === undefined || zone === '' ? 'the nodes without zone' : `zone ${zone}`);
  const more = size > 1 ? ` and ${size - 1} more` : '';
  return `${subject}${more}${detail === undefined ? '' : `: ${detail}`}`;
}

function goers({ pods }: OutageReport, { pen, width }: Sheet): string {
  const going = pods.filter(({ podResult }) => podResult === 'deleted');
  if (going.length === 0) return pen.bold('No pod is deleted.');
  const shown = going.slice(0, MOST_GROUPS).map(({ pod, node, at = '', reason }) => {
    return `  ${at.padStart(9)}  ${hanging(' '.repeat(13), `${pod} on ${node}: ${reason}`, width).trimStart()}`;
  });
  const more = going.length - shown.length;
  if (more > 0) shown.push(`  and ${count(more, 'further pod')}: -o json lists every pod`);
  return [pen.bold(`Deleted pods (${going.length})`), ...shown].join('\n');
}

function stayers({ pods }: OutageReport, { pen, width }: Sheet): string {
  const groups = reasonGroups(pods.filter(({ podResult }) => podResult === 'stays'));
  if (groups.length === 0) return '';
  const shown = groups
    .slice(0, MOST_REASONS)
    .map(
      ({ example, size }) =>
        `  ${`${size}`.padStart(5)}  ${hanging(' '.repeat(9), `${example.pod} ${example.reason}`, width).trimStart()}`,
    );
  const more = groups.length - shown.length;
  if (more > 0) shown.push(`  and ${count(more, 'further reason')}: -o json lists every pod`);
  return [pen.bold('Pods on those nodes that are kept, and an example of each reason'), ...shown].join('\n');
}

/** Pods by why they stay, the most frequent reason first. */
export function reasonGroups(
  pods: readonly PodResult[],
): readonly { readonly example: PodResult; readonly size: number }[] {
  const groups = new Map<string, PodResult[]>();
  for (const pod of pods) groups.set(pod.reason, [...(groups.get(pod.reason) ?? []), pod]);
  return [...groups.values()]
    .flatMap((members) => members.slice(0, 1).map((example) => ({ example, size: members.length })))
    .sort((a, b) => b.size - a.size);
}

function comparisons({ comparisons: all, report }: OutagePage, { pen, width }: Sheet): string {
  if (all.length === 0) return '';
  const rows = [{ change: 'as played', report }, ...all];
  const lines = rows.map((row) => hanging('  ', `${row.change}: ${summaryText(row.report)}`, width));
  return [pen.bold('With other flags'), ...lines].join('\n');
}

function list(title: string, texts: readonly string[], { pen, width }: Sheet): string {
  return texts.length === 0 ? '' : [pen.bold(title), ...texts.map((text) => hanging('  ! ', text, width))].join('\n');
}
