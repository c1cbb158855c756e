import type { ParleyClient } from '@parleyhq/client';
import type { ChatEvent, Session } from '@parleyhq/core';
import { makeTranscript, renderHtml, renderMarkdown } from '@parleyhq/core/transcript';

export type ExportFormat = 'markdown' | 'html' | 'jsonl';

const pageLength = 1000;

type Write = (session: Session, events: readonly ChatEvent[]) => Iterable<string>;

const write = (render: typeof renderHtml) => (session: Session, events: readonly ChatEvent[]) =>
  render(makeTranscript(session, events, new Date().toISOString()));

const formats: Readonly<Record<ExportFormat, readonly [extension: string, type: string, Write]>> = {
  markdown: ['md', 'text/markdown', write(renderMarkdown)],
  html: ['html', 'text/html', write(renderHtml)],
  jsonl: ['jsonl', 'application/jsonl', (_, events) => events.map((event) => `${JSON.stringify(event)}\n`)],
};

/** Saves everything in a session that this person may see as a file (RPL5). */
export async function saveSession(client: ParleyClient, session: Session, format: ExportFormat): Promise<void> {
  const [extension, type, write] = formats[format];
  const events = await readAll(client, session);
  const url = URL.createObjectURL(new Blob([...write(session, events)], { type }));
  const download = `${nameFile(session.title)}.${extension}`;
  Object.assign(document.createElement('a'), { href: url, download }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser may still be reading it
}

/** Reads page by page from the end of the log; an opened session knows its last seq. */
async function readAll(client: ParleyClient, { id: sessionId, seq }: Session): Promise<readonly ChatEvent[]> {
  const opened = client.open(sessionId);
  const pages: ChatEvent[][] = [];
  try {
    for (let before = Math.max(seq, opened.state.lastSeq) + 1; before > 1; before = pages[0]?.[0]?.seq ?? 1) {
      const request = { type: 'read_events', sessionId, before, limit: pageLength } as const;
      const { events } = (await client.request(request)) as { events: ChatEvent[] };
      pages.unshift(events);
    }
  } finally {
    opened.close();
  }
  return pages.flat();
}

function nameFile(title: string): string {
  return (
    title
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 60) || 'session'
  );
}
