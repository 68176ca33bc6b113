import { stringify } from 'yaml';
import type { CycleReport } from '../outcomes/outcome.ts';
import { reportDocument } from './document.ts';

/** The report as one YAML document with the keys of the JSON report. Long texts stay on one line, so that grep finds them. */
export function renderYaml(report: CycleReport): string {
  return stringify(reportDocument(report), { lineWidth: 0, aliasDuplicateObjects: false });
}
