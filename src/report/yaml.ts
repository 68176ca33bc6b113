import { stringify } from 'yaml';
import type { CycleReport } from '../outcomes/outcome.ts';
import { reportDocument } from './document.ts';

/** The report as one YAML document with the keys of the JSON report. Long texts stay on one line, so that grep finds them. */
export function renderYaml(report: CycleReport): string {
  return yamlText(reportDocument(report));
}

/** Any document as YAML, in the same style. */
export function yamlText(document: object): string {
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}
