import { Composer, Lexer, Parser } from 'yaml';
import type { CST, Document, LineCounter, SchemaOptions } from 'yaml';

/** What a text may have at most: levels of nesting, and words, signs and the space between them. */
export interface YamlLimits {
  readonly levels: number;
  readonly words: number;
}

/** Where and why a text was given up. */
export interface YamlExcess {
  readonly offset: number;
  readonly message: string;
}

/** How YAML is read, besides the limits. */
export interface YamlReading {
  readonly limits: YamlLimits;
  /** Is told where lines begin. */
  readonly lines: LineCounter;
  readonly schema?: SchemaOptions;
}

/**
 * The documents of a text, with what is wrong in each; or where it exceeds the limits, which keep time and memory (some 200 bytes
 * a word) and the stack within bounds. Equal keys are left to the caller.
 */
export function yamlDocuments(
  text: string,
  { limits, lines, schema }: YamlReading,
): readonly Document.Parsed[] | YamlExcess {
  const tokens = tokensOf(text, limits, lines);
  if (!Array.isArray(tokens)) return tokens;
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, logLevel: 'silent', ...schema });
  // The composer makes an error for each mistake, and most of the time would go into stacks that nobody sees.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const documents = [...composer.compose(tokens, false, text.length)];
    for (const problem of documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])) {
      problem.message = briefly(problem.message);
    }
    return documents;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function tokensOf(text: string, { levels, words }: YamlLimits, lines: LineCounter): CST.Token[] | YamlExcess {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  let left = words;
  for (const word of new Lexer().lex(text)) {
    for (const token of parser.next(word)) tokens.push(token);
    left -= 1;
    const offset = parser.offset - word.length;
    // The document itself is on the stack, too.
    if (parser.stack.length > levels + 1) return { offset, message: `nested more than ${levels} levels deep` };
    if (left < 0) return { offset, message: `more than ${words} words and signs` };
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** Letters that a message of the YAML library may have: it may quote the whole text, of any length. */
const LONGEST_MESSAGE = 300;

/** A message of the YAML library, cut off where it quotes more than anybody reads. */
export function briefly(message: string): string {
  return message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE - 1)}…` : message;
}
