import type { Assertion, Passkey } from '@parleyhq/core';
import { type ClientData, expectTop, type Framers, findFrameFault, readClientData } from './client-data.ts';
import { isCanonical, isDer } from './spelling.ts';
import { loadWebAuthn } from './webauthn.ts';

/** What the authenticator found when it signed. */
export interface Verified {
  readonly counter: number;
}

/** Why a signature does not count, as a sentence. */
export interface Unverified {
  readonly fault: string;
}

/** Where the flags are in an authenticator's data, and which of them says that it verified the person. */
const flagsAt = 32;
const userVerified = 0x04;

/** Where the counter of signatures is, in four bytes. */
const counterAt = 33;

const wrongSignature = 'The signature of the passkey is not valid: try again.';
const overtaken =
  'The signature is not valid any more, because the passkey has signed something else since, perhaps in another tab: try again.';

/**
 * Verifies that a passkey signed a challenge, with the person verified by the authenticator, on a page of the passkey's origin.
 * What is spelled in another way than the usual one does not count, although the library reads it: a receipt could be changed
 * unnoticed, and whoever answers must not choose that theirs is invalid (SIGN3).
 * @param challenge - in base64url
 * @param framers - the origins of the pages that may frame ours (TRN3)
 */
export async function verifySignature(
  { id, response }: Assertion,
  passkey: Pick<Passkey, 'credentialId' | 'publicKey' | 'origin' | 'counter'>,
  challenge: string,
  framers: Framers,
): Promise<Verified | Unverified> {
  const client = readClientData(response.clientDataJSON);
  if (client.challenge !== challenge) return { fault: 'The passkey signed something else than this: try again.' };
  const fault = findFrameFault(client, framers) ?? findFault(response, client, passkey);
  if (fault !== undefined) return { fault };
  const { credentialId, publicKey, origin, counter } = passkey;
  if (![publicKey, ...Object.values(response)].every(isCanonical)) return { fault: wrongSignature };
  try {
    const { verifyAuthenticationResponse, decodeCredentialPublicKey, cose } = await loadWebAuthn();
    const key = Uint8Array.from(Buffer.from(publicKey, 'base64url'));
    const isElliptic = cose.isCOSEPublicKeyEC2(decodeCredentialPublicKey(key));
    if (isElliptic && !isDer(Buffer.from(response.signature, 'base64url'))) return { fault: wrongSignature };
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      ...{ requireUserVerification: true, ...expectTop(client) },
      credential: { id: credentialId, publicKey: key, counter },
    });
    return verified ? { counter: authenticationInfo.newCounter } : { fault: wrongSignature };
  } catch {
    return { fault: wrongSignature }; // or it cannot be read
  }
}

/** Returns the reason that a person can act on, if there is one. The verdict is the library's. */
function findFault(
  { authenticatorData }: Pick<Assertion['response'], 'authenticatorData'>,
  client: ClientData,
  { origin, counter }: Pick<Passkey, 'origin' | 'counter'>,
): string | undefined {
  if (client.origin !== origin) return `This passkey was added at ${origin}, and signs only there.`;
  const data = Buffer.from(authenticatorData, 'base64url');
  if (((data[flagsAt] ?? 0) & userVerified) === 0)
    return 'Your device did not verify that it is you: it must ask for your fingerprint, face or PIN.';
  const isCounted = data.length >= counterAt + 4 && counter > 0;
  return isCounted && data.readUInt32BE(counterAt) <= counter ? overtaken : undefined;
}
