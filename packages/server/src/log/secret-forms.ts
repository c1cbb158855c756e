/** A shorter part of an encoding would be found in ordinary words. */
const shortest = 4;

/** A secret as it may stand in a text: as it is, and in the encodings that programs print without being asked (INT17). */
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

/** JSON as other languages write it: ASCII alone (Python), `<` by its number (Go, Gson, Rails), or all that HTML might read (.NET). */
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

/** A long encoding as `xxd -p`, `openssl base64` and `base64` print it: in lines. The rest of one may be too short to tell. */
function linesOf(encoded: string, width: number): string[] {
  const lines = encoded.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
  return lines.length > 1 ? lines.filter(({ length }) => length >= 2 * shortest) : [];
}

/** What its bytes alone decide, wherever they begin in a group of three. */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const core = bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
