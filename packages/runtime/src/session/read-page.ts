import type { EventStore, Seq, SessionId } from '@parleyhq/core';

/** Maximum size of a page in characters, so that slow clients can take it (FRM5). */
const pageCharacters = 512 * 1024;

/** Number of events read at once, so that a thousand large ones are never in memory together. */
const stride = 20;

/**
 * Reads the stored texts of the last `limit` events before a seq, in order: as many as a page holds, and at least one (SEC11).
 */
export async function readPage(
  events: Pick<EventStore, 'read'>,
  sessionId: SessionId,
  { before, limit }: { before: Seq; limit: number },
): Promise<readonly string[]> {
  const first = Math.max(0, before - 1 - limit);
  const found: string[] = [];
  let size = 0;
  for (let end = before - 1; end > first; end -= stride) {
    const start = Math.max(first, end - stride);
    const texts: string[] = [];
    for await (const part of events.read(sessionId, start, end - start)) texts.push(...part);
    for (const text of texts.reverse()) {
      size += text.length;
      if (size > pageCharacters && found.length > 0) return found.reverse();
      found.push(text);
    }
  }
  return found.reverse();
}
