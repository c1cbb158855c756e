import { describeVotes, type InboxEntry, needsVotes } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { pathOf, type Route } from '../browser/route.ts';
import { headingOf, riskLabels } from '../prompt/words.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** How many prompts are listed; the inbox has all. */
const most = 3;

/**
 * The prompts that wait for this person, oldest first, shown while no session is open (WEB8).
 * @fires parley-go - go to a prompt, or to the inbox
 */
@customElement('parley-waiting')
export class WaitingList extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      header {
        display: flex;
        align-items: baseline;
        justify-content: space-between;
        margin-bottom: var(--s2);
      }
      h2 {
        font: 500 var(--text-meta) var(--sans);
        color: var(--ink-3);
      }
      header a {
        font: 500 var(--text-meta) var(--sans);
      }
      ul {
        overflow: hidden;
        padding: 0;
        border: 1px solid var(--line);
        border-radius: var(--r-card);
        background: var(--surface);
        list-style: none;
      }
      li + li {
        border-top: 1px solid var(--line);
      }
      li a {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr) auto;
        align-items: center;
        gap: var(--s3);
        min-height: max(2.75rem, var(--control));
        padding-inline: var(--s4);
        color: var(--ink);
        text-decoration: none;
      }
      li a:hover {
        background: var(--hover);
      }
      li a:focus-visible {
        outline-offset: -2px;
      }
      .dot {
        width: 0.5rem;
        height: 0.5rem;
        border-radius: 50%;
        background: var(--amber);
      }
      @media (forced-colors: active) {
        .dot {
          forced-color-adjust: none;
          background: Highlight;
        }
      }
      .heading,
      .where {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .heading {
        font: 500 var(--text-body) var(--sans);
      }
      .where {
        max-width: 16rem;
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-3);
      }
      .high {
        color: var(--danger);
      }
    `,
  ];

  /** Open prompts that this person may answer. */
  @property({ attribute: false }) entries: readonly InboxEntry[] = [];
  @property({ attribute: false }) titleOf: (entry: InboxEntry) => string = () => '';

  override render() {
    const { length } = this.entries;
    if (length === 0) return nothing;
    const all = length > 1 ? `Work through all ${length}` : 'Open the inbox';
    return html`<section aria-labelledby="waiting">
      <header>
        <h2 id="waiting">Needs you</h2>
        ${this.#renderLink({ place: 'inbox' }, all)}
      </header>
      <ul>
        ${this.entries.slice(0, most).map((entry) => html`<li>${this.#renderPrompt(entry)}</li>`)}
      </ul>
    </section>`;
  }

  #renderPrompt(entry: InboxEntry) {
    const { sessionId, interaction, votes = { approve: 0, deny: 0 }, ownVote } = entry;
    const { interactionId, risk } = interaction;
    return this.#renderLink(
      { sessionId, interactionId },
      html`<span class="dot"></span><span class="heading">${renderUntrusted(headingOf(interaction))}</span>
        <span class="where">${risk === 'high' ? html`<span class="high">${riskLabels.high}</span> · ` : nothing}${needsVotes(interaction) ? `${describeVotes(interaction, votes, ownVote)} · ` : nothing}${renderUntrusted(this.titleOf(entry))}</span>`,
    );
  }

  #renderLink(route: Route, content: unknown) {
    return html`<a href=${pathOf(route)} @click=${(event: MouseEvent) => this.#go(event, route)}>${content}</a>`;
  }

  #go(event: MouseEvent, route: Route): void {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return; // opens a new tab, as with any link
    event.preventDefault();
    this.dispatchEvent(new CustomEvent('parley-go', { detail: route, bubbles: true, composed: true }));
  }
}
