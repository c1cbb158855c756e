import { type Assertion, isRecord, type Passkey } from '@parleyhq/core';
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

const wrongSignature = 'The signature of the passkey is not valid: try again.';

/**
 * Verifies that a passkey signed a challenge, with the person verified by the authenticator, on a page of the passkey's origin.
 * @param challenge - in base64url
 */
export async function verifySignature(
  { id, response }: Assertion,
  passkey: Pick<Passkey, 'credentialId' | 'publicKey' | 'origin' | 'counter'>,
  challenge: string,
): Promise<Verified | Unverified> {
  const fault = findFault(response, passkey, challenge);
  if (fault !== undefined) return { fault };
  try {
    const { verifyAuthenticationResponse } = await loadWebAuthn();
    const { credentialId, publicKey, origin, counter } = passkey;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      requireUserVerification: true,
      credential: { id: credentialId, publicKey: Uint8Array.from(Buffer.from(publicKey, 'base64url')), counter },
    });
    return verified ? { counter: authenticationInfo.newCounter } : { fault: wrongSignature };
  } catch {
    return { fault: wrongSignature }; // it cannot be read, or its counter has not moved on
  }
}

/** Returns the reason that a person can act on, if there is one. The verdict is the library's. */
function findFault(
  { clientDataJSON, authenticatorData }: Assertion['response'],
  { origin }: Pick<Passkey, 'origin'>,
  challenge: string,
): string | undefined {
  const client = readJson(Buffer.from(clientDataJSON, 'base64url').toString());
  if (client?.challenge !== challenge) return 'The passkey signed something else than this: try again.';
  if (client.origin !== origin) return `This passkey was added at ${origin}, and signs only there.`;
  const flags = Buffer.from(authenticatorData, 'base64url')[flagsAt] ?? 0;
  if ((flags & userVerified) !== 0) return undefined;
  return 'Your device did not verify that it is you: it must ask for your fingerprint, face or PIN.';
}

function readJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
