import { podName } from '../cluster/objects/pod.ts';
import type { CycleReport, Refusal } from '../outcomes/outcome.ts';
import { summaryOf } from './document.ts';
import { escapeHtml as escape, htmlList as list, htmlPage, htmlTable as table } from './markup.ts';
import { CAUSE_HEAD, causeRow, EVICTION_HEAD, evictionRow } from './rows.ts';
import { groupRefusals, sectionsOf, type Section } from './sections.ts';
import { factsOf, profileText, resultOf, titleOf, verdictOf } from './words.ts';

/** The report as one HTML page that needs nothing else: no script, no image, no font. */
export function renderHtml(report: CycleReport): string {
  const title = titleOf(report);
  return htmlPage(title, [
    `<h1>${escape(title)}</h1>`,
    `<dl>${factsOf(report)
      .map(([label, text]) => `<dt>${label}</dt><dd>${escape(text)}</dd>`)
      .join('')}</dl>`,
    verdict(report),
    ...sectionsOf(report).map((section) => strategyBlock(section, report.dryRun)),
    refusalCauses(report),
    allRefusals(report.refusals),
    list('Warnings', report.warnings),
  ]);
}

function verdict(report: CycleReport): string {
  const summary = summaryOf(report);
  return `<p><strong>${verdictOf(summary)}</strong></p>`;
}

function strategyBlock(section: Section, dryRun: boolean): string {
  const { run, evictions } = section;
  const head = `<h2>${escape(run.name)}</h2>\n<p>Profile ${escape(profileText(run.profile))}, ${run.extensionPoint}: ${resultOf(section, dryRun)}.</p>`;
  const error = run.error === undefined ? '' : `<p class="error">Stopped: ${escape(run.error)}</p>`;
  const rows = evictions.length === 0 ? '' : table(EVICTION_HEAD, evictions.map(evictionRow));
  return [head, error, rows, list('', run.notes)].filter((block) => block !== '').join('\n');
}

function refusalCauses(report: CycleReport): string {
  const groups = groupRefusals(report.refusals);
  if (groups.length === 0) return '';
  return `<h2>Why pods stay</h2>\n${table(CAUSE_HEAD, groups.map(causeRow))}`;
}

function allRefusals(refusals: readonly Refusal[]): string {
  if (refusals.length === 0) return '';
  const rows = refusals.map(({ pod, strategy, refusedBy, reason }) => [
    podName(pod),
    pod.nodeName,
    strategy,
    refusedBy,
    reason,
  ]);
  return `<details><summary>All refusals</summary>\n${table(['pod', 'node', 'strategy', 'by', 'why'], rows)}\n</details>`;
}
