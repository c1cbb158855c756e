import { createHmac } from 'node:crypto';

const noncePattern = /^[\w-]{22,128}$/;

/**
 * What only the server of a data directory can answer: it knows the directory's key. The port is part of it, so that a program on
 * another port cannot pass the question on. Undefined for a nonce that is too short to be one.
 */
export function proveIdentity(key: string, { nonce, port }: { nonce: string; port: number }): string | undefined {
  if (!noncePattern.test(nonce)) return undefined;
  return createHmac('sha256', key).update(`parley identity ${port} ${nonce}`).digest('base64url');
}
