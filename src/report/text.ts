import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** Breaks text into lines of at most `width` columns, at spaces where it can; a longer word is cut. It may carry colours. */
export function wrap(text: string, width: number): readonly string[] {
  return wrapAnsi(text.replaceAll(/\s+/gu, ' '), width, { hard: true }).split('\n');
}

/** Text with a first line that starts with `lead` and further lines indented to stand under it. */
export function hanging(lead: string, text: string, width: number): string {
  const columns = stringWidth(lead);
  const indent = ' '.repeat(columns);
  return wrap(text, width - columns)
    .map((line, i) => (i === 0 ? lead : indent) + line)
    .join('\n');
}
