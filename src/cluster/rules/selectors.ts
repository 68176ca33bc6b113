import type { LabelSelector, Labels, Requirement } from '../objects/terms.ts';
import { labelKeyProblem, labelValueProblem } from './label-syntax.ts';
import { SelectorSyntaxError, SelectorTokens, unexpected } from './selector-tokens.ts';

/**
 * Whether a label selector selects these labels: all pairs and all expressions hold. One that the API server would
 * refuse (`Gt`, `NotIn` without values…) selects nothing.
 * Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export function matchesSelector(selector: LabelSelector, labels: Labels): boolean {
  return (
    matchesLabels(selector.matchLabels, labels) &&
    selector.matchExpressions.every(({ operator }) => operator !== 'Gt' && operator !== 'Lt') &&
    matchesRequirements(selector.matchExpressions, labels)
  );
}

/**
 * Whether all requirements hold. `NotIn` and `DoesNotExist` hold for an absent label, `Gt` and `Lt` need one signed
 * 64-bit integer on both sides (rule S8). A malformed requirement does not hold.
 */
export function matchesRequirements(requirements: readonly Requirement[], labels: Labels): boolean {
  return requirements.every((requirement) => holds(requirement, labelOf(labels, requirement.key)));
}

/** Whether all wanted pairs are among the labels. */
export function matchesLabels(wanted: Labels, labels: Labels): boolean {
  return Object.keys(wanted).every((key) => labelOf(labels, key) === wanted[key]);
}

/** The value of a label, undefined where it is absent. Keys such as `constructor` are ordinary ones. */
export function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** A number as Go's `strconv.ParseInt` reads it: sign and leading zeros are fine; undefined beyond signed 64 bits. */
export function parseInteger(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/**
 * Reads kubectl's syntax: `app=web,tier!=db,zone in (a,b),env notin (x),canary,!old,cores>3`. Values are made unique.
 * Throws SelectorSyntaxError at the first place that cannot be read or that the API server would refuse.
 * Source: https://pkg.go.dev/k8s.io/apimachinery/pkg/labels#Parse
 */
export function parseSelector(text: string): readonly Requirement[] {
  const tokens = new SelectorTokens(text);
  const requirements: Requirement[] = [];
  if (tokens.peek().kind === 'end') return requirements;
  do requirements.push(readRequirement(tokens));
  while (tokens.takeSign(','));
  const rest = tokens.peek();
  if (rest.kind !== 'end') throw unexpected(rest, '"," or the end');
  return requirements;
}

/** Something that the API server would refuse in a selector, in words, and where in the selector it stands. */
export interface SelectorProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What the API server would refuse in a label selector, all at once; empty where it is valid. */
export function selectorProblems(selector: LabelSelector): readonly SelectorProblem[] {
  const pairs = Object.entries(selector.matchLabels).flatMap(([key, value]) =>
    problemsAt(['matchLabels', key], [labelKeyProblem(key), labelValueProblem(value)]),
  );
  const expressions = selector.matchExpressions.flatMap((requirement, index) =>
    labelRequirementProblems(requirement).map(({ path, message }) => ({
      path: ['matchExpressions', index, ...path],
      message,
    })),
  );
  return [...pairs, ...expressions];
}

function labelRequirementProblems(requirement: Requirement): readonly SelectorProblem[] {
  const { operator } = requirement;
  if (operator !== 'Gt' && operator !== 'Lt') return requirementProblems(requirement);
  const message = `operator "${operator}" is for node affinity only: use In, NotIn, Exists or DoesNotExist`;
  return [{ path: ['operator'], message }];
}

/** What is wrong with one requirement on a label, by the rules for node affinity, which also knows `Gt` and `Lt`. */
export function requirementProblems(requirement: Requirement): readonly SelectorProblem[] {
  return [
    ...problemsAt(['key'], [labelKeyProblem(requirement.key)]),
    ...countProblems(requirement),
    ...requirement.values.flatMap((value, index) => problemsAt(['values', index], [labelValueProblem(value)])),
  ];
}

function problemsAt(
  path: SelectorProblem['path'],
  messages: readonly (string | undefined)[],
): readonly SelectorProblem[] {
  return messages.flatMap((message) => (message === undefined ? [] : [{ path, message }]));
}

/** A selector in kubectl's syntax, pairs by key and then expressions as given; empty for one that selects everything. */
export function formatSelector(selector: LabelSelector): string {
  const keys = Object.keys(selector.matchLabels).sort();
  const pairs = keys.map((key) => `${key}=${selector.matchLabels[key] ?? ''}`);
  return [...pairs, ...selector.matchExpressions.map(formatRequirement)].join(',');
}

/** One requirement in kubectl's syntax: `app=web`, `zone in (a,b)`, `!old`, `cores>3`. */
export function formatRequirement({ key, operator, values }: Requirement): string {
  const [value, ...more] = values;
  const isSingle = value !== undefined && more.length === 0;
  switch (operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'Gt':
      return `${key}>${values.join()}`;
    case 'Lt':
      return `${key}<${values.join()}`;
    case 'In':
      return isSingle ? `${key}=${value}` : `${key} in (${values.join()})`;
    case 'NotIn':
      return isSingle ? `${key}!=${value}` : `${key} notin (${values.join()})`;
    default:
      return `${key} ${operator} (${values.join()})`;
  }
}

function holds({ operator, values }: Requirement, label: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return label !== undefined && values.includes(label);
    case 'NotIn':
      return values.length > 0 && (label === undefined || !values.includes(label));
    case 'Exists':
      return values.length === 0 && label !== undefined;
    case 'DoesNotExist':
      return values.length === 0 && label === undefined;
    case 'Gt':
    case 'Lt':
      return holdsBetweenIntegers(operator, values, label);
    default:
      return false;
  }
}

