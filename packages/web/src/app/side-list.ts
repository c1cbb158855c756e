import type { ParleyClient } from '@parleyhq/client';
import type { InboxEntry } from '@parleyhq/core';
import { html, nothing } from 'lit';
import './session-list.ts';

interface Shown {
  /** Open prompts that this person may answer. */
  readonly own: readonly InboxEntry[];
  readonly currentId: string;
  readonly hasMore: boolean;
  /** Whether the inbox is part of the list, because there is no space next to it (WEB8). */
  readonly isInbox: boolean;
}

/** Matches while the list is a page of its own, because a main view does not fit next to it. */
export const isNarrow: MediaQueryList = matchMedia('(max-width: 48rem)');

/** Renders the sessions with their search field; if they are a page of their own, below the inbox. */
export function renderSideList(client: ParleyClient, { own, currentId, hasMore, isInbox }: Shown) {
  const { state } = client;
  return html`<parley-search .client=${client} .inbox=${own} currentId=${currentId} .now=${client.now()}>
    ${isInbox && customElements.get('parley-inbox-page') ? html`<parley-inbox-page isPart .client=${client}></parley-inbox-page>` : nothing}
    <parley-sessions
      .sessions=${state.welcome && state.sessions.filter(({ archived }) => !archived)}
      .inbox=${own}
      .olderOpen=${state.olderOpen}
      currentId=${currentId}
      .now=${client.now()}
      ?hasMore=${hasMore}
      ?isBelowInbox=${isInbox}
    ></parley-sessions>
  </parley-search>`;
}
