import type { ParleyClient } from '@parleyhq/client';
import type { InboxEntry, Session } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { isComposing } from '../browser/focus.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from '../ui/icons.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { SessionFinder } from './session-finder.ts';
import './session-list.ts';

/** How many archived sessions are requested at once. */
const pageLength = 100;

/** The search field above the list of sessions, and the archived sessions below that list. */
@customElement('parley-search')
export class SessionSearch extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: grid;
        grid-template: auto minmax(0, 1fr) / minmax(0, 1fr);
        min-height: 0;
      }
      .field {
        position: relative;
        padding: var(--s1) var(--s3) var(--s3);
      }
      .field svg {
        position: absolute;
        inset: 50% auto auto calc(var(--s3) + var(--s2));
        translate: 0 calc(-50% - var(--s1));
        color: var(--ink-3);
        pointer-events: none;
      }
      .field input {
        padding-inline: 2rem var(--s2);
        border-color: var(--line);
        background: var(--surface);
        font: 400 var(--text-secondary) var(--sans);
      }
      @media (pointer: coarse) {
        .field input {
          font-size: 1rem;
        }
      }
      .field input::-webkit-search-cancel-button {
        display: none;
      }
      .room {
        min-height: 0;
        overflow-y: auto;
        scroll-padding-block: var(--s4); /* keeps focused elements clear of the message box */
      }
      .note {
        padding: var(--s1) var(--s4) var(--s3);
        font: 400 var(--text-meta) var(--sans);
        color: var(--ink-3);
      }
      button.away {
        margin: 0 var(--s2) var(--s3);
        padding-inline: calc(var(--s2) - 1px); /* aligns the text inside its border with the headings */
        font: 500 var(--text-meta) var(--sans);
        color: var(--ink-3);
      }
    `,
  ];

  @property({ attribute: false }) client!: ParleyClient;
  @property({ attribute: false }) inbox: readonly InboxEntry[] = [];
  @property() currentId = '';
  @property({ attribute: false }) now = 0;

  /** The archived sessions loaded so far; undefined while they are hidden. */
  @state() private away: readonly Session[] | undefined;
  @state() private hasMoreAway = false;
  @state() private failure = '';
  @query('input') private input!: HTMLInputElement;
  readonly #finder = new SessionFinder(this);

  override render() {
    return html`<div class="field">
        ${icons.search}<input
          type="search"
          aria-label="Find a session"
          placeholder="Find a session"
          autocomplete="off"
          enterkeyhint="search"
          dir="auto"
          @input=${() => this.#finder.find(this.input.value)}
          @keydown=${this.#press}
        />
      </div>
      <div class="room">${this.#finder.query === '' ? this.#renderAll() : this.#renderFound()}</div>`;
  }

  #renderAll() {
    const away = this.away && this.#withNews(this.away);
    return html`<slot></slot>
      ${away && away.length > 0 ? this.#renderList('Archived', away, this.hasMoreAway) : nothing}
      ${away?.length === 0 ? html`<p class="note" role="status">Nothing is archived.</p>` : nothing}
      ${this.failure ? html`<p class="note" role="alert">${renderUntrusted(this.failure)}</p>` : nothing}
      <button class="plain away" aria-expanded=${away !== undefined} @click=${this.#toggleAway}>
        ${away ? 'Hide archived' : 'Archived'}
      </button>`;
  }

  #renderFound() {
    const { found, isComplete, failure } = this.#finder;
    const { current, archived } = found;
    const isNothing = current.length + archived.length === 0;
    return html`${current.length > 0 ? this.#renderList('Found', current) : nothing}
      ${archived.length > 0 ? this.#renderList('Archived', archived) : nothing}
      <p class="note" role="status">${isNothing && isComplete ? 'No session is called that.' : isComplete || failure ? nothing : 'Searching …'}</p>
      ${failure ? html`<p class="note" role="alert">${renderUntrusted(failure)}</p>` : nothing}`;
  }

  /** Brings the loaded archive up to date: sessions changed, deleted or archived since then. */
  #withNews(away: readonly Session[]): readonly Session[] {
    const known = this.client.state.sessions;
    const all = new Map([...this.#finder.withoutDeleted(away), ...known].map((session) => [session.id, session]));
    const last = this.hasMoreAway ? away.at(-1) : undefined;
    return [...all.values()]
      .filter(({ archived, updatedAt }) => archived && (!last || updatedAt >= last.updatedAt))
      .sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  }

  #renderList(heading: string, sessions: readonly Session[], hasMore = false) {
    const ids = new Set(sessions.map(({ id }) => id));
    return html`<parley-sessions
      heading=${heading}
      .sessions=${sessions}
      .inbox=${this.inbox.filter(({ sessionId }) => ids.has(sessionId))}
      currentId=${this.currentId}
      .now=${this.now}
      ?hasMore=${hasMore}
      @parley-more=${this.#loadMoreAway}
    ></parley-sessions>`;
  }

  async #toggleAway(): Promise<void> {
    if (this.away) this.away = undefined;
    else await this.#loadAway();
  }

  async #loadMoreAway(event: Event): Promise<void> {
    event.stopPropagation(); // otherwise the page would load more of its own list, too
    await this.#loadAway(this.away?.at(-1));
  }

  /** Loads the newest archived sessions, or the next ones after `last`. */
  async #loadAway(last?: Session): Promise<void> {
    this.failure = '';
    const from = last && { before: `${last.updatedAt}/${last.id}` };
    try {
      const sessions = await this.client.findSessions({ archived: true, limit: pageLength, ...from });
      this.away = [...(last ? (this.away ?? []) : []), ...sessions];
      this.hasMoreAway = sessions.length === pageLength;
    } catch (error) {
      this.failure = (error as Error).message;
    }
  }

  /** Escape empties the field; Enter opens the first session found. */
  #press(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    if (event.key === 'Escape' && this.#finder.query !== '') {
      event.preventDefault();
      this.input.value = '';
      this.#finder.find('');
    }
    if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
    const first = this.renderRoot
      .querySelector('.room parley-sessions')
      ?.shadowRoot?.querySelector<HTMLAnchorElement>('li a');
    if (this.#finder.query === '' || !first) return;
    event.preventDefault();
    if (event.key === 'Enter') first.click();
    else first.focus();
  }
}