function holdsBetweenIntegers(operator: 'Gt' | 'Lt', values: readonly string[], label: string | undefined): boolean {
  const bound = values.length === 1 ? parseInteger(values[0] ?? '') : undefined;
  const value = parseInteger(label ?? '');
  if (bound === undefined || value === undefined) return false;
  return operator === 'Gt' ? value > bound : value < bound;
}

function countProblems({ key, operator, values }: Requirement): readonly SelectorProblem[] {
  const wrongUnless = (isRight: boolean, message: string, place: keyof Requirement = 'values') =>
    isRight ? [] : [{ path: [place], message }];
  switch (operator) {
    case 'In':
    case 'NotIn':
      return wrongUnless(values.length > 0, `${operator} on "${key}" needs at least one value`);
    case 'Exists':
    case 'DoesNotExist':
      return wrongUnless(values.length === 0, `${operator} on "${key}" takes no values`);
    case 'Gt':
    case 'Lt': {
      const isInteger = values.length === 1 && parseInteger(values[0] ?? '') !== undefined;
      return wrongUnless(isInteger, `${operator} on "${key}" needs exactly one value, a whole number`);
    }
    default: {
      const known = 'In, NotIn, Exists, DoesNotExist';
      return wrongUnless(false, `operator "${operator}" on "${key}" is not one of ${known}`, 'operator');
    }
  }
}

function readRequirement(tokens: SelectorTokens): Requirement {
  const { offset } = tokens.peek();
  const negated = tokens.takeSign('!');
  const key = tokens.takeWord('a label key');
  const requirement: Requirement = negated
    ? { key, operator: 'DoesNotExist', values: [] }
    : { key, ...readCondition(tokens) };
  const [problem] = requirementProblems(requirement);
  if (problem !== undefined) throw new SelectorSyntaxError(problem.message, offset);
  return requirement;
}

function readCondition(tokens: SelectorTokens): Pick<Requirement, 'operator' | 'values'> {
  const next = tokens.peek();
  if (next.kind === 'end' || next.text === ',') return { operator: 'Exists', values: [] };
  const { text } = tokens.take();
  switch (text) {
    case '=':
    case '==':
      return { operator: 'In', values: [readValue(tokens)] };
    case '!=':
      return { operator: 'NotIn', values: [readValue(tokens)] };
    case '>':
      return { operator: 'Gt', values: [readValue(tokens)] };
    case '<':
      return { operator: 'Lt', values: [readValue(tokens)] };
    case 'in':
      return { operator: 'In', values: readValues(tokens) };
    case 'notin':
      return { operator: 'NotIn', values: readValues(tokens) };
    default:
      throw unexpected(next, 'one of =, ==, !=, in, notin, >, < or ","');
  }
}

/** A missing value is the empty one: `a=` and `a=,b`. */
function readValue(tokens: SelectorTokens): string {
  const { kind, text } = tokens.peek();
  return kind === 'end' || text === ',' ? '' : tokens.takeWord('a value');
}

function readValues(tokens: SelectorTokens): readonly string[] {
  if (!tokens.takeSign('(')) throw unexpected(tokens.peek(), '"("');
  if (tokens.takeSign(')')) return [];
  const values = new Set<string>();
  do values.add(tokens.peek().kind === 'word' ? tokens.takeWord('a value') : '');
  while (tokens.takeSign(','));
  if (!tokens.takeSign(')')) throw unexpected(tokens.peek(), '"," or ")"');
  return [...values];
}
