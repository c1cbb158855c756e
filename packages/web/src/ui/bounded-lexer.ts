import { Lexer, type Token, type Tokens, type TokensList } from 'marked';

/** In characters. A longer text is shown plain. */
const maxLength = 128 * 1024;

/** Quotes, lists and emphasis within each other. */
const maxDepth = 24;

/**
 * The work that a text's blocks may cost, and the work that its paragraphs may: the parser goes over a list or quote again at
 * each line that continues it, and over a paragraph at each character that might open something. Work is counted, not
 * timed, so that a text looks the same on a busy machine.
 */
const maxWork = 16_000_000;

/** Parts of a text that are drawn on their own: paragraphs, entries, cells, words in bold. More of them would hold a phone for seconds. */
const maxParts = 10_000;

const options = { gfm: true, breaks: true };

/**
 * A text's Markdown tokens; undefined where it is too long, too deep, too much work or in too many parts, for the parser needs time that grows
 * with the square of some texts and recurses into others until its stack is full (SEC5).
 */
export function lexBounded(text: string): readonly Token[] | undefined {
  if (text.length > maxLength || isNestedDeeply(text) || countBlockWork(text) > maxWork) return undefined;
  let workLeft = maxWork;
  try {
    const lexer = new Lexer(options);
    lexer.blockTokens(text.replace(/\r\n|\r/g, '\n'), lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      workLeft -= countInlineWork(src);
      if (workLeft < 0) tokens.push({ type: 'text', raw: src, text: src });
      else lexer.inlineTokens(src, tokens);
    }
    return isDeep(lexer.tokens, maxDepth) || countParts(lexer.tokens) > maxParts ? undefined : lexer.tokens;
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the stack is full
    throw error;
  }
}

/** At punctuation, and at a space behind a space, the parser may look at all that follows; within a word, at the rest of it. */
function countInlineWork(text: string): number {
  const decisions = text.match(/[^\s\p{L}\p{N}]|(?<=\s)\s/gu)?.length ?? 0;
  return text.split(/\s/).reduce((work, { length }) => work + length ** 2, decisions * text.length);
}

const opensListOrQuote = /^\s*(?:>|[*+-]\s|\d+[.)]\s)/;

/** The sum, over lists and quotes up to a blank line, of the lines that continue an entry times the length. */
function countBlockWork(text: string): number {
  let work = 0;
  let lines = 0;
  let length = 0;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const isBlank = line.trim() === '';
    if (length > 0 || opensListOrQuote.test(line)) length += line.length;
    if (length > 0 && !opensListOrQuote.test(line)) lines += 1;
    if (!isBlank) continue;
    work += lines * length;
    [lines, length] = [0, 0];
  }
  return work + lines * length;
}

/** Whether a line opens more quotes and lists than anybody reads. */
function isNestedDeeply(text: string): boolean {
  return text.split('\n').some((line) => {
    const opening = /^[\s>*+\-\d.)]*/.exec(line)?.[0] ?? '';
    return (opening.match(/>|[*+-]\s|\d[.)]\s/g)?.length ?? 0) > maxDepth;
  });
}

function countParts(tokens: readonly (Token | Tokens.TableCell)[]): number {
  return tokens.reduce((count, token) => {
    const { tokens: inner, items, header, rows = [] } = token as Partial<Tokens.List & Tokens.Table>;
    const below = [inner, items, header, ...rows].filter((parts) => Array.isArray(parts)); // a cell's `header` is a flag
    return count + 1 + below.reduce((sum, parts) => sum + countParts(parts), 0);
  }, 0);
}

function isDeep(tokens: readonly Token[] | TokensList, left: number): boolean {
  if (left === 0) return tokens.length > 0;
  return tokens.some((token) => {
    const { tokens: inner, items } = token as { tokens?: Token[]; items?: Token[] };
    return (inner !== undefined && isDeep(inner, left - 1)) || (items !== undefined && isDeep(items, left - 1));
  });
}
