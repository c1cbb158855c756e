import { connectServer, ParleyClient } from '@parleyhq/client';
import { watchAttention } from './attention.ts';
import { tabStorage } from './storage.ts';
import { describeDevice, preferences, readClientId } from './tab.ts';
import { watchOwner } from './tab-owner.ts';

/** Creates this tab's client, connected to the server that served the page. `logInAgain` asks for the token (SEC9). */
export function makeClient(logInAgain: () => Promise<boolean>): ParleyClient {
  const client = new ParleyClient({
    transport: connectServer(location.origin),
    clientId: readClientId(),
    label: describeDevice(),
    isInteractive: preferences.isInteractive,
    storage: tabStorage,
    logInAgain,
  });
  watchOwner(client);
  watchAttention(client);
  return client;
}
