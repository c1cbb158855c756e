/** Ids and hashes, which name something and have no words. */
const id = /(?<![\p{L}\p{N}])(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?=[a-f]*\d)[\da-f]{7,64})(?![\p{L}\p{N}])/giu;

/** A word, also within a name: `readFile`, `read_file` and `read/file` are two each. */
const word = /[\p{Lu}\p{Lt}]?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|[\p{Lu}\p{Lt}]+/gu;

const latin = /^[\p{Script=Latin}\p{M}]+$/u;

/** Alphabets in which blanks part the words. */
const alphabetic =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Devanagari}\p{M}]+$/u;

const symbol = /[\p{So}\p{Extended_Pictographic}]/gu;

/** Number of letters that count as a word if there are fewer blanks: words may be joined. */
const wordLength = 6;
const numberLength = 5;
const markLength = 3;

/**
 * Returns how much a text can say, in words of English. A word of another alphabet counts twice, since the filter of words hardly
 * knows any; each character of a script without blanks, such as Chinese, does as well. Pictures count as words, and so do marks
 * that stand alone and long numbers, which can be a code.
 */
export function sizeOf(text: string): number {
  const ids = text.match(id)?.length ?? 0;
  const rest = text.normalize('NFC').replace(id, ' ');
  let words = 0;
  let letters = 0;
  for (const found of rest.match(word) ?? []) {
    const length = [...found].length;
    const weight = latin.test(found) ? 1 : 2;
    words += alphabetic.test(found) ? weight : weight * length;
    letters += weight * length;
  }
  const symbols = rest.match(symbol)?.length ?? 0;
  const digits = rest.match(/\p{N}/gu)?.length ?? 0;
  return (
    ids + Math.max(words, Math.ceil(letters / wordLength)) + symbols + Math.floor(digits / numberLength) + marksIn(rest)
  );
}

/**
 * Counts marks between blanks that have fewer letters, digits and pictures with them, such as `--`, `=>` or Morse code. Each
 * letter makes up for one mark, so that paths and options weigh nothing.
 */
function marksIn(text: string): number {
  return text.split(/\s+/u).reduce((sum, part) => {
    const shown = part.match(/[\p{L}\p{N}\p{So}]/gu)?.length ?? 0;
    return sum + Math.max(0, Math.ceil((part.length - 2 * shown) / markLength));
  }, 0);
}

/** Returns a text without the words that another one has, too. */
export function withoutWords(text: string, known: string): string {
  const words = new Set(known.toLowerCase().match(word));
  return text.replace(word, (found) => (words.has(found.toLowerCase()) ? '' : found));
}

/** Whether three words or more end as a sentence does: at a full stop, a question mark or an exclamation mark. */
export function hasSentence(text: string): boolean {
  const parts = text.split(/(?<=[\p{L}\p{N}\p{M})\]"'”’»])[.!?…]+["'”’»)\]]*(?=\s|$)|[。！？؟।]/u);
  return parts.slice(0, -1).some((part) => part.split(/\s+/u).filter((each) => /\p{L}/u.test(each)).length >= 3);
}
