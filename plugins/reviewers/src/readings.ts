/** Digits and marks that stand for letters, as in "1gn0r3". */
const digits: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  9: 'g',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
};

/**
 * Returns what a text may say to whoever makes an effort to read it, in lower case without accents: as it is, spelt in digits, with
 * its escapes and encodings resolved, backwards, and with each letter moved by half of the alphabet.
 */
export function readingsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '');
  const lower = plain.toLowerCase();
  return [
    lower,
    lower.replace(/[0134579@$!|]/g, (character) => digits[character] ?? character),
    decodeEscapes(decodeEscapes(lower)), // "%2569" is "%69", which is "i"
    decodePairs(lower),
    decodeBase64(plain).toLowerCase(),
    [...lower].reverse().join(''),
    lower.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97)),
  ];
}

/** Replaces escapes of characters, as in `\u0069`, `\151`, `%69`, `=69` or `&#105;`. */
function decodeEscapes(text: string): string {
  return text
    .replace(/(?:\\x|[%=])([0-9a-f]{2})|\\u([0-9a-f]{4})/g, (_, byte, unit) =>
      fromCode(Number.parseInt(byte ?? unit, 16)),
    )
    .replace(/(?:\\u\{|&#x)([0-9a-f]{1,6})[};]?/g, (_, code) => fromCode(Number.parseInt(code, 16)))
    .replace(/\\([0-7]{3})/g, (_, code) => fromCode(Number.parseInt(code, 8)))
    .replace(/&#(\d{2,7});?/g, (_, code) => fromCode(Number(code)));
}

function fromCode(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** Reads rows of two hexadecimal digits, with or without blanks between them. */
function decodePairs(text: string): string {
  return text.replace(/\b(?:(?:0x)?[0-9a-f]{2}[\s,:]*){8,}/g, (row) =>
    Buffer.from(row.replace(/0x|[^0-9a-f]/g, ''), 'hex').toString('latin1'),
  );
}

function decodeBase64(text: string): string {
  return text.replace(/[A-Za-z0-9+/_-]{12,}={0,2}/g, (run) => Buffer.from(run, 'base64').toString('latin1'));
}
