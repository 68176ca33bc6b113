import { Document, visit } from 'yaml';
import { escapeYaml, visibleLines } from '../lib/visible.ts';

/**
 * A document as YAML. Long texts stay on one line, so that grep finds them; a text that holds anything unseen is quoted, and
 * that stands in it as an escape (`\u202e`). `compat` also quotes what YAML 1.1 takes for a boolean.
 */
export function yamlText(value: unknown, { compat }: { readonly compat?: 'yaml-1.1' } = {}): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: compat ?? null });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && visibleLines(node.value) !== node.value) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeYaml(document.toString({ lineWidth: 0 }));
}
