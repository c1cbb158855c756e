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
  client.subscribe(() => {
    const id = client.state.welcome?.principal.id;
    if (id === undefined) return;
    const last = tabStorage.getItem(ownerKey);
    if (last === id) return;
    tabStorage.setItem(ownerKey, id);
    if (last === null) return;
    removeDrafts();
    addEventListener('pagehide', removeDrafts); // until then the page may write down what it still holds
    location.reload();
  });
}

function removeDrafts(): void {
  draftStore.removeAll();
  for (const key of Object.keys(tabStorage)) if (key.startsWith(messagePrefix)) tabStorage.removeItem(key);
}
