import type { z } from 'zod';
import { compareFindings, formatPath, type Finding, type Path } from '../findings/finding.ts';
import { formatFindings, type Document } from '../findings/format.ts';
import { nearest } from '../findings/nearest.ts';
import { readYaml, type YamlSource } from '../findings/yaml-source.ts';
import type { Scenario } from './scenario.ts';
import { HAPPENINGS, scenarioSchema } from './scenario-schema.ts';

/** A scenario, or everything that is wrong with its text, in the order of the text. */
export type ScenarioResult =
  { readonly ok: true; readonly scenario: Scenario } | { readonly ok: false; readonly findings: readonly Finding[] };

/** The scenario of a user is wrong: all findings at once, with their places. Shown without a stack; exit code 2. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[], document: Document) {
    super(formatFindings(findings, document));
    this.findings = findings;
  }
}

/** Reads a scenario, as YAML or JSON. Throws nothing on any text. */
export function loadScenario(text: string): ScenarioResult {
  const source = readYaml(text);
  const result = scenarioSchema.safeParse(source.value, { reportInput: true });
  const issues = source.value === undefined || result.success ? [] : result.error.issues;
  const misspelt = new Set(issues.filter(({ code }) => code === 'unrecognized_keys').map(placeOf));
  const findings = [
    ...source.findings,
    ...issues
      .filter((issue) => issue.code !== 'custom' || !misspelt.has(placeOf(issue)))
      .flatMap((issue) => findingsOf(issue, source)),
  ];
  if (result.success && findings.length === 0) return { ok: true, scenario: result.data };
  return { ok: false, findings: findings.sort(compareFindings) };
}

/** The same for callers that end on the first wrong text: throws `ScenarioError`. */
export function readScenario(document: Document): Scenario {
  const result = loadScenario(document.text);
  if (result.ok) return result.scenario;
  throw new ScenarioError(result.findings, document);
}

const KNOWN: readonly string[] = [
  ...['apiVersion', 'kind', 'duration', 'events', 'at', ...Object.keys(HAPPENINGS)],
  ...['nodes', 'zone', 'selector', 'taint', 'condition', 'key', 'value', 'effect', 'timeAdded'],
  ...['type', 'status', 'reason', 'message', 'downFor'],
];

/** By place: a misspelt key is one finding, not also that nothing was given. */
function placeOf({ path }: z.core.$ZodIssue): string {
  return formatPath(path.map(String));
}

function findingsOf(issue: z.core.$ZodIssue, source: YamlSource): readonly Finding[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey([...path, key], source));
  if (issue.input === undefined) {
    const key = String(path.at(-1) ?? 'the scenario');
    return [finding('missing', path, { message: `"${key}" is required`, source })];
  }
  if (issue.code === 'invalid_union') {
    const [first] = issue.errors.flat();
    const custom = issue.errors.flat().find(({ code }) => code === 'custom') ?? first;
    return [finding('not-allowed', path, { message: custom?.message ?? issue.message, source })];
  }
  if (issue.code === 'invalid_value') {
    const expected = issue.values.map((value) => `"${String(value)}"`).join(', ');
    const hint = typeof issue.input === 'string' ? didYouMean(issue.input, issue.values.map(String)) : {};
    const message = issue.message.startsWith('expected') ? issue.message : `expected ${expected}`;
    return [finding('not-allowed', path, { message: `${message}, got ${shown(issue.input)}`, source, ...hint })];
  }
  if (issue.code === 'invalid_type') {
    const message = `expected ${wanted(issue.expected)}, got ${shown(issue.input)}`;
    return [finding('wrong-type', path, { message, source })];
  }
  const message = issue.code === 'too_small' ? 'expected something here, not nothing' : issue.message;
  return [finding('not-allowed', path, { message, source })];
}

function unknownKey(path: Path, source: YamlSource): Finding {
  const key = String(path.at(-1));
  return finding('unknown-key', path, {
    message: `unknown key "${key}"`,
    source,
    ...didYouMean(key, KNOWN),
    at: 'key',
  });
}

function didYouMean(word: string, known: readonly string[]): { readonly hint?: string } {
  const near = nearest(word, known);
  return near === undefined || near === word ? {} : { hint: `did you mean "${near}"?` };
}

interface Remark {
  readonly message: string;
  readonly source: YamlSource;
  readonly hint?: string;
  readonly at?: 'key' | 'value';
}

function finding(code: Finding['code'], path: Path, { message, source, hint, at = 'value' }: Remark): Finding {
  const place = source.positionOf(path, at);
  return { code, severity: 'error', path: formatPath(path), ...place, message, ...(hint !== undefined && { hint }) };
}

function wanted(type: string): string {
  const words: Readonly<Record<string, string>> = {
    string: 'text',
    number: 'a number',
    array: 'a list',
    object: 'a map of keys',
    record: 'a map of keys',
  };
  return words[type] ?? type;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a map of keys';
  return value === null ? 'nothing' : JSON.stringify(value);
}
