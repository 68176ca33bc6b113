import { yamlText } from '../findings/yaml-text.ts';
import type { CycleReport } from '../outcomes/outcome.ts';
import { reportDocument } from './document.ts';

/** The report as one YAML document with the keys of the JSON report. */
export function renderYaml(report: CycleReport): string {
  return yamlText(reportDocument(report));
}
