/** Breaks text into lines of at most `width` characters, at spaces where it can; a longer word is cut. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/u).flatMap((whole) => pieces(whole, width))) {
    if (line === '') line = word;
    else if (line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** Text with a first line that starts with `lead` and further lines indented to stand under it. */
export function hanging(lead: string, text: string, width: number): string {
  const indent = ' '.repeat(lead.length);
  return wrap(text, width - lead.length)
    .map((line, i) => (i === 0 ? lead : indent) + line)
    .join('\n');
}

function pieces(word: string, width: number): readonly string[] {
  const cut: string[] = [];
  for (let rest = word; ; rest = rest.slice(width)) {
    cut.push(rest.slice(0, width));
    if (rest.length <= width) return cut;
  }
}
