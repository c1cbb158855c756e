import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { drained, readLines, writeTo } from './lines.ts';

test('[ACP2] lines keep their ends and bytes, however they arrive', async () => {
  const bytes = Buffer.from('{"a":"é😀"}\r\n\n\xff\nlast', 'latin1');
  const input = Readable.from(Array.from(bytes, (byte) => Buffer.of(byte)));
  const lines: Buffer[] = [];
  for await (const line of readLines(input)) lines.push(line);
  expect(Buffer.concat(lines)).toEqual(bytes);
  expect(lines).toHaveLength(4);
});

test('[ACP2] who writes waits for who reads, unless nobody reads any more', async () => {
  const output = new PassThrough({ highWaterMark: 1 });
  await drained(output);
  writeTo(output, 'line\n');
  const order: string[] = [];
  const waiting = drained(output).then(() => order.push('drained'));
  await new Promise(setImmediate);
  order.push('read');
  output.resume();
  await waiting;
  expect(order).toEqual(['read', 'drained']);
  output.pause();
  writeTo(output, 'line\n');
  const ending = drained(output);
  output.destroy();
  await ending;
  await drained(output);
  writeTo(output, 'dropped');
});
