import type { CycleReport } from '../outcomes/outcome.ts';
import { summaryOf } from './document.ts';
import { escapeMarkdown as escape, markdownList as list, markdownTable as table } from './markup.ts';
import { CAUSE_HEAD, causeRow, EVICTION_HEAD, evictionRow } from './rows.ts';
import { groupRefusals, sectionsOf, type Section } from './sections.ts';
import { factsOf, profileText, resultOf, titleOf, verdictOf } from './words.ts';

/** The report as GitHub-flavoured Markdown, for a pull request or a ticket. */
export function renderMarkdown(report: CycleReport): string {
  const summary = summaryOf(report);
  const blocks = [
    `# ${titleOf(report)}`,
    factsOf(report)
      .map(([label, text]) => `- **${label}**: ${escape(text)}`)
      .join('\n'),
    `**${verdictOf(summary)}**`,
    ...sectionsOf(report).map((section) => strategyBlock(section, report.dryRun)),
    refusals(report),
    list('## Warnings', report.warnings),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function strategyBlock(section: Section, dryRun: boolean): string {
  const { run, evictions } = section;
  const title = `## ${run.name}\n\nProfile ${escape(profileText(run.profile))}, ${run.extensionPoint}: ${resultOf(section, dryRun)}.`;
  const error = run.error === undefined ? '' : `**Stopped:** ${escape(run.error)}`;
  const rows = evictions.length === 0 ? '' : table(EVICTION_HEAD, evictions.map(evictionRow));
  return [title, error, rows, list('', run.notes)].filter((block) => block !== '').join('\n\n');
}

function refusals(report: CycleReport): string {
  const groups = groupRefusals(report.refusals);
  if (groups.length === 0) return '';
  return `## Why pods stay\n\n${table(CAUSE_HEAD, groups.map(causeRow))}`;
}
