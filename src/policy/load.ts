import type { Finding } from '../findings/finding.ts';
import { compareFindings } from '../findings/finding.ts';
import type { YamlSource } from '../findings/yaml-source.ts';
import { readYaml } from '../findings/yaml-source.ts';
import type { Checking } from './checks/checking.ts';
import { sourceOf } from './checks/embedded.ts';
import { judgeKind } from './checks/foreign.ts';
import { convertV1alpha1 } from './v1alpha1/convert-v1alpha1.ts';
import { checkDocument } from './document.ts';
import { parseInto } from './checks/issues.ts';
import { keyPlaces, partsOf, TOP_LEVEL } from './checks/key-places.ts';
import { plugins } from './plugins.ts';
import type { Policy } from './policy.ts';
import { reportInto } from './report.ts';
import { isMap } from './checks/schema-walk.ts';
import { dropUnknown } from './checks/unknown-keys.ts';
import { v1alpha1Document } from './v1alpha1/v1alpha1.ts';
import { policyDocument } from './v1alpha2.ts';
import type { Version } from './versions.ts';
import { specialHint, VERSIONS, versionOf, withVersion } from './versions.ts';

/** How a policy is read. */
export interface LoadOptions {
  /** Unknown keys are warnings instead of errors. */
  readonly ignoreUnknownKeys?: boolean;
}

/** A policy, or everything that is wrong with its text. Findings are in the order of the text. */
export type LoadResult =
  | {
      readonly ok: true;
      readonly policy: Policy;
      /** The policy as a v1alpha2 document: what `policy migrate` writes. */
      readonly document: unknown;
      readonly version: Version;
      readonly warnings: readonly Finding[];
    }
  /** At least one is an error; warnings are among them. */
  | { readonly ok: false; readonly findings: readonly Finding[] };

/**
 * Reads a policy of either version, as YAML or JSON. Never throws on any text: all findings come back at once, each with
 * its place. Whoever wants an error makes a `PolicyError` of them.
 */
export function loadPolicy(text: string, options: LoadOptions = {}): LoadResult {
  const source = readYaml(text);
  const findings: Finding[] = [...source.findings];
  const loaded = check(source, findings, { ...options, text });
  const sorted = withoutRepeats(findings.sort(compareFindings));
  if (loaded?.policy === undefined || sorted.some(({ severity }) => severity === 'error')) {
    return { ok: false, findings: sorted.filter(({ code }) => code !== 'nothing-enabled') };
  }
  return { ok: true, ...loaded, policy: loaded.policy, warnings: sorted };
}

function check(
  source: YamlSource,
  findings: Finding[],
  options: LoadOptions & { readonly text: string },
): Loaded | undefined {
  if (source.value === undefined) return undefined;
  const report = reportInto(findings, source);
  if (!isMap(source.value)) {
    const message = 'a policy is a map of keys, such as apiVersion and profiles; this is not';
    report.error([], { code: 'wrong-type', message });
    return undefined;
  }
  const behind = judgeKind(source.value, report);
  if (behind === 'nothing') return undefined;
  if (behind !== undefined && behind !== 'itself') {
    const inner = sourceOf(behind, source, options.text);
    findings.push(...inner.findings);
    return source.within.length > 0 ? undefined : check(inner, findings, options);
  }
  const version = versionOf(source.value, report);
  const checking = checkingOf({ version, findings, source }, options);
  const value = withVersion(source.value, version);
  if (version === VERSIONS[1]) return { policy: checkDocument(value, checking), document: value, version };
  const spot = { schema: v1alpha1Document, path: [] };
  const known = checking.dropUnknown(spot, value);
  parseInto(spot, known, report);
  const { raw, origin } = convertV1alpha1(known, checking);
  const policy = checkDocument(raw, { ...checking, report: reportInto(findings, source, origin) });
  return { policy, document: raw, version };
}

interface Loaded {
  readonly policy: Policy | undefined;
  readonly document: unknown;
  readonly version: Version;
}

interface Reading {
  readonly version: Version;
  readonly findings: Finding[];
  readonly source: YamlSource;
}

function checkingOf({ version, findings, source }: Reading, options: LoadOptions): Checking {
  const report = reportInto(findings, source);
  const isOld = version === VERSIONS[0];
  const top = { name: TOP_LEVEL, schema: isOld ? v1alpha1Document : policyDocument };
  return {
    plugins,
    report,
    dropUnknown: dropUnknown({
      report,
      places: () => keyPlaces(isOld ? [top] : [top, ...partsOf(plugins)]),
      ignore: options.ignoreUnknownKeys ?? false,
      special: specialHint(version),
    }),
  };
}

/** A part of an old policy may be checked once for every profile it went into. */
function withoutRepeats(sorted: readonly Finding[]): readonly Finding[] {
  return sorted.filter((finding, index) => {
    const before = sorted[index - 1];
    return before === undefined || compareFindings(before, finding) !== 0;
  });
}
