import { isRecord } from '@parleyhq/core';
import { html, LitElement, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { applyTheme } from '../browser/theme.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { plainPage } from './plain-page.ts';

/** The server may store the consent only after the browser has returned: how long to wait in ms, and how often to try. */
const soonMs = 500;
const mostTries = 20;

const nothingToBring = 'There is nothing to finish here: this address alone brings nothing.';

/** The result, and what can be done next. */
type End = { readonly words: string; readonly isTaken?: true; readonly mayTry?: true; readonly hint?: string };

/**
 * The page that a browser passes on its way to the site of a link prompt, and returns to from there. It hands the query of its
 * address to the server, once (PLG11).
 */
@customElement('parley-return')
export class ReturnPage extends LitElement {
  static override styles = [base, controls, plainPage];

  @state() private end: End | undefined;
  #query = '';

  override connectedCallback(): void {
    super.connectedCallback();
    applyTheme();
    this.#query = location.search.slice(1);
    history.replaceState(null, '', location.pathname); // keeps the query out of the browser's history
    void this.#handOver();
  }

  override render() {
    return html`<main aria-busy=${!this.end}>
      <h1><img src="/icon.svg" width="24" height="24" alt="" />Parley</h1>
      ${this.end ? this.#renderEnd(this.end) : nothing}
      <p><a href="/" target="_blank" rel="noreferrer">Open Parley</a> in another tab.</p>
    </main>`;
  }

  #renderEnd({ words, isTaken, mayTry, hint }: End) {
    return html`<div class="end" role=${isTaken ? 'status' : 'alert'}>
      <h2>${renderUntrusted(words)}</h2>
      ${hint === undefined ? nothing : html`<p>${hint}</p>`}
      ${mayTry ? html`<button @click=${this.#handOver}>Try again</button>` : nothing}
    </div>`;
  }

  async #handOver(): Promise<void> {
    this.end = undefined;
    this.end = this.#query === '' ? { words: nothingToBring } : await this.#post();
  }

  /** Goes on to the site, if the server replies with its address; otherwise the browser has returned from there. */
  #goOn(reply: unknown): End {
    if (!isRecord(reply) || typeof reply.goTo !== 'string')
      return { words: 'You are back: the agent goes on.', isTaken: true, hint: 'You can close this page.' };
    location.replace(reply.goTo);
    return { words: `You go on to ${new URL(reply.goTo).host}.`, isTaken: true };
  }

  async #post(tries = 1): Promise<End> {
    const response = await fetch('/api/return', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: this.#query }),
    }).catch(() => undefined);
    const reply: unknown = await response?.json().catch(() => undefined);
    if (response?.ok) return this.#goOn(reply);
    const { code, message } = isRecord(reply) && isRecord(reply.error) ? reply.error : {};
    if (!response || message === undefined) return { words: 'The server is not responding.', mayTry: true };
    if (code === 'retry_later' && tries < mostTries) {
      await new Promise((resolve) => setTimeout(resolve, soonMs));
      return this.#post(tries + 1);
    }
    if (code === 'unauthorised')
      return {
        words: 'This browser is not logged in to Parley.',
        mayTry: true,
        hint: 'Log in in another tab, then try again here.',
      };
    return { words: String(message), ...(response.status >= 429 && { mayTry: true }) };
  }
}
