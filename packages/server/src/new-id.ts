import { randomUUID } from 'node:crypto';

let madeAt = 0;
let prefix = '';

/** A UUIDv7: the time, then what is random of a UUIDv4, which Node draws in bulk and not per id. */
export function newId(): string {
  const now = Date.now();
  if (now !== madeAt) {
    madeAt = now;
    const time = now.toString(16).padStart(12, '0');
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`;
  }
  return prefix + randomUUID().slice('xxxxxxxx-xxxx-4'.length);
}
