import type { Signing } from '@parleyhq/client';
import { type Assertion, challengeText, signedAnswer, termsOf } from '@parleyhq/core';
import { findObstacle, listPasskeys } from './passkeys.ts';
import { signChallenge } from './webauthn.ts';

/**
 * Asks for a passkey that signs an answer (SIGN2).
 * @param showPasskeys - offers to add one to somebody who has none here
 * @throws Error that says why there is no signature
 */
export async function signAnswer(signing: Signing, showPasskeys: () => void): Promise<Assertion> {
  const obstacle = findObstacle();
  if (obstacle !== undefined) throw new Error(obstacle);
  const all = await listPasskeys();
  const own = all.filter(({ origin }) => origin === location.origin);
  if (own.length === 0) {
    showPasskeys();
    const elsewhere = all[0] && ` Yours are for ${all[0].origin}.`;
    throw new Error(`This needs your passkey, and you have none for this page: add one first.${elsewhere ?? ''}`);
  }
  const { sessionId, interactionId, digest, answerId, person, request, answer } = signing;
  const identity = { sessionId, interactionId, digest, terms: termsOf(request), answerId, person };
  const text = challengeText(identity, signedAnswer(request, answer));
  return signChallenge({
    challenge: toBase64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))),
    rpId: location.hostname,
    allowCredentials: own.map(({ credentialId: id }) => ({ id, type: 'public-key' })),
    userVerification: 'required',
  });
}

function toBase64url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
