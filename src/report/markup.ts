/**
 * Keeps text from being read as Markdown of GitHub: no emphasis, code, HTML, formula, heading or list, no end of a table's cell or
 * row, and no link, mention of a person or reference to an issue, which an empty comment breaks up.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .replaceAll(/[\\`*_~$&[\]<>|]|^[#+=-]|(?<=^\d+)[.)]/gu, '\\$&')
    .replaceAll(/@|#(?=\w)|:(?=\/\/)|www(?=\.)/giu, '$&<!-- -->');
}

/** A GitHub-flavoured Markdown table. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** A Markdown list under a title; nothing if there are no items. */
export function markdownList(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  const lines = items.map((item) => `- ${escapeMarkdown(item)}`).join('\n');
  return title === '' ? lines : `${title}\n\n${lines}`;
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #8886}
th{font-weight:600}dt{float:left;clear:left;width:6rem;color:#777}dd{margin-left:6rem}.error{color:#c33}`;

/** Keeps text from being read as HTML. */
export function escapeHtml(text: string): string {
  const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replaceAll(/[&<>"']/gu, (sign) => signs[sign] ?? sign);
}

/** A whole page around blocks of HTML: no script, no image, no font from elsewhere. */
export function htmlPage(title: string, blocks: readonly string[]): string {
  const body = blocks.filter((block) => block !== '').join('\n');
  return `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<title>${escapeHtml(title)}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n${body}\n</body>\n</html>\n`;
}

/** An HTML table of texts. */
export function htmlTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], tag: 'th' | 'td'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`;
  return `<table>\n${[row(head, 'th'), ...rows.map((cells) => row(cells, 'td'))].join('\n')}\n</table>`;
}

/** An HTML list under a title; nothing if there are no items. */
export function htmlList(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  const lines = `<ul>${items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`;
  return title === '' ? lines : `<h2>${escapeHtml(title)}</h2>\n${lines}`;
}
