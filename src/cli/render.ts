import { visibleData } from '../lib/visible.ts';
import type { CycleReport } from '../outcomes/outcome.ts';
import type { Canvas } from '../report/table.ts';

/** The values of -o, the default first. */
export const FORMATS = ['table', 'json', 'yaml', 'markdown', 'html'] as const;

/** One of the forms a report can be printed in. */
export type Format = (typeof FORMATS)[number];

/** Prints the report in the form asked for; only that form's code is loaded. Forms that people look at show no character unseen. */
export async function render(report: CycleReport, format: Format, canvas: Canvas): Promise<string> {
  switch (format) {
    case 'table':
      return (await import('../report/table.ts')).renderTable(visibleData(report), canvas);
    case 'json':
      return (await import('../report/json.ts')).renderJson(report);
    case 'yaml':
      return (await import('../report/yaml.ts')).renderYaml(report);
    case 'markdown':
      return (await import('../report/markdown.ts')).renderMarkdown(visibleData(report));
    case 'html':
      return (await import('../report/html.ts')).renderHtml(visibleData(report));
  }
}
