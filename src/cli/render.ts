import type { CycleReport } from '../outcomes/outcome.ts';
import type { Canvas } from '../report/table.ts';

/** The values of -o, the default first. */
export const FORMATS = ['table', 'json', 'yaml', 'markdown', 'html'] as const;

/** One of the forms a report can be printed in. */
export type Format = (typeof FORMATS)[number];

/** Prints the report in the form asked for; only that form's code is loaded. */
export async function render(report: CycleReport, format: Format, canvas: Canvas): Promise<string> {
  switch (format) {
    case 'table':
      return (await import('../report/table.ts')).renderTable(report, canvas);
    case 'json':
      return (await import('../report/json.ts')).renderJson(report);
    case 'yaml':
      return (await import('../report/yaml.ts')).renderYaml(report);
    case 'markdown':
      return (await import('../report/markdown.ts')).renderMarkdown(report);
    case 'html':
      return (await import('../report/html.ts')).renderHtml(report);
  }
}
