import { expect, test } from 'vitest';
import { decodeStream, decodeText } from './plain-text.ts';

test('[ASK8] UTF-8 is read unchanged, without its byte order mark', () => {
  expect(decodeText(Buffer.from('\ufeffcafé\r\n'), 'notes.txt')).toBe('café\r\n');
});

test.each([
  ['Latin-1', Buffer.from('caf\xe9', 'latin1'), 'notes.txt is not UTF-8: convert it first, for instance with iconv.'],
  [
    'UTF-16 with a byte order mark',
    Buffer.from('\ufeffDROP', 'utf16le'),
    'notes.txt is not UTF-8: convert it first, for instance with iconv.',
  ],
  ['UTF-16 without one', Buffer.from('DROP', 'utf16le'), 'notes.txt is not UTF-8 text: it has NUL characters.'],
  [
    'an end in the middle of a character',
    Buffer.from('é').subarray(0, 1),
    'notes.txt is not UTF-8: convert it first, for instance with iconv.',
  ],
  ['a binary file', Buffer.from([0x41, 0, 0x42]), 'notes.txt is not UTF-8 text: it has NUL characters.'],
])('[ASK8] %s is rejected with a message', (_, bytes, words) => {
  expect(() => decodeText(bytes, 'notes.txt')).toThrow(words);
});

test('[ASK8] a character that arrives in two chunks is decoded as one', async () => {
  const bytes = Buffer.from('é');
  async function* chunks() {
    yield bytes.subarray(0, 1);
    yield bytes.subarray(1);
  }
  const texts: string[] = [];
  for await (const text of decodeStream(chunks(), 'stdin')) texts.push(text);
  expect(texts.join('')).toBe('é');
});
