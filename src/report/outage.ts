import { yamlText } from '../findings/yaml-text.ts';
import { jsonText, visibleData } from '../lib/visible.ts';
import { escapeHtml, htmlList, htmlPage, htmlTable, markdownList, markdownTable } from './markup.ts';
import { outageDocument, type OutagePage } from './outage-document.ts';
import { zonePlots } from './outage-plot.ts';
import { eventGroups, eventText, reasonGroups, renderOutageTable, summaryText } from './outage-table.ts';
import type { Canvas } from './table.ts';

const PLOT_COLUMNS = 60;

/** The report of an outage in the form asked for. */
export function renderOutage(
  page: OutagePage,
  format: 'table' | 'json' | 'yaml' | 'markdown' | 'html',
  canvas: Canvas,
): string {
  switch (format) {
    case 'table':
      return renderOutageTable(visibleData(page), canvas);
    case 'json':
      return `${jsonText(outageDocument(page), 2)}\n`;
    case 'yaml':
      return yamlText(outageDocument(page));
    case 'markdown':
      return renderMarkdown(visibleData(page));
    case 'html':
      return renderHtml(visibleData(page));
  }
}

const EVENT_HEAD = ['At', 'Event', 'What'];
const POD_HEAD = ['At', 'Pod', 'Node', 'Why'];
const STAY_HEAD = ['Pods', 'For example', 'Why'];
const FLAG_HEAD = ['Flags', 'What would happen'];
const TITLE = 'Outage, simulated in virtual time';

function renderMarkdown(page: OutagePage): string {
  const { report, comparisons } = page;
  const plots = plotLines(page);
  const blocks = [
    `# ${TITLE}`,
    `**${summaryText(report)}**`,
    `## Zones\n\n\`\`\`text\n${plots.join('\n')}\n\`\`\``,
    `## Timeline\n\n${markdownTable(EVENT_HEAD, eventRows(page))}`,
    `## Deleted pods\n\n${markdownTable(POD_HEAD, podRows(page))}`,
    `## Kept pods\n\n${markdownTable(STAY_HEAD, stayRows(page))}`,
    comparisons.length === 0 ? '' : `## With other flags\n\n${markdownTable(FLAG_HEAD, flagRows(page))}`,
    markdownList('## Warnings', [...page.warnings, ...report.warnings]),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function renderHtml(page: OutagePage): string {
  const { report, comparisons } = page;
  return htmlPage(TITLE, [
    `<h1>${TITLE}</h1>\n<p><strong>${escapeHtml(summaryText(report))}</strong></p>`,
    `<h2>Zones</h2>\n<pre>${escapeHtml(plotLines(page).join('\n'))}</pre>`,
    `<h2>Timeline</h2>\n${htmlTable(EVENT_HEAD, eventRows(page))}`,
    `<h2>Deleted pods</h2>\n${htmlTable(POD_HEAD, podRows(page))}`,
    `<h2>Kept pods</h2>\n${htmlTable(STAY_HEAD, stayRows(page))}`,
    comparisons.length === 0 ? '' : `<h2>With other flags</h2>\n${htmlTable(FLAG_HEAD, flagRows(page))}`,
    htmlList('Warnings', [...page.warnings, ...report.warnings]),
  ]);
}

function plotLines({ report }: OutagePage): readonly string[] {
  return zonePlots(report.zones, report.durationMs, PLOT_COLUMNS).flatMap((plot) => [
    `zone ${plot.zone}: ${plot.nodes} nodes, ${plot.podsDeleted} pods deleted`,
    `  ready     ${plot.ready}`,
    `  pods deleted ${plot.deleted}`,
  ]);
}

function eventRows({ report }: OutagePage): readonly (readonly string[])[] {
  return eventGroups(report.timeline).map(({ first, size }) => [first.at, first.event, eventText(first, size)]);
}

function podRows({ report }: OutagePage): readonly (readonly string[])[] {
  return report.pods
    .filter(({ podResult }) => podResult === 'deleted')
    .map(({ at = '', pod, node, reason }) => [at, pod, node, reason]);
}

function stayRows({ report }: OutagePage): readonly (readonly string[])[] {
  return reasonGroups(report.pods.filter(({ podResult }) => podResult === 'stays')).map(({ example, size }) => [
    `${size}`,
    example.pod,
    example.reason,
  ]);
}

function flagRows({ report, comparisons }: OutagePage): readonly (readonly string[])[] {
  return [{ change: 'as played', report }, ...comparisons].map((row) => [row.change, summaryText(row.report)]);
}
