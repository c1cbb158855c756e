import { createHash } from 'node:crypto';

/** Short, and the same for the same text. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
