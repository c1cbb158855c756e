import type { ClientState } from '@parleyhq/client';
import { closeCodes } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { said } from '../untrusted-text.ts';

/** How the line to the server stands, where that is worth a word. */
export function renderBanner(state: ClientState): TemplateResult | typeof nothing {
  switch (state.connection) {
    case 'connecting':
      return state.closeCode === undefined ? nothing : renderWords('The server does not answer yet. Trying again …');
    case 'reconnecting':
      return renderWords('Connection lost. Reconnecting … What you write and answer is kept and sent then.');
    case 'refused':
      return state.closeCode === closeCodes.upgradeRequired
        ? html`<div class="banner" role="status">
            This page is older than the server: reload to update. Half-typed answers are kept.
            <button @click=${() => location.reload()}>Reload</button>
          </div>`
        : renderWords(html`The server refused this page: ${said(state.complaint ?? `code ${state.closeCode}`)}`);
    default:
      return state.isInteractive
        ? nothing
        : renderWords(
            'Interactive is off: nothing can be answered in this tab. Prompts fail where no other tab can answer.',
          );
  }
}

const renderWords = (words: unknown) => html`<div class="banner" role="status">${words}</div>`;
