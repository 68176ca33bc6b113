/**
 * What acts on a terminal, hides, or turns the direction of reading: control and format characters (ESC, bidirectional marks,
 * zero-width signs), separators of lines and paragraphs, halves of surrogate pairs.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const UNSEEN_IN_LINES = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The text on one line with all of that made visible: ESC as `␛`, a line's end as `␊`, a right-to-left override as `\u202e`. */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, picture);
}

/** The same for a text of several lines. */
export function visibleLines(text: string): string {
  return text.replaceAll(UNSEEN_IN_LINES, picture);
}

/**
 * Data with every text in it made visible, keys included. What needs no change stays the same object, so that the copy of a
 * large report is small.
 */
export function visibleData<T>(data: T): T {
  return shown(data, new Map()) as T;
}

/** JSON that holds exact values and yet nothing unseen: such characters stand as `\u202e` in it. `indent` in spaces, 0 for one line. */
export function jsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replaceAll(UNSEEN_IN_LINES, (sign) =>
    sign
      .split('')
      .map((unit) => `\\u${hex(unit.charCodeAt(0), 4)}`)
      .join(''),
  );
}

/** YAML in whose double-quoted texts alone something unseen stands, with escapes in its place. */
export function escapeYaml(text: string): string {
  return text.replaceAll(UNSEEN_IN_LINES, (sign) => {
    const code = codeOf(sign);
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
}

/** Control characters have pictures of their own (https://www.unicode.org/charts/PDF/U2400.pdf); all others show their number. */
function picture(sign: string): string {
  const code = codeOf(sign);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  return code > 0xffff ? `\\u{${hex(code, 5)}}` : `\\u${hex(code, 4)}`;
}

function codeOf(sign: string): number {
  return sign.codePointAt(0) ?? 0;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** `known`: what was considered before, since pods of one workload share most of their parts. */
function shown(data: unknown, known: Map<object, unknown>): unknown {
  if (typeof data === 'string') return visible(data);
  if (typeof data !== 'object' || data === null) return data;
  if (!known.has(data)) known.set(data, Array.isArray(data) ? shownList(data, known) : shownObject(data, known));
  return known.get(data);
}

function shownList(list: readonly unknown[], known: Map<object, unknown>): readonly unknown[] {
  const copy = list.map((item) => shown(item, known));
  return copy.every((item, i) => item === list[i]) ? list : copy;
}

function shownObject(object: object, known: Map<object, unknown>): object {
  const entries = Object.entries(object);
  const copy = entries.map(([key, value]) => [visible(key), shown(value, known)] as const);
  const isSame = copy.every(([key, value], i) => key === entries[i]?.[0] && value === entries[i][1]);
  return isSame ? object : Object.fromEntries(copy);
}
