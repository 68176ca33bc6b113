import type { Finding, FindingCode, Path } from '../findings/finding.ts';
import { formatPath } from '../findings/finding.ts';
import type { YamlSource } from '../findings/yaml-source.ts';

/** What a finding says; `at` chooses whether the key or the value is pointed at (the value by default). */
export interface Remark {
  readonly code: FindingCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly at?: 'key' | 'value';
}

/** Where the checks of a policy put what they find. */
export interface Report {
  readonly error: (path: Path, remark: Remark) => void;
  readonly warning: (path: Path, remark: Remark) => void;
}

/** From where a path of the checked document leads to in the text; the document may have been converted. */
export type Origin = (path: Path) => Path;

/** A report that adds to `findings`, with places in the text of `source`. */
export function reportInto(findings: Finding[], source: YamlSource, origin: Origin = (path) => path): Report {
  const add = (severity: Finding['severity'], path: Path, { code, message, hint, at = 'value' }: Remark) => {
    const there = origin(path);
    findings.push({
      code,
      severity,
      path: formatPath([...source.within, ...there]),
      ...source.positionOf(there, at),
      message,
      ...(hint === undefined ? {} : { hint }),
    });
  };
  return {
    error: (path, remark) => {
      add('error', path, remark);
    },
    warning: (path, remark) => {
      add('warning', path, remark);
    },
  };
}

/** A part of a converted document and the part of the text that it comes from. */
export interface Trace {
  readonly to: Path;
  readonly from: Path;
}

/** The longest trace that leads to a path decides; a path that none leads to stays as it is. */
export function originOf(traces: readonly Trace[]): Origin {
  const longestFirst = traces.toSorted((a, b) => b.to.length - a.to.length);
  return (path) => {
    const trace = longestFirst.find(({ to }) => to.length <= path.length && to.every((step, at) => step === path[at]));
    return trace === undefined ? path : [...trace.from, ...path.slice(trace.to.length)];
  };
}
