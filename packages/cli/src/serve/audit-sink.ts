import { constants, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type AuditReader, openAuditReader } from '@parleyhq/server';
import * as z from 'zod';
import { toJson } from '../admin/audit.ts';
import { readPlainFile } from '../io/plain-file.ts';
import { SettingsError } from '../settings/settings.ts';

/** Interval between reads of new rows, and the longest interval after failures, in ms. */
const lookMs = 200;
const longestWaitMs = 30_000;

const batchRows = 500;
const answerMs = 10_000;

/** The last row that was sent; its hash shows whether the database is still the same one. */
const cursorSchema = z.object({ position: z.int(), hash: z.string() });
type Cursor = z.infer<typeof cursorSchema>;

const start: Cursor = { position: 0, hash: '' };

interface SinkOptions {
  readonly dataDir: string;
  /** A file, or an http address. */
  readonly to: string;
  /** Called once when sending begins to fail. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Sends each row of the audit to a file or address outside of the data directory, in commit order and at least once: after a
 * crash the last rows are sent again. If the sink is unreachable, rows are delayed and not lost (SEC7).
 * @throws SettingsError if the file cannot be written
 */
export async function startAuditSink({ dataDir, to, onFailure }: SinkOptions): Promise<void> {
  const send = isAddress(to) ? (lines: string) => post(to, lines) : await openSinkFile(to, dataDir);
  const cursorFile = join(dataDir, 'audit.cursor');
  const reader = openAuditReader(join(dataDir, 'parley.db'));
  let cursor = readCursor(cursorFile, reader);
  let waitMs = lookMs;
  const look = async (): Promise<void> => {
    try {
      for (;;) {
        const rows = reader.after(cursor.position, batchRows);
        const last = rows.at(-1);
        if (!last) break;
        await send(rows.map((row) => `${toJson(row)}\n`).join(''));
        cursor = { position: last.position, hash: last.hash };
        writeCursor(cursorFile, cursor);
      }
      waitMs = lookMs;
    } catch (error) {
      if (waitMs === lookMs) onFailure(error);
      waitMs = Math.min(2 * waitMs, longestWaitMs);
    }
    setTimeout(look, waitMs).unref();
  };
  void look();
}

const isAddress = (to: string) => /^https?:\/\//i.test(to);

async function post(address: string, lines: string): Promise<void> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: lines,
    redirect: 'error',
    signal: AbortSignal.timeout(answerMs),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The audit sink answered with ${response.status}.`);
}

/** Checks that the file can be written. It is opened for each batch, so that it can be rotated; links are not followed. */
async function openSinkFile(to: string, dataDir: string): Promise<(lines: string) => Promise<void>> {
  const file = resolve(to);
  const path = relative(dataDir, file);
  if (path !== '..' && !path.startsWith(`..${sep}`))
    throw new SettingsError(`--audit-sink: ${file} is inside the data directory, where it could damage the database.`);
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const append = async (lines: string) => {
    const handle = await open(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
    try {
      await handle.appendFile(lines);
      await handle.sync();
    } finally {
      await handle.close();
    }
  };
  try {
    if (!existsSync(dirname(file))) mkdirSync(dirname(file), { mode: 0o700 });
    await append('');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SettingsError(`--audit-sink: ${file} cannot be written: ${reason}`, { cause });
  }
  return append;
}

/** Reads the cursor; starts from the first row if there is none, or if the database is an older copy. */
function readCursor(file: string, reader: AuditReader): Cursor {
  const text = readPlainFile(file);
  if (text === undefined) return start;
  try {
    const cursor = cursorSchema.parse(JSON.parse(text));
    const [row] = reader.after(cursor.position - 1, 1);
    return row?.position === cursor.position && row.hash === cursor.hash ? cursor : start;
  } catch {
    return start;
  }
}

function writeCursor(file: string, cursor: Cursor): void {
  const temporary = `${file}.part`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, JSON.stringify(cursor), { mode: 0o600, flag: 'wx' });
  renameSync(temporary, file);
}
