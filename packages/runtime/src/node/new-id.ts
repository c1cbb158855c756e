import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const idBytes = 16;

/** Random bytes for many ids at once: asking the system for each id costs more than the id. */
const pool = Buffer.allocUnsafe(256 * idBytes);
const random = new Uint8Array(idBytes);
let used = pool.length;

/** Returns a UUIDv7: unique, and ordered by time. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  pool.copy(random, 0, used);
  used += idBytes;
  return v7({ random });
}
