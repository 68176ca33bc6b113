import Table from 'cli-table3';
import picocolors from 'picocolors';
import stringWidth from 'string-width';
import { podName } from '../cluster/objects/pod.ts';
import { CONSEQUENCES } from '../outcomes/eviction-result.ts';
import type { CycleReport, Eviction } from '../outcomes/outcome.ts';
import { summaryOf } from './document.ts';
import { hintFor } from './hints.ts';
import { groupRefusals, sectionsOf, type RefusalGroup, type Section } from './sections.ts';
import { hanging, wrap } from './text.ts';
import { count, destinationText, factOf, factsOf, ownProfile, resultOf, titleOf, troubleOf } from './words.ts';

/** What the table is drawn on. The caller decides on colours; 80 columns are always enough. */
export interface Canvas {
  readonly width: number;
  readonly colors: boolean;
}

type Pen = ReturnType<typeof picocolors.createColors>;
interface Drawing {
  readonly report: CycleReport;
  readonly sections: readonly Section[];
  readonly pen: Pen;
  readonly width: number;
}

const MOST_REFUSALS = 8;

/** The report for a person at a terminal: totals, then each strategy, then why pods stay and which setting changes that. */
export function renderTable(report: CycleReport, canvas: Canvas): string {
  const drawing = {
    report,
    sections: sectionsOf(report),
    pen: picocolors.createColors(canvas.colors),
    width: canvas.width,
  };
  const blocks = [
    head(drawing),
    totals(drawing),
    ...drawing.sections.map((section) => strategyBlock(section, drawing)),
    refusals(drawing),
    warnings(drawing),
    verdict(drawing),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function head({ report, pen, width }: Drawing): string {
  const facts = factsOf(report).map(([label, text]) => hanging(label.padEnd(9), text, width));
  return [pen.bold(titleOf(report)), ...facts].join('\n');
}

function totals(drawing: Drawing): string {
  const { sections, pen, width } = drawing;
  if (sections.length === 0) return hanging('', 'No strategy ran.', width);
  const rows = totalRows(drawing);
  const names = columnWidth(rows, 0, width - 31);
  const withProfiles = sections.some(({ run }) => ownProfile(run) !== '');
  const shown = <T>(cells: readonly T[]): T[] => cells.filter((_, column) => withProfiles || column !== PROFILE);
  const table = plainTable(shown([names, columnWidth(rows, PROFILE, width - names - 22), 11, 11]));
  table.push(...rows.map((cells) => shown(cells.map(cellAt))));
  // Colours come last: cells that carry them would be measured and wrapped wrongly.
  const lines = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
  return lines.map((line, i) => (i === 0 ? pen.dim(line) : i === lines.length - 1 ? pen.bold(line) : line)).join('\n');
}

const PROFILE = 1;

function totalRows({ report, sections }: Drawing): readonly (readonly string[])[] {
  const { evicted, refused } = summaryOf(report);
  return [
    ['STRATEGY', 'PROFILE', report.dryRun ? 'EVICT' : 'EVICTED', 'REFUSED'],
    ...sections.map(({ run }) => [run.name, ownProfile(run), `${run.evicted}`, `${run.refused}`]),
    ['total', '', `${evicted}`, `${refused}`],
  ];
}

function columnWidth(rows: readonly (readonly string[])[], column: number, widest: number): number {
  return Math.min(widest, Math.max(...rows.map((cells) => stringWidth(cells[column] ?? ''))) + 2);
}

/** A table without lines; numbers stand at the right. */
function plainTable(colWidths: number[]): InstanceType<typeof Table> {
  const sides = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'];
  const inner = ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'];
  return new Table({
    chars: Object.fromEntries([...sides, ...inner].map((name) => [name, ''])),
    style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [] },
    colWidths,
    wordWrap: true,
    wrapOnWordBoundary: false,
  });
}

function cellAt(content: string, column: number): { readonly content: string; readonly hAlign: 'left' | 'right' } {
  return { content, hAlign: column > PROFILE ? 'right' : 'left' };
}

function strategyBlock(section: Section, drawing: Drawing): string {
  const { run } = section;
  const { pen, width } = drawing;
  const lines = [heading(section, drawing)];
  if (run.error !== undefined) lines.push(pen.red(hanging('  stopped: ', run.error, width)));
  lines.push(...section.evictions.map((eviction) => evictionBlock(eviction, drawing)));
  if (section.refusals.length > 0) lines.push(hanging('  stay: ', tally(section), width));
  lines.push(...run.notes.map((note) => hanging('  note: ', note, width)));
  return lines.join('\n');
}

function heading(section: Section, { report, sections, pen, width }: Drawing): string {
  const { name } = section.run;
  const profile = ownProfile(section.run);
  const several = new Set(sections.map(({ run }) => run.profile)).size > 1;
  const origin = several && profile !== '' ? ` of profile ${profile}` : '';
  const text = `${pen.bold(pen.cyan(name))}${origin}: ${resultOf(section, report.dryRun)}`;
  return wrap(text, width - 2).join('\n  ');
}

function evictionBlock(eviction: Eviction, { pen, width }: Drawing): string {
  const { report } = CONSEQUENCES[eviction.result];
  const mark = { evicted: pen.yellow('→'), failed: pen.red('✗'), gone: pen.dim('-'), uncertain: pen.red('?') }[report];
  const ink = report === 'gone' ? pen.dim : pen.red;
  const place = hanging('    ', `${podName(eviction.pod)} on ${eviction.pod.nodeName}`, width);
  return [
    `  ${mark} ${place.slice(4)}`,
    hanging('    why: ', eviction.reason, width),
    report === 'evicted'
      ? hanging('    to:  ', destinationText(eviction), width)
      : ink(hanging(`    ${report}: `, eviction.error ?? 'for an unknown reason', width)),
  ].join('\n');
}

function tally({ refusals: all }: Section): string {
  return groupRefusals(all)
    .map((group) => `${group.count} by ${group.refusedBy}`)
    .join(', ');
}

function refusals({ report, pen, width }: Drawing): string {
  const groups = groupRefusals(report.refusals);
  if (groups.length === 0) return '';
  const shown = groups.slice(0, MOST_REFUSALS).map((group) => refusalBlock(group, pen, width));
  const more = groups.length - shown.length;
  if (more > 0) shown.push(`  and ${count(more, 'further cause')}: -o json lists every refusal`);
  return [pen.bold('Why pods stay'), ...shown].join('\n');
}

function refusalBlock({ refusedBy, count: times, example }: RefusalGroup, pen: Pen, width: number): string {
  const hint = hintFor(refusedBy);
  const lines = [
    `  ${`${times}`.padStart(5)}  ${pen.bold(refusedBy)}`,
    hanging('         e.g. ', `${podName(example.pod)} ${factOf(example.reason)}`, width),
  ];
  if (hint !== undefined) lines.push(hanging('         setting: ', hint, width));
  return lines.join('\n');
}

function warnings({ report, pen, width }: Drawing): string {
  if (report.warnings.length === 0) return '';
  const lines = report.warnings.map((warning) => hanging('  ! ', warning, width));
  return [pen.bold(pen.yellow('Warnings')), ...lines].join('\n');
}

function verdict({ report, pen, width }: Drawing): string {
  const { evicted, refused, failed, gone: vanished, uncertain, incompleteBecause } = summaryOf(report);
  const counts = { failed, gone: vanished, uncertain };
  const gone = `${count(evicted, 'pod')} ${report.dryRun ? 'would be evicted' : 'evicted'}`;
  const text = [gone, count(refused, 'refusal'), ...troubleOf(counts)].join(', ');
  const lines = wrap(text, width).map((line) => pen.bold(line));
  if (incompleteBecause === undefined) return lines.join('\n');
  return [...lines, pen.bold(pen.red(hanging('INCOMPLETE: ', incompleteBecause, width)))].join('\n');
}
