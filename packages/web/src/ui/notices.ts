import type { ClientState } from '@parleyhq/client';
import { closeCodes } from '@parleyhq/core';
import { html, nothing, type TemplateResult } from 'lit';
import { icons } from './icons.ts';
import { renderUntrusted } from './untrusted-text.ts';

/** Handlers of the buttons in notices. */
interface Deeds {
  readonly reconnect: () => void;
  readonly answerHere: () => void;
}

/** Renders a line below the bar: what happened, which screen readers announce, and a button, which they do not. */
export function renderNotice(kind: string, words: unknown, deed: unknown = nothing): TemplateResult {
  return html`<div class="notice ${kind}"><span role=${kind.includes('failure') ? 'alert' : 'status'}>${words}</span>${deed}</div>`;
}

/** Renders a notice that stays until it is closed. */
export function renderClosable(kind: string, words: string, onClose: () => void): TemplateResult {
  const close = html`<button class="icon" aria-label="Close this message" @click=${onClose}>${icons.cross}</button>`;
  return renderNotice(kind, renderUntrusted(words), close);
}

/**
 * Renders a notice if the server is unreachable or of another release, or if this tab does not answer; only one of these, because
 * the first explains the others.
 */
export function renderConnection(
  state: ClientState,
  { reconnect, answerHere }: Deeds,
): TemplateResult | typeof nothing {
  switch (state.connection) {
    case 'connecting':
    case 'reconnecting': {
      if (state.connection === 'connecting' && state.closeCode === undefined) return nothing;
      const words = navigator.onLine ? explainLoss(state) : 'You are offline.';
      return renderNotice(
        'late',
        `${words} ${describeUnsent(state)}`,
        html`<button class="plain" @click=${reconnect}>Try now</button>`,
      );
    }
    case 'refused':
      return state.closeCode === closeCodes.upgradeRequired
        ? renderNotice(
            '',
            'This page is older than the server. Reload to update; half-typed answers are kept.',
            html`<button class="primary" @click=${() => location.reload()}>Reload</button>`,
          )
        : renderNotice(
            'failure',
            html`The server refused this page: ${renderUntrusted(state.complaint ?? `code ${state.closeCode}`)}`,
          );
    default:
      if (!state.isInteractive)
        return renderNotice(
          '',
          'This tab does not answer. Prompts fail if no other tab can answer them.',
          html`<button class="plain" @click=${answerHere}>Answer in this tab</button>`,
        );
      return state.fault === undefined ? nothing : renderNotice('', explainFault(state.fault));
  }
}

/** Renders the notice that a session runs tools without asking, with a button for people who can change that. */
export function renderBypass({ sessions, welcome }: ClientState, sessionId: string, onAskAgain: () => void) {
  const { permissionMode } = sessions.find(({ id }) => id === sessionId) ?? {};
  if (permissionMode !== 'bypassPermissions') return nothing;
  const isOperator = welcome?.principal.role === 'operator';
  const button = isOperator ? html`<button class="plain" @click=${onAskAgain}>Ask again</button>` : nothing;
  return renderNotice('bypass', 'Tools in this session run without asking anybody.', button);
}

const explainFault = (fault: string) => `${fault} What it was about was read anew; reload if something is missing.`;

const explainLoss = ({ connection }: ClientState) =>
  connection === 'connecting' ? 'The server is not responding. Trying again …' : 'Connection lost. Reconnecting …';

function describeUnsent({ unsent: { answers, messages } }: ClientState): string {
  const parts = [count(answers, 'answer'), count(messages, 'message')].filter(Boolean);
  if (parts.length === 0) return 'What you write is kept and sent afterwards.';
  return `${parts.join(' and ')} ${answers + messages === 1 ? 'is' : 'are'} kept here and sent afterwards.`;
}

function count(n: number, noun: string): string {
  return n === 0 ? '' : `${n} ${noun}${n === 1 ? '' : 's'}`;
}
