/** Minimum length of an encoded form; shorter ones would occur in ordinary words. */
const shortest = 4;

/**
 * Returns the forms in which a secret may appear in a text: verbatim, and in the encodings that programs print unasked (INT17).
 */
export function formsOf(secret: string): ReadonlySet<string> {
  const json = JSON.stringify(secret).slice(1, -1);
  const url = encodeURIComponent(secret);
  const strict = url.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const hex = Buffer.from(secret).toString('hex');
  const forms = [
    secret,
    secret.trim(),
    ...[json, ...escapedForms(json)].flatMap((text) => [
      text,
      JSON.stringify(text).slice(1, -1),
      text.replaceAll('/', '\\/'),
    ]),
    ...[url, strict]
      .flatMap((text) => [text, text.replaceAll('%20', '+')])
      .flatMap((text) => [text, lowerEscapes(text)]),
    hex,
    hex.toUpperCase(),
    ...base64Forms(secret),
    ...linesOf(hex, 60),
    ...[64, 76].flatMap((width) => linesOf(Buffer.from(secret).toString('base64'), width)),
  ];
  return new Set(forms.filter(({ length }) => length >= shortest));
}

/**
 * Returns the JSON escapes of other languages: ASCII only (Python), `<` as a code point (Go, Gson, Rails), or everything that
 * HTML might interpret (.NET).
 */
function escapedForms(json: string): string[] {
  const html = json.replace(/[<>&\u2028\u2029]/g, toEscape);
  const forms = [json.replace(/[^ -~]/g, toEscape), html, html.replace(/[^ -~]/g, toEscape)];
  const cautious = json.replaceAll('\\"', toEscape('"')).replace(/[^ -~]|[<>&'+`]/g, toEscape);
  return [...forms, cautious].flatMap((form) => [form, form.replace(/\\u[0-9a-f]{4}/g, upperEscape)]);
}

function toEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function upperEscape(code: string): string {
  return `\\u${code.slice(2).toUpperCase()}`;
}

function lowerEscapes(url: string): string {
  return url.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
}

/**
 * Splits a long encoding into lines, as `xxd -p`, `openssl base64` and `base64` print it. Lines that are too short to be
 * distinctive are left out.
 */
function linesOf(encoded: string, width: number): string[] {
  const lines = encoded.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
  return lines.length > 1 ? lines.filter(({ length }) => length >= 2 * shortest) : [];
}

/** Returns the base64 characters that depend on the secret's bytes alone, for each offset in a group of three bytes. */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const core = bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
