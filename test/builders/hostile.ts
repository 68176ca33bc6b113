import { changed, fieldPaths, type FieldPath } from './fields.ts';

/** What no output may hold as it is: it acts on a terminal, hides, or turns the direction of reading. */
export const SIGNS = [
  '\u001b',
  '\u0007',
  '\r',
  '\0',
  '\u007f',
  '\u009b',
  '\u0085',
  '\u202e',
  '\u2066',
  '\u200b',
].concat([...['\u2028', '\ufeff', '\u00ad', '\ud800', '\u{e0041}']]);

/** A text with all of them, a forged line, and what Markdown and HTML would act on. */
export const HOSTILE = `\u001b[38;5;9m${SIGNS.join('')}\nFORGED: |\`*_<img src=x onerror=a()>[a](https://b.example)www.b.example @all #1`;

/** Every text that is read. */
export function textPaths(): readonly FieldPath[] {
  return fieldPaths('text', 'unique', 'quantity', 'time-text', 'number-or-text');
}

/** The object with the hostile text behind each text that stands at the path, or alone where none does. A map gets a hostile key, too. */
export function polluted<T extends object>(object: T, path: readonly string[]): T {
  const texts = changed(object, path, (value) => `${typeof value === 'string' ? value : ''}${HOSTILE}`);
  if (path.at(-1) !== '{}') return texts;
  return changed(texts, path.slice(0, -1), (map) => ({ ...(map as object | undefined), [HOSTILE]: HOSTILE }));
}
