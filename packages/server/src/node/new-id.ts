import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const idBytes = 16;

/** Randomness for many ids is drawn at once: asking the system for each one costs more than the id. */
const pool = Buffer.allocUnsafe(256 * idBytes);
const random = new Uint8Array(idBytes);
let used = pool.length;

/** A UUIDv7: of its moment, and no two alike. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  pool.copy(random, 0, used);
  used += idBytes;
  return v7({ random });
}
