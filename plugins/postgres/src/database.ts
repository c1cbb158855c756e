import { StoreError } from '@parleyhq/core';
import postgres from 'postgres';
import { arrayTypes } from './array-types.ts';
import { PoolConnections } from './pool-connections.ts';

export type Sql = postgres.Sql;
export type Transaction = postgres.TransactionSql;
/** A statement alone, or one of a transaction. */
export type Query = Sql | Transaction;
/** A part of a statement. */
export type Condition = postgres.Fragment;

/** In seconds: time limit for connecting, lifetime of an idle connection, and time until the first TCP keep-alive probe. */
const connectSeconds = 5;
const idleSeconds = 10;
const keepAliveSeconds = 10;

/**
 * Limits, in ms, after which the database ends a statement, and a transaction whose node is silent. Otherwise a node that was
 * stopped or cut off would keep its rows locked and all other nodes waiting.
 */
const limits = { statement_timeout: 10_000, idle_in_transaction_session_timeout: 5000 };

/** Maximum number of connections, in addition to those that write. */
const maxConnections = 5;

/** Settings for writes, which always find rows by key: avoids planning each statement, and plans made while a table was small. */
const writing = { plan_cache_mode: 'force_generic_plan', enable_seqscan: false, jit: false };

/**
 * Connects for writes, one transaction at a time, with a spare connection.
 * @throws StoreError `failed` if the address is invalid
 */
export function connectToWrite(url: string): Sql {
  return connect(url, new PoolConnections(), { max: 2, settings: writing });
}

/**
 * Connects for notifications, one after the other. Their commits do not wait for the disk, because a crash loses them anyway.
 * @throws StoreError `failed` if the address is invalid
 */
export function connectToNotify(url: string): Sql {
  return connect(url, new PoolConnections(), { max: 1, settings: { synchronous_commit: false } });
}

/**
 * Makes a pool that connects when it is first used.
 * @param wires - its connections; patient ones are for statements without a time limit
 * @throws StoreError `failed` if the address is invalid
 */
export function connect(
  url: string,
  wires: PoolConnections = new PoolConnections(),
  { max = maxConnections, settings = {} } = {},
): Sql {
  const options = {
    max,
    connect_timeout: connectSeconds,
    idle_timeout: idleSeconds,
    keep_alive: keepAliveSeconds,
    backoff: (attempts: number) => Math.min(0.1 * 2 ** attempts, 2),
    onnotice: () => undefined,
    socket: wires.open,
    fetch_types: false,
    types: arrayTypes,
    connection: { application_name: 'parley', ...(!wires.isPatient && limits), ...settings },
  };
  try {
    return postgres(url, options);
  } catch {
    throw new StoreError(
      'failed',
      'The address of the database is not valid; it should look like postgres://user@host/name.',
    );
  }
}

/**
 * Runs a transaction. If its connection is lost, errors of `run` are held back, because they would make postgres.js write a
 * rollback to the closed connection, which ends the process; `begin` then fails by itself.
 */
export async function transact<Value>(sql: Sql, run: (transaction: Transaction) => Promise<Value>): Promise<Value> {
  const result: unknown = await sql.begin(async (transaction) => {
    try {
      return await run(transaction);
    } catch (error) {
      if (isOfConnection(error)) await new Promise(() => undefined);
      throw error;
    }
  });
  return result as Value;
}

const lockFaults = new Set(['40001', '40P01', '55P03']);

/** Returns the SQLSTATE of a database error, or the code of a connection error. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Whether the error comes from the connection, not from the database or this program. */
function isOfConnection(error: unknown): boolean {
  return codeOf(error) !== '' && !(error instanceof postgres.PostgresError) && !(error instanceof StoreError);
}

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505';
}

/** Whether the error is about one statement, not about the connection or the whole database. */
export function isOfStatement(error: unknown): boolean {
  return /^(21|22|23|42)/.test(codeOf(error));
}

/** Translates an error to one of the store port. No message contains the address, which may contain a password (SEC8). */
export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const cause = new Error(`PostgreSQL: ${code} ${error instanceof postgres.PostgresError ? error.message : ''}`);
  if (code === '53100') return new StoreError('full', 'The disk of the database is full.', { cause });
  if (lockFaults.has(code)) return new StoreError('busy', 'Another transaction has locked the rows.', { cause });
  if (error instanceof postgres.PostgresError)
    return new StoreError('failed', `The database failed: ${error.message} (${code})`, { cause });
  return new StoreError('failed', `The database cannot be reached${code === '' ? '' : ` (${code})`}.`, { cause });
}

/** Runs a read. @throws StoreError */
export async function lookUp<Value>(read: () => PromiseLike<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    throw toStoreError(error);
  }
}
