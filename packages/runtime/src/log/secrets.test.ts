import { expect, test } from 'vitest';
import { Secrets } from './secrets.ts';

function secretsOf(...values: string[]): Secrets {
  const secrets = new Secrets();
  for (const value of values) secrets.add(value);
  return secrets;
}

const numbered = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

const secret = 'pa"ss/w\\ö r<d&+1';

test.each<[string, (secret: string) => string]>([
  ['as it is', (text) => text],
  ['in JSON', (text) => JSON.stringify({ password: text })],
  ['in JSON in JSON', (text) => JSON.stringify(JSON.stringify({ password: text }))],
  ['in JSON with only ASCII', (text) => JSON.stringify(text).replaceAll('ö', '\\u00f6')],
  ['in JSON as Go writes it', (text) => JSON.stringify(text).replace(/[<>&]/g, numbered)],
  ['in JSON as Gson writes it', (text) => JSON.stringify(text).replace(/[<>&'=]/g, numbered)],
  ['in JSON as Jackson writes it', (text) => JSON.stringify(text).replaceAll('ö', '\\u00F6')],
  [
    'in JSON as .NET writes it',
    (text) =>
      `"${text.replaceAll('\\', '\\\\').replace(/[<>&+'"]|[^ -~]/g, (unit) => `\\u${numbered(unit).slice(2).toUpperCase()}`)}"`,
  ],
  ['in JSON as PHP writes it', (text) => JSON.stringify(text).replaceAll('/', '\\/')],
  ['in a query', (text) => `?q=${encodeURIComponent(text)}`],
  ['in a query with small letters', (text) => `?q=${encodeURIComponent(text).toLowerCase()}`],
  ['in a form', (text) => new URLSearchParams({ q: text }).toString()],
  ['in hex', (text) => Buffer.from(text).toString('hex')],
  ['in HEX', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ...[0, 1, 2, 3].flatMap((before): [string, (secret: string) => string][] => [
    [`in base64, ${before} bytes in`, (text) => Buffer.from(`${'u'.repeat(before)}${text}:more`).toString('base64')],
    [`in base64url, ${before} bytes in`, (text) => Buffer.from(`${'~'.repeat(before)}${text}~`).toString('base64url')],
  ]),
])('[INT17] a secret is found %s', (_, encode) => {
  const text = encode(secret);
  const clean = secretsOf(secret).redact(`before ${text} after`);
  expect(clean).toContain('[redacted]');
  expect(clean.startsWith('before ')).toBe(true);
  for (const part of [secret, 'w%5C', 'd%2B1', Buffer.from(secret).toString('hex').slice(4, 12)])
    expect(clean.toLowerCase()).not.toContain(part.toLowerCase());
  const core = Buffer.from(secret).toString('base64').slice(4, 12);
  expect(clean).not.toContain(core);
});

test('[INT17] overlapping secrets leave nothing of either', () => {
  const secrets = secretsOf('abcdef', 'defghi');
  expect(secrets.redact('xabcdefghiy')).toBe('x[redacted]y');
});

test('[INT17] the beginning of a truncated long secret counts as the secret', () => {
  const key = `-----BEGIN KEY-----${'k3y'.repeat(100)}`;
  expect(secretsOf(key).redact(`${key.slice(0, 200)}…`)).toBe('[redacted]…');
});

test('[INT17] a short secret is found if it is a whole value, even a number', () => {
  const secrets = secretsOf('7', 'abc');
  expect(secrets.redact({ pin: 7, word: 'abc', note: 'abcd 77', count: 77 })).toEqual({
    pin: '[redacted]',
    word: '[redacted]',
    note: 'abcd 77',
    count: 77,
  });
});

test('[INT17] keys are never changed', () => {
  expect(secretsOf('result').redact({ result: { result: 'the result' } })).toEqual({
    result: { result: 'the [redacted]' },
  });
});

test('[INT17] chunks of any size reveal nothing of a secret, and hold back only an end that may begin one', () => {
  const secrets = secretsOf('swordfish', 'swordfish-and-more', 'aaaa');
  for (const text of [
    'one swordfish, swordfis and swordfish-and-mor, aaaaaa aaa.',
    'swordfishswordfish aaaaaaaa sword!',
  ]) {
    const whole = secrets.redact(text);
    for (let size = 1; size <= text.length; size += 1) {
      const stream = secrets.stream();
      let shown = '';
      for (let at = 0; at < text.length; at += size) shown += stream.write(text.slice(at, at + size));
      expect(shown.replace(/(\[redacted\])+/g, '[redacted]')).toBe(whole.replace(/(\[redacted\])+/g, '[redacted]'));
    }
  }
});

test('[INT17] the cost does not grow with the number of secrets', () => {
  const text = 'sk-live-something and other words '.repeat(20_000);
  const time = (secrets: Secrets) => {
    const started = performance.now();
    secrets.redact(text);
    return performance.now() - started;
  };
  const many = secretsOf(...Array.from({ length: 900 }, (_, n) => `sk-live-${n.toString(36).padStart(30, 'q')}`));
  const few = secretsOf('sk-live-qqqqqqqqqqqqqqqq');
  time(few); // warm-up
  time(many);
  expect(time(many)).toBeLessThan(20 * time(few) + 2000);
});

test('[INT17] a text that agrees with a long secret almost everywhere is searched in linear time', {
  timeout: 60_000,
}, () => {
  const secrets = secretsOf(`${'a'.repeat(60_000)}b`);
  const started = performance.now();
  secrets.redact('a'.repeat(1_000_000));
  expect(performance.now() - started).toBeLessThan(20_000); // comparing everything at each position takes minutes
});

test.each([
  ['base64', 76, 'base64'],
  ['openssl base64', 64, 'base64'],
  ['xxd -p', 60, 'hex'],
] as const)('[INT17] no line of a long secret is told where it is printed as by %s', (_, width, encoding) => {
  const long = Array.from({ length: 200 }, (_, n) => String.fromCharCode(33 + ((n * 37) % 90))).join('');
  const lines =
    Buffer.from(long)
      .toString(encoding)
      .match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
  expect(secretsOf(long).redact(lines.join('\n'))).toMatch(/^(\[redacted\]\n)+(\[redacted\]|.{0,7})$/);
});
