import { createHmac } from 'node:crypto';

const noncePattern = /^[\w-]{22,128}$/;

/**
 * Returns a proof that only the server of a data directory can compute, because it knows the directory's key. The port is
 * included so that a program on another port cannot relay the question. Undefined if the nonce is too short.
 */
export function proveIdentity(key: string, { nonce, port }: { nonce: string; port: number }): string | undefined {
  if (!noncePattern.test(nonce)) return undefined;
  return createHmac('sha256', key).update(`parley identity ${port} ${nonce}`).digest('base64url');
}
