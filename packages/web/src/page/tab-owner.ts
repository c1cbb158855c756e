import type { ParleyClient } from '@parleyhq/client';
import { draftStore } from '../form/draft-store.ts';
import { tabStorage } from './storage.ts';

const ownerKey = 'parley.principal';
const messagePrefix = 'parley.message.';

/**
 * Keeps what one principal typed in this tab from the next who is logged in here (INT18): their drafts are removed, and a page
 * that holds something of theirs begins anew.
 */
export function watchOwner(client: ParleyClient): void {
  watchPrincipal(client, ownerKey, () => {
    addEventListener('pagehide', removeDrafts); // until then the page may write down what it still holds
    location.reload();
  });
}

/** The same on somebody else's page, which goes on. @param server - whose principals they are */
export function watchOwnerAt(client: ParleyClient, server: string): void {
  watchPrincipal(client, `${ownerKey}@${server}`, () => {});
}

function watchPrincipal(client: ParleyClient, key: string, onOther: () => void): void {
  client.subscribe(() => {
    const id = client.state.welcome?.principal.id;
    if (id === undefined) return;
    const last = tabStorage.getItem(key);
    if (last === id) return;
    tabStorage.setItem(key, id);
    if (last === null) return;
    removeDrafts();
    onOther();
  });
}

function removeDrafts(): void {
  draftStore.removeAll();
  for (const key of Object.keys(tabStorage)) if (key.startsWith(messagePrefix)) tabStorage.removeItem(key);
}
