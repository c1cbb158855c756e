import type { ParleyClient } from '@parleyhq/client';

const ownerKey = 'parley.principal';
const draftPrefixes = ['parley.draft.', 'parley.message.'];

/**
 * Keeps what one principal typed in this tab from the next who is logged in here (INT18): their drafts are removed, and a page
 * that holds something of theirs begins anew.
 */
export function watchOwner(client: ParleyClient): void {
  client.subscribe(() => {
    const id = client.state.welcome?.principal.id;
    if (id === undefined) return;
    const last = sessionStorage.getItem(ownerKey);
    if (last === id) return;
    sessionStorage.setItem(ownerKey, id);
    if (last === null) return;
    removeDrafts();
    addEventListener('pagehide', removeDrafts); // until then the page may write down what it still holds
    location.reload();
  });
}

function removeDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (draftPrefixes.some((prefix) => key.startsWith(prefix))) sessionStorage.removeItem(key);
  }
}
