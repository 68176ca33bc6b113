/** A word or sign of a selector in kubectl's syntax; `end` closes every list. */
export interface SelectorToken {
  readonly kind: 'word' | 'sign' | 'end';
  readonly text: string;
  /** Index of the first character in the whole text. */
  readonly offset: number;
}

/** A selector in kubectl's syntax that cannot be read; `offset` is the index of the character where it goes wrong. */
export class SelectorSyntaxError extends Error {
  override readonly name = 'SelectorSyntaxError';
  readonly offset: number;

  /** `problem` says what is wrong there, in words. */
  constructor(problem: string, offset: number) {
    super(problem);
    this.offset = offset;
  }
}

/** Reads token by token, the longest sign first; `in` and `notin` are words here, since both are legal keys and values. */
export class SelectorTokens {
  readonly #tokens: readonly SelectorToken[];
  #next = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  /** The next token, left where it is. */
  peek(): SelectorToken {
    return this.#tokens[Math.min(this.#next, this.#tokens.length - 1)] ?? END;
  }

  /** The next token, consumed. */
  take(): SelectorToken {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  /** Consumes the next token if it is that sign. */
  takeSign(sign: string): boolean {
    const { kind, text } = this.peek();
    if (kind !== 'sign' || text !== sign) return false;
    this.#next += 1;
    return true;
  }

  /** The text of the next word; throws SelectorSyntaxError where there is none. */
  takeWord(expected: string): string {
    const token = this.take();
    if (token.kind !== 'word') throw unexpected(token, expected);
    return token.text;
  }
}

/** The error for a token that cannot stand where it stands. */
export function unexpected(token: SelectorToken, expected: string): SelectorSyntaxError {
  const found = token.kind === 'end' ? 'the selector ends' : `found "${token.text}"`;
  return new SelectorSyntaxError(`${found}, expected ${expected}`, token.offset);
}

const END: SelectorToken = { kind: 'end', text: '', offset: 0 };

function tokenize(text: string): readonly SelectorToken[] {
  const tokens: SelectorToken[] = [];
  for (const match of text.matchAll(/(==|!=|[=!(),<>])|[^\s=!(),<>]+/g)) {
    tokens.push({ kind: match[1] === undefined ? 'word' : 'sign', text: match[0], offset: match.index });
  }
  return [...tokens, { ...END, offset: text.length }];
}
