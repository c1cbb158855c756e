import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StoreError } from '@parleyhq/core';
import type { Database } from './database.ts';
import { holdLock } from './open.ts';

/**
 * Lets only one process use a data directory (DUR9), by the kernel's lock on `parley.mutex`. The lock ends with its process,
 * however that ends, and is immune to stale files, reused pids and containers. `parley.lock` only names the owner.
 * @returns a function that releases the lock
 * @throws StoreError `busy`, naming the owner; `failed` if the folder cannot be created or written
 */
export function lockDirectory(directory: string): () => void {
  const owner = join(directory, 'parley.lock');
  const lock = takeLock(directory);
  if (!lock) {
    throw new StoreError(
      'busy',
      `Another Parley${readPid(owner)} uses ${directory}. Stop it, or choose another folder with --data-dir.`,
    );
  }
  rmSync(owner, { force: true }); // a link in its place is not followed
  writeFileSync(owner, `${process.pid}\n`, { mode: 0o600, flag: 'wx' });
  return () => {
    rmSync(owner, { force: true });
    lock.close();
  };
}

function takeLock(directory: string): Database | undefined {
  try {
    makeDirectory(directory);
    if (isOurs(directory)) chmodSync(directory, 0o700); // even if it existed before (SEC8)
    return holdLock(join(directory, 'parley.mutex'));
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError('failed', `The folder ${directory} cannot be used: ${reason}`, { cause });
  }
}

/** Whether the folder is only ours: if it has other files, its permissions are left alone. */
function isOurs(directory: string): boolean {
  const names = readdirSync(directory);
  return names.length === 0 || names.includes('parley.mutex');
}

/** Creates one folder at a time, because Node's `recursive` option hangs where folders cannot be created, as in /proc. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(path)) throw error; // another process created it first
  }
}

/** Returns the owner's pid in words; empty between the moment it takes the lock and the moment it writes its pid. */
function readPid(file: string): string {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isNaN(pid) ? '' : ` (pid ${pid})`;
  } catch {
    return '';
  }
}
