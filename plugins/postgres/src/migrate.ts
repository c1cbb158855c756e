import { randomUUID } from 'node:crypto';
import { type Epoch, StoreError } from '@parleyhq/core';
import { type Sql, type Transaction, transact } from './database.ts';
import { readIdentity } from './history.ts';
import { migrations } from './migrations/index.ts';

/** The advisory lock of migrations: other nodes wait for it. */
const migrationLock = 7_420_000;

export interface Opened {
  readonly epoch: Epoch;
  /** Identity of the database's history for which this epoch was created. */
  readonly identity: string;
  /** Whether the database was replaced: it was restored, or a standby took over. */
  readonly isRewound: boolean;
}

/**
 * Brings a database to this release's schema, completely or not at all, and only once if several nodes start at the same time.
 * @throws StoreError `failed` for a newer database
 */
export function migrate(sql: Sql, steps: readonly string[] = migrations): Promise<Opened> {
  return transact(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(${migrationLock})`;
    await tx`create table if not exists meta (name text primary key, value text not null)`;
    const found = Number((await readMeta(tx, 'schema')) ?? 0);
    refuseNewer(found, steps.length);
    for (const step of steps.slice(found)) await tx.unsafe(step);
    if (found < steps.length) await putMeta(tx, 'schema', String(steps.length));
    return findEpoch(tx);
  });
}

/** Reads the schema of a database, 0 if it has none, and the one of this release. Changes nothing. */
export async function readSchema(sql: Sql): Promise<{ readonly found: number; readonly known: number }> {
  const [row] = await sql<{ meta: string | null }[]>`select to_regclass('meta') as meta`;
  const [schema] = row?.meta ? await sql<{ value: string }[]>`select value from meta where name = 'schema'` : [];
  return { found: Number(schema?.value ?? 0), known: migrations.length };
}

function refuseNewer(found: number, known: number): void {
  if (found <= known) return;
  throw new StoreError(
    'failed',
    `The database was written by a newer Parley (schema ${found}; this one knows ${known}). Update Parley, or use another database.`,
  );
}

/**
 * Returns the epoch, or creates a new one if the database was replaced: it was restored from a dump or to a point in time, or a
 * standby took over that may lack the last commits. Clients then start over (RPL2).
 */
async function findEpoch(tx: Transaction): Promise<Opened> {
  const identity = await readIdentity(tx);
  const known = await readMeta(tx, 'identity');
  const epoch = await readMeta(tx, 'epoch');
  if (epoch !== undefined && known === identity) return { epoch, identity, isRewound: false };
  const made = randomUUID();
  await putMeta(tx, 'epoch', made);
  await putMeta(tx, 'identity', identity);
  return { epoch: made, identity, isRewound: epoch !== undefined };
}

async function readMeta(sql: Transaction, name: string): Promise<string | undefined> {
  const [row] = await sql<{ value: string }[]>`select value from meta where name = ${name}`;
  return row?.value;
}

async function putMeta(sql: Transaction, name: string, value: string): Promise<void> {
  await sql`insert into meta (name, value) values (${name}, ${value})
    on conflict (name) do update set value = excluded.value`;
}
