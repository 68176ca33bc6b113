import { jsonText } from '../lib/visible.ts';
import type { CycleReport } from '../outcomes/outcome.ts';
import { reportDocument } from './document.ts';

/** The report as one indented JSON document with a newline at its end. */
export function renderJson(report: CycleReport): string {
  return `${jsonText(reportDocument(report), 2)}\n`;
}
