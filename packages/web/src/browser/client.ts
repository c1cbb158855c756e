import { connectServer, ParleyClient } from '@parleyhq/client';
import { watchAttention } from './attention.ts';
import { tabStorage } from './storage.ts';
import { describeDevice, preferences, readClientId } from './tab.ts';
import { watchOwner } from './tab-owner.ts';

/**
 * Creates this tab's client, connected to the server that served the page. `logInAgain` asks for the token (SEC9), `showPasskeys`
 * offers to add a passkey (SIGN2).
 */
export function makeClient(logInAgain: () => Promise<boolean>, showPasskeys: () => void): ParleyClient {
  const client = new ParleyClient({
    transport: connectServer(location.origin),
    clientId: readClientId(),
    label: describeDevice(),
    isInteractive: preferences.isInteractive,
    storage: tabStorage,
    logInAgain,
    sign: async (signing) => (await import('./sign-answer.ts')).signAnswer(signing, showPasskeys),
  });
  watchOwner(client);
  watchAttention(client);
  return client;
}
