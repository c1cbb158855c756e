import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { askPasskeys, PasskeyError } from './passkeys.ts';
import { makePasskey, signChallenge } from './webauthn.ts';

interface Begun {
  readonly ticket: string;
  readonly creation?: PublicKeyCredentialCreationOptionsJSON;
  readonly signing?: PublicKeyCredentialRequestOptionsJSON;
}

type LogInAgain = () => Promise<boolean>;

/** Adds a passkey; if the person has others, one of them signs that. @throws Error that says why not */
export async function addPasskey(name: string, logInAgain: LogInAgain): Promise<void> {
  const { ticket, creation, signing } = await begin({}, logInAgain);
  const assertion = signing && (await signChallenge(signing));
  if (!creation) throw new Error('The server did not say how.');
  const registration = await makePasskey(creation);
  await askPasskeys('', 'POST', { ticket, name, registration, ...(assertion && { assertion }) });
}

/** Removes a passkey; one of the person's signs that. @throws Error that says why not */
export async function removePasskey(id: string, logInAgain: LogInAgain): Promise<void> {
  const { ticket, signing } = await begin({ remove: id }, logInAgain);
  if (!signing) throw new Error('There is no such passkey any more.');
  await askPasskeys(`/${encodeURIComponent(id)}`, 'DELETE', { ticket, assertion: await signChallenge(signing) });
}

/** Begins a change, after the person has logged in again if the log-in is not recent (SEC9). */
async function begin(what: object, logInAgain: LogInAgain): Promise<Begun> {
  try {
    return await askPasskeys<Begun>('/options', 'POST', what);
  } catch (error) {
    if (!(error instanceof PasskeyError && error.code === 'login_again') || !(await logInAgain())) throw error;
    return askPasskeys<Begun>('/options', 'POST', what);
  }
}
