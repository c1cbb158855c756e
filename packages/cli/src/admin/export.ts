import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ChatEvent, ExitError } from '@parleyhq/core';
import { makeTranscript, renderHtml, renderMarkdown } from '@parleyhq/core/transcript';
import { type LoggedSession, type LogReader, openLogReader } from '@parleyhq/server';
import { forTerminal } from '../io/line.ts';
import type { DataFlags } from '../settings/flags.ts';
import { readSettings, SettingsError } from '../settings/settings.ts';
import { findDatabase } from '../store/open-store.ts';
import { writeWhole } from './write-atomically.ts';

export interface ExportFlags extends DataFlags {
  readonly format: string;
  readonly out?: string;
}

type Write = (reader: LogReader, session: LoggedSession) => AsyncIterable<string>;

const formats = new Map<string, Write>([
  ['jsonl', writeLines],
  ['markdown', (reader, session) => writeDocument(reader, session, renderMarkdown)],
  ['html', (reader, session) => writeDocument(reader, session, renderHtml)],
]);

/** `parley export`: reads the database, whether a server is running or not (RPL5). @throws SettingsError, Error */
export async function exportTranscript(sessionId: string, { format, out, ...flags }: ExportFlags): Promise<void> {
  const write = formats.get(format);
  if (!write) throw new SettingsError(`--format: must be one of ${[...formats.keys()].join(', ')}, not "${format}".`);
  const settings = await readSettings(flags, process.env, process.cwd());
  const { dataDir } = settings;
  const database = findDatabase(settings, 'export');
  const reader = openLogReader(database);
  try {
    const session = reader.find(sessionId);
    if (!session) throw new Error(`There is no session "${sessionId}" in ${dataDir}.`);
    await send(write(reader, session), out, dataDir);
  } finally {
    reader.close();
  }
}

/** Streams the log verbatim, one event per line. */
async function* writeLines(reader: LogReader, session: LoggedSession): AsyncIterable<string> {
  for await (const texts of reader.read(session)) yield `${texts.join('\n')}\n`;
}

/** Renders the transcript. This needs the whole log: a prompt at the beginning may be answered at the end. */
async function* writeDocument(
  reader: LogReader,
  session: LoggedSession,
  render: typeof renderHtml,
): AsyncIterable<string> {
  const events: ChatEvent[] = [];
  for await (const texts of reader.read(session)) for (const text of texts) events.push(JSON.parse(text));
  yield* render(makeTranscript(session, events, new Date().toISOString()));
}

async function send(text: AsyncIterable<string>, file: string | undefined, dataDir: string): Promise<void> {
  if (file === undefined) return print(text);
  await writeWhole(
    file,
    { flag: '--out', dataDir },
    // Readable only by its owner, like the log itself (SEC8).
    (temporary) => pipeline(Readable.from(text), createWriteStream(temporary, { flags: 'wx', mode: 0o600 })),
  );
}

async function print(text: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(escaped(text)), process.stdout, { end: false });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'EPIPE') return; // the reader closed the pipe
    throw cause instanceof SettingsError
      ? cause
      : new ExitError(5, `The transcript ends in the middle: ${message}`, { cause });
  }
}

async function* escaped(text: AsyncIterable<string>): AsyncIterable<string> {
  for await (const part of text) yield forTerminal(part);
}
