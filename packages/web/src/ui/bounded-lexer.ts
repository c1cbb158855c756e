import { Lexer, type Token, type Tokens, type TokensList } from 'marked';

/** In characters. Longer texts are shown plain. */
const maxLength = 128 * 1024;

/** How deep quotes, lists and emphasis may be nested. */
const maxDepth = 24;

/**
 * The work that the blocks of a text may cost, and the work that its paragraphs may cost. The parser reads a list or quote again
 * for each line that continues it, and a paragraph again for each character that might open something. Work is counted, not
 * timed, so that a text looks the same on a busy machine.
 */
const maxWork = 16_000_000;

/**
 * The number of separately rendered parts, such as paragraphs, list items, cells and bold words. More of them would block a phone
 * for seconds.
 */
const maxParts = 10_000;

const options = { gfm: true, breaks: true };

/**
 * Returns a text's Markdown tokens; undefined if the text is too long, too deep, too much work or has too many parts. Some texts
 * need time that grows with the square of their length, and others make the parser recurse until the stack overflows (SEC5).
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
    if (error instanceof RangeError) return undefined; // stack overflow
    throw error;
  }
}

/**
 * Estimates the work for inline formatting: at punctuation, and at a space after a space, the parser may read all that follows;
 * within a word, the rest of the word.
 */
function countInlineWork(text: string): number {
  const decisions = text.match(/[^\s\p{L}\p{N}]|(?<=\s)\s/gu)?.length ?? 0;
  return text.split(/\s/).reduce((work, { length }) => work + length ** 2, decisions * text.length);
}

const opensListOrQuote = /^\s*(?:>|[*+-]\s|\d+[.)]\s)/;

/**
 * Estimates the work for blocks: for each list or quote, up to a blank line, the number of lines that continue it times its
 * length.
 */
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

/** Whether a line opens more quotes and lists than `maxDepth`. */
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
