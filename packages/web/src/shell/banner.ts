import type { ClientState } from '@parleyhq/client';
import { closeCodes } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** Reports a connection to the server that is not simply open, or that interaction is off. */
export function renderBanner(state: ClientState): TemplateResult | typeof nothing {
  switch (state.connection) {
    case 'connecting':
      return state.closeCode === undefined ? nothing : renderWords('The server is not responding. Trying again …');
    case 'reconnecting':
      return renderWords('Connection lost. Reconnecting … Your messages and answers are kept and sent afterwards.');
    case 'refused':
      return state.closeCode === closeCodes.upgradeRequired
        ? html`<div class="banner" role="status">
            This page is older than the server. Reload to update; half-typed answers are kept.
            <button @click=${() => location.reload()}>Reload</button>
          </div>`
        : renderWords(
            html`The server refused this page: ${renderUntrusted(state.complaint ?? `code ${state.closeCode}`)}`,
          );
    default:
      if (state.isInteractive) return state.fault === undefined ? nothing : renderWords(faultWords(state.fault));
      return renderWords(
        'Interactive is off: you cannot answer in this tab. Prompts fail if no other tab can answer them.',
      );
  }
}

const faultWords = (fault: string) => `${fault} What it was about was read anew; reload if something is missing.`;

const renderWords = (words: unknown) => html`<div class="banner" role="status">${words}</div>`;
