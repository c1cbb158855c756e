import { Lexer, type Token, type TokensList } from 'marked';

/** In characters. A longer text is shown plain. */
const maxLength = 128 * 1024;

/** In characters. What a longer paragraph says of emphasis and links is shown as it is written. */
const maxParagraph = 8 * 1024;

/** Quotes, lists and emphasis within each other. */
const maxDepth = 24;

/** In ms, for one text. */
const maxTime = 250;

const options = { gfm: true, breaks: true };

/**
 * A text's Markdown tokens; undefined where it is too long, too deep or takes too long, for the parser needs time that
 * grows with the square of some texts and recurses into others until its stack is full (SEC5).
 */
export function lexBounded(text: string): readonly Token[] | undefined {
  if (text.length > maxLength || isNestedDeeply(text)) return undefined;
  const deadline = performance.now() + maxTime;
  try {
    const lexer = new Lexer(options);
    lexer.blockTokens(text.replace(/\r\n|\r/g, '\n'), lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      if (performance.now() > deadline) return undefined;
      if (src.length > maxParagraph) tokens.push({ type: 'text', raw: src, text: src });
      else lexer.inlineTokens(src, tokens);
    }
    return isDeep(lexer.tokens, maxDepth) ? undefined : lexer.tokens;
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the stack is full
    throw error;
  }
}

/** Whether a line opens more quotes and lists than anybody reads. */
function isNestedDeeply(text: string): boolean {
  return text.split('\n').some((line) => {
    const opening = /^[\s>*+\-\d.)]*/.exec(line)?.[0] ?? '';
    return (opening.match(/>|[*+-]\s|\d[.)]\s/g)?.length ?? 0) > maxDepth;
  });
}

function isDeep(tokens: readonly Token[] | TokensList, left: number): boolean {
  if (left === 0) return tokens.length > 0;
  return tokens.some((token) => {
    const { tokens: inner, items } = token as { tokens?: Token[]; items?: Token[] };
    return (inner !== undefined && isDeep(inner, left - 1)) || (items !== undefined && isDeep(items, left - 1));
  });
}
