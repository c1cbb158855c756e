import { randomBytes } from 'node:crypto';
import { hashToken } from './auth.ts';

/** How long a code is valid, in ms. */
export const linkCodeMs = 600_000;

/** Without letters that are easily mistaken for digits or for each other. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Makes a code that is used once: 80 random bits that a person can type on a phone (CHAT2). */
export function makeLinkCode(): string {
  return [...randomBytes(16)].map((byte) => alphabet[byte % alphabet.length]).join('');
}

/** Returns the hash under which a code is stored. Phones like to begin with a capital letter. */
export function hashLinkCode(code: string): string {
  return hashToken(code.trim().toLowerCase());
}
