import type { Path } from '../../findings/finding.ts';
import type { Position, YamlSource } from '../../findings/yaml-source.ts';
import { readYaml } from '../../findings/yaml-source.ts';
import { isMap } from './schema-walk.ts';

/** A policy that stands within another document: as a part of it, or as a text in one of its values. */
export interface Embedded {
  readonly path: Path;
  readonly value: unknown;
}

const CHART_KEY = 'deschedulerPolicy';
const KIND_IN_TEXT = /\bkind["']?:[ \t]*["']?DeschedulerPolicy\b/;

/** The first policy within a document, in its order: under the key that charts have for it, or by its kind. */
export function embeddedPolicy(value: unknown, path: Path = []): Embedded | undefined {
  if (typeof value === 'string') return KIND_IN_TEXT.test(value) ? { path, value } : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (isMap(value) && path.length > 0 && value['kind'] === 'DeschedulerPolicy') return { path, value };
  if (isMap(value) && isMap(value[CHART_KEY])) return ofChart(value, value[CHART_KEY], path);
  for (const [step, child] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const found = embeddedPolicy(child, [...path, step]);
    if (found) return found;
  }
  return undefined;
}

/** The templates of the chart add kind and apiVersion. */
function ofChart(values: Readonly<Record<string, unknown>>, policy: object, path: Path): Embedded {
  const apiVersion = values['deschedulerPolicyAPIVersion'] ?? 'descheduler/v1alpha2';
  return { path: [...path, CHART_KEY], value: { apiVersion, ...policy } };
}

/** The embedded policy as a source of its own, whose findings and places are those of the text around it. */
export function sourceOf({ path, value }: Embedded, outer: YamlSource, text: string): YamlSource {
  if (typeof value === 'string') return sourceOfText({ path, value }, outer, text);
  return {
    value,
    findings: [],
    within: [...outer.within, ...path],
    positionOf: (below, part) => outer.positionOf([...path, ...below], part),
  };
}

function sourceOfText(
  { path, value }: { readonly path: Path; readonly value: string },
  outer: YamlSource,
  text: string,
): YamlSource {
  const inner = readYaml(value);
  const header = outer.positionOf(path, 'value');
  const move = blockMove(value, header, text);
  return {
    value: inner.value,
    findings: inner.findings.map((finding) => ({ ...finding, ...move(finding) })),
    within: [...outer.within, ...path],
    positionOf: (below, part) => move(inner.positionOf(below, part)),
  };
}

/** From a place in a block of text (`|`) to the place around it; everything in other forms stands where the text begins. */
function blockMove(value: string, header: Position, text: string): (place: Position) => Position {
  const outer = text.split(/\r\n|\n|\r/);
  const lines = value.split('\n');
  return ({ line, column }) => {
    const shown = outer[header.line + line - 1] ?? '';
    const wanted = lines[line - 1] ?? '';
    const indent = shown.length - wanted.length;
    return indent >= 0 && shown.endsWith(wanted) && shown.slice(0, indent).trim() === ''
      ? { line: header.line + line, column: column + indent }
      : header;
  };
}
