import { StoreError } from '@parleyhq/core';
import postgres from 'postgres';
import { arrayTypes } from './array-types.ts';
import { Wires } from './wires.ts';

export type Sql = postgres.Sql;
export type Transaction = postgres.TransactionSql;
/** A statement alone, or one of a transaction. */
export type Query = Sql | Transaction;
/** A part of a statement. */
export type Condition = postgres.Fragment;

/** In seconds: how long a server may take to let us in, how long a connection that is not needed stays, and is not tried. */
const connectSeconds = 5;
const idleSeconds = 10;
const keepAliveSeconds = 10;

/**
 * In ms, and ended by the database: a statement, and a transaction whose node says nothing any more. Rows that one has locked
 * keep all other nodes waiting, and a node that was stopped or cut off ends none.
 */
const limits = { statement_timeout: 10_000, idle_in_transaction_session_timeout: 5000 };

/** So many connections at most, beside those that write. */
const maxConnections = 5;

/** What is written is found by its keys, in tables of any size: neither is every group planned anew, nor from what a table was when it was small. */
const writing = { plan_cache_mode: 'force_generic_plan', enable_seqscan: false, jit: false };

/** For one transaction at a time. Another connection takes the place of one that is lost. @throws StoreError `failed` where the address is none */
export function connectToWrite(url: string): Sql {
  return connect(url, new Wires(), { max: 2, settings: writing });
}

/** For notifications, one after the other. Their commits wait for no disk: after a crash nobody hears of them anyway. @throws StoreError `failed` where the address is none */
export function connectToNotify(url: string): Sql {
  return connect(url, new Wires(), { max: 1, settings: { synchronous_commit: false } });
}

/**
 * Connects when it is first used.
 * @param wires - its connections; patient ones carry statements that may take as long as they like
 * @throws StoreError `failed` where the address is none
 */
export function connect(url: string, wires: Wires = new Wires(), { max = maxConnections, settings = {} } = {}): Sql {
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
      'The address of the database cannot be read: it looks like postgres://user@host/name.',
    );
  }
}

/**
 * Runs a transaction. Once its connection is lost nothing of it is told any more, and it fails by itself: what `run` throws then would
 * have postgres.js write a rollback to a connection that is no more, which ends the process.
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

/** The SQLSTATE of what the database said, or the code of what kept it from saying anything. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Whether the database did not say it itself, and none of us. */
function isOfConnection(error: unknown): boolean {
  return codeOf(error) !== '' && !(error instanceof postgres.PostgresError) && !(error instanceof StoreError);
}

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505';
}

/** Whether one statement was at fault, and not the connection or the whole database. */
export function isOfStatement(error: unknown): boolean {
  return /^(21|22|23|42)/.test(codeOf(error));
}

/** Translates into the port's errors. No message holds the address, which may hold a password (SEC8). */
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
