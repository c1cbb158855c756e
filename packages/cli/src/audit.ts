import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditEntry, AuditRow, Witness } from '@parleyhq/core';
import { type AuditedSession, openAuditReader } from '@parleyhq/server';
import { toLine } from './line.ts';
import { readSettings, SettingsError } from './settings.ts';

export interface AuditFlags {
  readonly session?: string;
  readonly dataDir?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** `parley audit`: prints who settled what and reports rows that were altered (SEC7). @throws Error naming each of them */
export async function printAudit({ session, json, ...flags }: AuditFlags): Promise<void> {
  const { dataDir } = await readSettings(flags, process.env, process.cwd());
  const database = join(dataDir, 'parley.db');
  if (!existsSync(database)) {
    throw new SettingsError(`There is no Parley database in ${dataDir}: name its folder with --data-dir.`);
  }
  const reader = openAuditReader(database);
  try {
    let count = 0;
    const faults: string[] = [];
    for (const id of session === undefined ? reader.sessions() : [session]) {
      const audited = reader.read(id);
      if (!audited) throw new Error(`There is no session "${id}" in ${dataDir}, and there never was.`);
      for (const row of audited.rows) process.stdout.write(json ? `${toJson(row)}\n` : toLine(describe(row)));
      count += audited.rows.length;
      faults.push(...describeFaults(audited));
    }
    if (faults.length > 0) throw new Error(`The audit log was altered.\n${faults.join('\n')}`);
    if (!json) process.stdout.write(`${count} ${count === 1 ? 'row' : 'rows'}, none altered.\n`);
  } finally {
    reader.close();
  }
}

function describeFaults({ sessionId, faults }: AuditedSession): string[] {
  return faults.map(({ n, problem }) => `session ${sessionId}, row ${n}: it ${problem}.`);
}

function toJson({ text, hash }: AuditRow): string {
  return JSON.stringify({ ...(readEntry(text) ?? { text }), hash });
}

type Told = AuditEntry & { readonly sessionId: string };

function describe({ n, text }: AuditRow): string {
  const entry = readEntry(text);
  if (!entry) return `row ${n}: ${text}`;
  const place = `${entry.at}  ${entry.sessionId} ${n}`;
  const who = entry.by ? `by ${describeWitness(entry.by)}` : 'by nobody';
  if (entry.event === 'session_deleted') return `${place}  the session was deleted ${who}`;
  const { toolName, interactionId, outcome, scope, isEdited, late, grantId } = entry;
  const marks = [scope, isEdited && 'edited', late && 'late', grantId !== undefined && `grant ${grantId}`].filter(
    Boolean,
  );
  const what = marks.length > 0 ? `${outcome} (${marks.join(', ')})` : outcome;
  return `${place}  ${toolName} ${interactionId}  ${what} ${who}`;
}

function describeWitness({ principal, name, role, label, transport, address }: Witness): string {
  const who = name === undefined ? principal : `${name} (${principal})`;
  const from = [address, label && JSON.stringify(label)].filter(Boolean).join(' ');
  return `${who}${role ? `, ${role}` : ''}${from ? `, from ${from}` : ''} over ${transport}`;
}

/** Undefined for a row that was made unreadable. */
function readEntry(text: string): Told | undefined {
  try {
    return JSON.parse(text) as Told;
  } catch {
    return undefined;
  }
}
