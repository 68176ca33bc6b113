import type { Path } from '../findings/finding.ts';
import { nearest } from '../findings/nearest.ts';
import { KIND } from './checks/foreign.ts';
import { didYouMean, quoted } from './checks/issues.ts';
import type { Report } from './report.ts';
import { knownKeys } from './checks/schema-walk.ts';
import { policyDocument } from './v1alpha2.ts';

/** The versions of a policy that can be read. */
export const VERSIONS = ['descheduler/v1alpha1', 'descheduler/v1alpha2'] as const;

/** One of them. */
export type Version = (typeof VERSIONS)[number];

/**
 * The version of a policy text. A missing or unknown one is reported, and the shape tells which to go on with, so that
 * the rest is checked all the same.
 */
export function versionOf(value: Readonly<Record<string, unknown>>, report: Report): Version {
  const { apiVersion } = value;
  const version = VERSIONS.find((known) => known === apiVersion);
  if (version !== undefined) return version;
  const guess = 'strategies' in value ? VERSIONS[0] : VERSIONS[1];
  const known = `known are ${VERSIONS.join(' and ')}`;
  if (apiVersion === undefined || apiVersion === null) {
    const hint = `by its keys it seems to be apiVersion: ${guess}`;
    report.error([], { code: 'unknown-version', message: `there is no apiVersion; ${known}`, hint });
  } else {
    const message = `the apiVersion ${quoted(apiVersion)} does not exist; ${known}`;
    const hint = didYouMean(nearest(typeof apiVersion === 'string' ? apiVersion : '', VERSIONS.toReversed()));
    report.error(['apiVersion'], { code: 'unknown-version', message, hint });
  }
  return guess;
}

/** Hints for keys that a known mistake explains better than the nearest key does. */
export function specialHint(version: Version): (path: Path) => string | undefined {
  return (path) => (version === VERSIONS[1] ? newHint(path) : oldHint(path));
}

function newHint(path: Path): string | undefined {
  const key = path.join('.');
  if (key === 'strategies') {
    return `"strategies" is the old format, ${VERSIONS[0]}: evenkeel policy migrate turns a policy of that version into profiles`;
  }
  if (path.length === 4 && path[0] === 'profiles' && path[2] === 'plugins' && path[3] === 'evictor') {
    return 'there is no such extension point; the arguments of DefaultEvictor stand in pluginConfig';
  }
  return undefined;
}

function oldHint(path: Path): string | undefined {
  const [key] = path;
  if (path.length !== 1 || !knownKeys(policyDocument)?.includes(String(key))) return undefined;
  return `"${key}" exists in apiVersion: ${VERSIONS[1]}; evenkeel policy migrate rewrites a policy of this version`;
}

/** The document with the version and kind it is read as, whatever it says. */
export function withVersion(value: Readonly<Record<string, unknown>>, version: Version): unknown {
  return { ...value, apiVersion: version, kind: KIND };
}
