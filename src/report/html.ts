import { podName } from '../cluster/pod.ts';
import type { CycleReport, Refusal } from '../outcomes/outcome.ts';
import { summaryOf } from './document.ts';
import { CAUSE_HEAD, causeRow, EVICTION_HEAD, evictionRow } from './rows.ts';
import { groupRefusals, sectionsOf, type Section } from './sections.ts';
import { count, factsOf, profileText, resultOf, titleOf } from './words.ts';

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #8886}
th{font-weight:600}dt{float:left;clear:left;width:6rem;color:#777}dd{margin-left:6rem}.error{color:#c33}`;

/** The report as one HTML page that needs nothing else: no script, no image, no font. */
export function renderHtml(report: CycleReport): string {
  const title = titleOf(report);
  const body = [
    `<h1>${escape(title)}</h1>`,
    `<dl>${factsOf(report)
      .map(([label, text]) => `<dt>${label}</dt><dd>${escape(text)}</dd>`)
      .join('')}</dl>`,
    verdict(report),
    ...sectionsOf(report).map((section) => strategyBlock(section, report.dryRun)),
    refusalCauses(report),
    allRefusals(report.refusals),
    list('Warnings', report.warnings),
  ].filter((block) => block !== '');
  return `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<title>${escape(title)}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n${body.join('\n')}\n</body>\n</html>\n`;
}

function verdict(report: CycleReport): string {
  const { evicted, refused, failed } = summaryOf(report);
  return `<p><strong>${count(evicted, 'eviction')}, ${count(refused, 'refusal')}, ${failed} failed</strong></p>`;
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

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], tag: 'th' | 'td'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escape(cell)}</${tag}>`).join('')}</tr>`;
  return `<table>\n${[row(head, 'th'), ...rows.map((cells) => row(cells, 'td'))].join('\n')}\n</table>`;
}

function list(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  const lines = `<ul>${items.map((item) => `<li>${escape(item)}</li>`).join('')}</ul>`;
  return title === '' ? lines : `<h2>${title}</h2>\n${lines}`;
}

function escape(text: string): string {
  const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/gu, (sign) => signs[sign] ?? sign);
}
