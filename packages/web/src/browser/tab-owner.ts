import type { ParleyClient } from '@parleyhq/client';
import { draftStore } from './draft-store.ts';
import { tabStorage } from './storage.ts';

const ownerKey = 'parley.principal';
const prefixes = ['parley.message.', 'parley.answers.'];

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
    forgetTyped();
    location.reload();
  });
}

/** Before the page is left: whoever is next in this tab finds nothing that was typed, nor an answer that was not sent (INT18). */
export function forgetTyped(): void {
  removeTyped();
  addEventListener('pagehide', removeTyped); // until then the page may write down what it still holds
}

function removeTyped(): void {
  draftStore.removeAll();
  for (const key of Object.keys(tabStorage))
    if (prefixes.some((prefix) => key.startsWith(prefix))) tabStorage.removeItem(key);
}
