import { createHash } from 'node:crypto';
import type { Passkey } from '@parleyhq/core';

/** Returns the fingerprint of an encoded public key, written as OpenSSH writes those of its keys. */
export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** Returns the fingerprint of a passkey: of its public key, because an authenticator's id of it proves nothing (SIGN2). */
export function fingerprintOfPasskey({ publicKey }: Pick<Passkey, 'publicKey'>): string {
  return fingerprintOf(Buffer.from(publicKey, 'base64url'));
}
