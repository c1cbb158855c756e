import type { ParleyClient } from '@parleyhq/client';
import type { InboxEntry, Principal } from '@parleyhq/core';
import { html, nothing } from 'lit';
import type { DialogName } from '../dialogs/dialogs.ts';
import { icons } from '../ui/icons.ts';
import type { Commands } from './commands.ts';
import './session-list.ts';

interface Shown {
  /** Open prompts that wait for this person. */
  readonly needs: readonly InboxEntry[];
  readonly currentId: string;
  readonly hasMore: boolean;
  /** Whether the inbox is part of the list, because there is no space next to it (WEB8). */
  readonly isInbox: boolean;
  /** Whether the inbox is the main view and lists the prompts itself: here only a link to it is left of them. */
  readonly isNextToInbox: boolean;
  /** Whether the page was opened here: then nothing is shown that would move while it loads. */
  readonly isFirstView: boolean;
}

/** Matches while the list is a page of its own, because a main view does not fit next to it. */
export const isNarrow: MediaQueryList = matchMedia('(max-width: 48rem)');

/** Renders what stands above the list; a principal that may not start sessions is not offered it. */
export function renderBrand(principal: Principal | undefined, { startNew, show }: Pick<Commands, 'startNew' | 'show'>) {
  const mayStart = principal?.role !== 'viewer' && !principal?.sessions;
  return html`<div class="brand">
    <a class="mark" href="/"><img src="/icon.svg" width="20" height="20" alt="" />Parley</a>
    ${mayStart ? html`<button class="icon" aria-label="New session" title="New session" aria-description="" @click=${startNew}>${icons.plus}</button>` : nothing}
    <parley-account .principal=${principal} @parley-show=${({ detail }: CustomEvent<DialogName>) => show(detail)}></parley-account>
  </div>`;
}

/** Renders the sessions with their search field; if they are a page of their own, below the inbox. */
export function renderSideList(
  client: ParleyClient,
  { needs, currentId, hasMore, isInbox, isNextToInbox, isFirstView }: Shown,
) {
  const { state } = client;
  const hasInbox = isInbox && customElements.get('parley-inbox-page') !== undefined;
  const isKnown = state.welcome && (hasInbox === isInbox || !isFirstView);
  return html`<parley-search .client=${client} .inbox=${needs} currentId=${currentId} .now=${client.now()}>
    ${hasInbox ? html`<parley-inbox-page isPart ?isSteady=${!isFirstView} .client=${client}></parley-inbox-page>` : nothing}
    <parley-sessions
      .sessions=${isKnown ? state.sessions.filter(({ archived }) => !archived) : undefined}
      .inbox=${needs}
      .olderOpen=${state.olderOpen}
      currentId=${currentId}
      .now=${client.now()}
      ?hasMore=${hasMore}
      .prompts=${isInbox ? 'none' : isNextToInbox ? 'link' : 'rows'}
    ></parley-sessions>
  </parley-search>`;
}
