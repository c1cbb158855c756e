import type { Assertion } from '@parleyhq/core';
import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser';

/** A new passkey, as the server takes it. */
export interface Registration {
  readonly id: string;
  readonly response: object;
}

const aborted = 'Nothing was signed: it was cancelled, or took too long. Try again.';

/** Only one passkey can be asked for at a time. */
let last: Promise<unknown> = Promise.resolve();

/** Asks for a signature by a passkey. @throws Error that says why there is none */
export function signChallenge(optionsJSON: PublicKeyCredentialRequestOptionsJSON): Promise<Assertion> {
  const signing = last.then(async () => {
    const { id, response } = await startAuthentication({ optionsJSON }).catch(explain);
    const { authenticatorData, clientDataJSON, signature } = response;
    return { id, response: { authenticatorData, clientDataJSON, signature } };
  });
  last = signing.catch(() => undefined);
  return signing;
}

/** Makes a new passkey. @throws Error that says why there is none */
export async function makePasskey(optionsJSON: PublicKeyCredentialCreationOptionsJSON): Promise<Registration> {
  const { id, response } = await startRegistration({ optionsJSON }).catch(explain);
  const { clientDataJSON, attestationObject, transports } = response;
  return { id, response: { clientDataJSON, attestationObject, ...(transports && { transports }) } };
}

function explain(error: unknown): never {
  if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    throw new Error('This device has a passkey for you here already.', { cause: error });
  if (error instanceof Error && error.name === 'SecurityError')
    throw new Error('The browser does not allow passkeys on this page.', { cause: error });
  throw new Error(aborted, { cause: error });
}
