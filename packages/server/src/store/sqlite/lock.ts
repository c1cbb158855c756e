import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StoreError } from '@parleyhq/core';
import type { Database } from './database.ts';
import { holdLock } from './open.ts';

/**
 * One process a data directory (DUR9). What counts is the kernel's lock on `parley.mutex`: it dies with its process,
 * however that ends, and knows neither stale files nor reused pids nor containers. `parley.lock` only names the owner.
 * @returns how to let go
 * @throws StoreError `busy`, naming the owner; `failed` where the folder cannot be made or written
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
  writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 });
  return () => {
    rmSync(owner, { force: true });
    lock.close();
  };
}

function takeLock(directory: string): Database | undefined {
  try {
    makeDirectory(directory);
    if (isOurs(directory)) chmodSync(directory, 0o700); // also one that was there (SEC8)
    return holdLock(join(directory, 'parley.mutex'));
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError('failed', `The folder ${directory} cannot be used: ${reason}`, { cause });
  }
}

/** A folder with other things in it is somebody's home, whatever we were told: who may read it is not ours to say. */
function isOurs(directory: string): boolean {
  const names = readdirSync(directory);
  return names.length === 0 || names.includes('parley.mutex');
}

/** Folder by folder: Node's `recursive` never comes back where a folder can have no others, as in /proc. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(path)) throw error; // somebody else was first
  }
}

/** Empty in the moment between the owner's lock and its name. */
function readPid(file: string): string {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isNaN(pid) ? '' : ` (pid ${pid})`;
  } catch {
    return '';
  }
}
