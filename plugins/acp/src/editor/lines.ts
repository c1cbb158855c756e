import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

const newline = 10;

/** Reads lines, each with its end and byte for byte as it came. What follows the last end of a line is a line, too. */
export async function* readLines(input: Readable): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end + 1)]);
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

/** Writes to a stream; what is written after its end is dropped, because nobody reads it. */
export function writeTo(output: Writable, text: Buffer | string): void {
  if (output.writable) output.write(text);
}

/** Waits until a stream takes more, or never will. */
export async function drained(output: Writable): Promise<void> {
  if (!output.writableNeedDrain || output.destroyed) return;
  const over = new AbortController();
  const waits = ['drain', 'close'].map((event) => once(output, event, { signal: over.signal }).catch(() => undefined));
  await Promise.race(waits); // an error closes it
  over.abort();
}
