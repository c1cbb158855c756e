import { emptyHead, type Head, reduceHead } from './head.ts';

/** Folds stored texts of events, in chunks, as a store yields them. @param head - of the events before these */
export async function foldHead(chunks: AsyncIterable<readonly string[]>, head: Head = emptyHead): Promise<Head> {
  let folded = head;
  for await (const texts of chunks) for (const text of texts) folded = reduceHead(folded, JSON.parse(text));
  return folded;
}
