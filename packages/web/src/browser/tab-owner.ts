import type { ParleyClient } from '@parleyhq/client';
import { draftStore } from './draft-store.ts';
import { tabStorage } from './storage.ts';

const ownerKey = 'parley.principal';
const prefixes = ['parley.message.', 'parley.answers.'];

/**
 * Keeps what one principal typed in this tab from the next one who logs in here (INT18): removes the drafts, and reloads a page
 * that may hold some of them.
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

/**
 * Removes what was typed and not sent, so that the next person in this tab finds none of it (INT18). For use before the page is
 * left.
 */
export function forgetTyped(): void {
  removeTyped();
  addEventListener('pagehide', removeTyped); // until then the page may still store drafts
}

function removeTyped(): void {
  draftStore.removeAll();
  for (const key of Object.keys(tabStorage))
    if (prefixes.some((prefix) => key.startsWith(prefix))) tabStorage.removeItem(key);
}
