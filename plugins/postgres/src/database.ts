import { StoreError } from '@parleyhq/core';
import postgres from 'postgres';

export type Sql = postgres.Sql;
export type Transaction = postgres.TransactionSql;
/** A statement alone, or one of a transaction. */
export type Query = Sql | Transaction;

/** In seconds: how long a server may take to let us in, and how long a connection that is not needed stays. */
const connectSeconds = 5;
const idleSeconds = 60;

/** So many connections at most, one of which writes. */
const maxConnections = 6;

/** Connects when it is first used. @throws StoreError `failed` where the address is none */
export function connect(url: string): Sql {
  try {
    return postgres(url, {
      max: maxConnections,
      connect_timeout: connectSeconds,
      idle_timeout: idleSeconds,
      backoff: (attempts: number) => Math.min(0.1 * 2 ** attempts, 2),
      onnotice: () => undefined,
      connection: { application_name: 'parley' },
    });
  } catch {
    throw new StoreError(
      'failed',
      'The address of the database cannot be read: it looks like postgres://user@host/name.',
    );
  }
}

const lockFaults = new Set(['40001', '40P01', '55P03']);

/** The SQLSTATE of what the database said, or the code of what kept it from saying anything. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
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
