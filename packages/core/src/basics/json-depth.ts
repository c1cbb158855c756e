const quote = 34;
const backslash = 92;
const openBracket = 91;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/** Maximum nesting of stored values (arguments, results, states), because recursive code would overflow its stack. */
export const storedDepth = 200;

/** Whether a value nests deeper than `limit`. */
export function isDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((member) => isDeeper(member, limit - 1));
}

/** Whether a JSON text nests deeper than `limit`. Only scans the characters; the parser checks the syntax. */
export function isTooDeep(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (isInString) {
      if (character === backslash) index += 1;
      else if (character === quote) isInString = false;
    } else if (character === quote) isInString = true;
    else if (character === openBrace || character === openBracket) {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === closeBrace || character === closeBracket) depth -= 1;
  }
  return false;
}
