import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '@parley/core';
import { holdLock } from './open.ts';

/**
 * One process a data directory (DUR9). What counts is the kernel's lock on `parley.mutex`: it dies with its process,
 * however that ends, and knows neither stale files nor reused pids nor containers. `parley.lock` only names the owner.
 * @returns how to let go
 * @throws StoreError `busy`, naming the owner
 */
export function lockDirectory(directory: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700); // also one that was there (SEC8)
  const owner = join(directory, 'parley.lock');
  const lock = holdLock(join(directory, 'parley.mutex'));
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

/** Empty in the moment between the owner's lock and its name. */
function readPid(file: string): string {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isNaN(pid) ? '' : ` (pid ${pid})`;
  } catch {
    return '';
  }
}
