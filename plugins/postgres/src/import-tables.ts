import { type ChatEvent, emptyHead, foldText, type Grant, type Head, reduceHead, StoreError } from '@parleyhq/core';
import { deletedSession, type StoredRow, type StoredTable, signerOf, type TableSource } from '@parleyhq/store-kit';
import { connect, type Transaction, toStoreError, transact } from './database.ts';
import { migrate } from './migrate.ts';
import { PoolConnections } from './pool-connections.ts';

/** The numbers of copied sessions and events. */
export interface Imported {
  readonly sessions: number;
  readonly events: number;
}

/** Converts rows of tables whose columns differ here. */
const converted: Readonly<Partial<Record<StoredTable, (row: StoredRow) => Record<string, unknown>>>> = {
  sessions: ({ key: _, audited_from: __, ...row }) => ({
    ...row,
    folded: foldText(String(row.title)),
    pinned: row.pinned === 1,
    archived: row.archived === 1,
  }),
  grants: (row) => ({ ...row, giver: detailsOf(row).by?.principal ?? null, signer: signerOf(detailsOf(row)) ?? null }),
  tokens: (row) => ({ ...row, name: detailsOf(row).name ?? null }),
  devices: (row) => ({ ...row, created_at: detailsOf(row).createdAt }),
};

const tablesOfSessions = ['events', 'records', 'outside_calls', 'deliveries'] as const;
const otherTables = ['grants', 'plugin_state', 'logins', 'tokens', 'audit', 'devices', 'links', 'passkeys'] as const;

/**
 * Copies the tables of another store into an empty database, all or nothing, and reads every log back: it must have the same
 * texts, and fold to the same head, as the original (OPS6).
 * @throws StoreError `failed` if the database is not empty or cannot be reached, or if a copied log differs
 */
export async function importTables(url: string, source: TableSource): Promise<Imported> {
  const sql = connect(url, new PoolConnections({ isPatient: true }));
  try {
    await migrate(sql);
    return await transact(sql, (tx) => copy(tx, source));
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function copy(sql: Transaction, source: TableSource): Promise<Imported> {
  await sql`lock table sessions, tokens, audit in access exclusive mode`;
  const [used] = await sql`
    select 1 where exists (select 1 from sessions) or exists (select 1 from tokens) or exists (select 1 from audit)`;
  if (used) throw new StoreError('failed', 'The database is not empty: name a new one.');
  const keys = await copySessions(sql, source);
  for (const table of otherTables) for (const rows of source.read(table)) await insert(sql, table, rows);
  for (const table of tablesOfSessions)
    for (const rows of source.read(table)) {
      const own = rows.filter(({ session }) => session === deletedSession || keys.has(Number(session)));
      await insert(sql, table, own, ({ session }) => ({ session: keys.get(Number(session)) ?? deletedSession }));
    }
  let events = 0;
  for (const [from, to] of keys) events += await compareLogs(sql, to, source.readLog(from));
  return { sessions: keys.size, events };
}

/** @returns the new keys by the old ones */
async function copySessions(sql: Transaction, source: TableSource): Promise<Map<number, number>> {
  const keys = new Map<number, number>();
  for (const rows of source.read('sessions')) {
    await insert(sql, 'sessions', rows);
    const added = await sql<{ id: string; key: number }[]>`
      select id, key from sessions where id = any(${rows.map(({ id }) => String(id))})`;
    const byId = new Map(added.map(({ id, key }) => [id, key]));
    for (const { id, key } of rows) keys.set(Number(key), byId.get(String(id)) ?? 0);
  }
  return keys;
}

async function insert(
  sql: Transaction,
  table: StoredTable,
  rows: readonly StoredRow[],
  more: (row: StoredRow) => Record<string, unknown> = () => ({}),
): Promise<void> {
  const convert = converted[table] ?? ((row: StoredRow) => ({ ...row }));
  const values = rows.map((row) => ({ ...convert(row), ...more(row) }));
  if (values.length > 0) await sql`insert into ${sql(table)} ${sql(values as Record<string, never>[])}`;
}

/** @returns the number of events @throws StoreError if the copied log differs */
async function compareLogs(sql: Transaction, session: number, texts: readonly string[]): Promise<number> {
  const rows = await sql<{ text: string }[]>`select text from events where session = ${session} order by seq`;
  const isSame = rows.length === texts.length && rows.every(({ text }, n) => text === texts[n]);
  const [wanted, found] = [texts, rows.map(({ text }) => text)].map((log) => JSON.stringify(fold(log)));
  const [row] = await sql<{ id: string; seq: number }[]>`select id, seq from sessions where key = ${session}`;
  if (isSame && wanted === found && row?.seq === texts.length) return texts.length;
  throw new StoreError('failed', `The log of session ${row?.id} came back different: nothing was copied.`);
}

function fold(texts: readonly string[]): Head {
  return texts.reduce((head, text) => reduceHead(head, JSON.parse(text) as ChatEvent), emptyHead);
}

interface Details extends Pick<Grant, 'by' | 'isSigned'> {
  readonly name?: string;
  readonly createdAt?: string;
}

function detailsOf({ details }: StoredRow): Details {
  return JSON.parse(String(details));
}
