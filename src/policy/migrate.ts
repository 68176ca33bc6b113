import type { Finding } from '../findings/finding.ts';
import { yamlText } from '../findings/yaml-text.ts';
import { visibleLines } from '../lib/visible.ts';
import type { LoadOptions } from './load.ts';
import { loadPolicy } from './load.ts';

/** A policy rewritten, or everything that is wrong with its text. */
export type MigrateResult =
  | { readonly ok: true; readonly text: string; readonly warnings: readonly Finding[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/**
 * A policy as YAML of version v1alpha2 that loads to the same `Policy`. A v1alpha2 text comes back as it is, a v1alpha1
 * text keeps the comments at its top.
 */
export function migratePolicy(text: string, options: LoadOptions = {}): MigrateResult {
  const loaded = loadPolicy(text, options);
  if (!loaded.ok) return loaded;
  const { version, document, warnings } = loaded;
  return { ok: true, text: version === 'descheduler/v1alpha2' ? text : rewritten(text, document), warnings };
}

/** Text that YAML 1.1 takes for a boolean is quoted, because Kubernetes reads it so. */
function rewritten(text: string, document: unknown): string {
  return `${visibleLines(topComments(text))}${yamlText(document, { compat: 'yaml-1.1' })}`;
}

function topComments(text: string): string {
  const lines = text.split(/\r\n|\n|\r/);
  const end = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#') && line.trim() !== '---');
  const comments = lines.slice(0, Math.max(0, end)).filter((line) => line.startsWith('#'));
  return comments.map((line) => `${line}\n`).join('');
}
