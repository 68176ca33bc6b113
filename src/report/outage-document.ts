import type { OutageReport } from '../outcomes/outage-report.ts';
import type { Source } from '../outcomes/outcome.ts';

/** An outage, how it would go with other flags, and what it was played on. */
export interface OutagePage {
  readonly source: Source;
  readonly report: OutageReport;
  readonly comparisons: readonly { readonly change: string; readonly report: OutageReport }[];
  /** What the reader of the cluster said. */
  readonly warnings: readonly string[];
}

/** The document of rule C20 ("The JSON report of `outage`"), and after it who goes, what stays and the comparisons. */
export function outageDocument({ source, report, comparisons, warnings }: OutagePage): object {
  return {
    apiVersion: 'evenkeel.io/v1alpha1',
    kind: 'OutageReport',
    source,
    timeline: report.timeline,
    pods: report.pods,
    ...(comparisons.length === 0
      ? {}
      : { comparisons: comparisons.map(({ change, report: { summary } }) => ({ change, summary })) }),
    warnings: [...warnings, ...report.warnings],
    summary: report.summary,
  };
}
