import type { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import * as ws from 'ws';
import { encodeFrames } from './ws-frame.ts';

/** The parser of `ws`, which its types omit. */
const { Receiver } = ws as unknown as { Receiver: new (options: object) => Writable };

/** Reads these bytes as a WebSocket client does. */
function decode(bytes: Uint8Array): string[] {
  const texts: string[] = [];
  const receiver = new Receiver({ isServer: false });
  receiver.on('message', (data: Buffer) => texts.push(String(data)));
  receiver.write(bytes);
  return texts;
}

test.each([0, 1, 125, 126, 127, 65_535, 65_536, 200_000])('[TRN1] a text of %i bytes arrives whole', (length) => {
  expect(decode(encodeFrames(['x'.repeat(length)]))).toEqual(['x'.repeat(length)]);
});

test('[TRN1] several frames in one buffer, counted in bytes and not in characters', () => {
  const texts = ['a', '\u{1F600}'.repeat(50), '', 'e\u0301'.repeat(30_000), '{"type":"live"}'];
  expect(decode(encodeFrames(texts))).toEqual(texts);
});
