import type { InboxEntry, Session } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { pathOf, type Route } from '../page/route.ts';
import { headingOf } from '../prompt/words.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from '../ui/icons.ts';
import { formatAge } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/**
 * The prompts of all sessions that this person may answer, and the sessions with their status in words.
 * @fires parley-go - a session or prompt to show
 * @fires parley-new - the person wants a new session
 * @fires parley-more - the person wants older sessions
 */
@customElement('parley-sessions')
export class SessionList extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: flex;
        flex-direction: column;
        gap: 1rem;
        min-height: 0;
        padding: 0.85rem 0.75rem;
        overflow-y: auto;
      }
      .brand {
        display: flex;
        align-items: center;
        justify-content: space-between;
        padding-left: 0.5rem;
        font-weight: 600;
        letter-spacing: -0.01em;
        font-size: 1.0625rem;
      }
      h2 {
        font-size: 0.75rem;
        font-weight: 600;
        color: var(--ink-3);
        padding: 0 0.5rem 0.3rem;
      }
      ul {
        display: grid;
        gap: 1px;
      }
      a {
        display: grid;
        gap: 0.05rem;
        padding: 0.45rem 0.6rem;
        border-radius: var(--r-control);
        color: var(--ink);
        text-decoration: none;
      }
      a:hover {
        background: var(--hover);
      }
      a[aria-current="page"] {
        background: var(--hover);
        font-weight: 600;
      }
      .title {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        font-size: 0.875rem;
      }
      .status {
        font-size: 0.75rem;
        font-weight: 400;
        color: var(--ink-3);
        display: flex;
        align-items: center;
        gap: 0.35rem;
      }
      .status::before {
        content: "";
        width: 0.4rem;
        height: 0.4rem;
        border-radius: 99px;
        background: var(--line-strong);
        opacity: 0.5;
      }
      .status.waiting {
        color: var(--amber);
        font-weight: 600;
      }
      .status.waiting::before {
        background: var(--amber);
        opacity: 1;
      }
      .status.running::before {
        background: var(--accent);
        opacity: 1;
      }
      @media (forced-colors: active) {
        .status::before {
          forced-color-adjust: none;
          background: CanvasText;
        }
        .status.waiting::before {
          background: Highlight;
        }
      }
      .status b {
        color: var(--danger);
        font-weight: 600;
      }
      .inbox a {
        background: var(--sunken);
      }
      .inbox ul {
        max-height: 38vh;
        overflow-y: auto;
      }
      .inbox li + li {
        margin-top: 3px;
      }
      .inbox .where {
        font-size: 0.75rem;
        color: var(--ink-2);
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
    `,
  ];

  @property({ attribute: false }) sessions: readonly Session[] = [];
  /** The open prompts that this person may answer. */
  @property({ attribute: false }) inbox: readonly InboxEntry[] = [];
  /** Open prompts that are not in the inbox. */
  @property({ type: Number }) olderOpen = 0;
  @property() currentId = '';
  @property({ attribute: false }) now = 0;
  @property({ type: Boolean }) hasMore = false;

  override render() {
    return html`<div class="brand">
        <span>Parley</span>
        <button class="icon" aria-label="New session" title="New session" @click=${() => this.#fire('parley-new')}>
          ${icons.plus}
        </button>
      </div>
      ${this.inbox.length > 0 ? this.#renderInbox() : nothing}
      <nav aria-labelledby="sessions">
        <h2 id="sessions">Sessions</h2>
        ${this.sessions.length === 0 ? html`<p class="status">None yet</p>` : nothing}
        <ul>
          ${repeat(
            this.sessions,
            ({ id }) => id,
            (session) => html`<li>${this.#renderSession(session)}</li>`,
          )}
        </ul>
        ${this.hasMore ? html`<button class="plain" @click=${() => this.#fire('parley-more')}>Older sessions</button>` : nothing}
      </nav>`;
  }

  #renderInbox() {
    return html`<section class="inbox" aria-labelledby="inbox">
      <h2 id="inbox">Needs you</h2>
      <ul>
        ${repeat(
          this.inbox,
          ({ sessionId, interaction }) => `${sessionId} ${interaction.interactionId}`,
          ({ sessionId, sessionTitle, interaction, pending }) => html`<li>
            ${this.#renderLink(
              { sessionId, interactionId: interaction.interactionId },
              html`<span class="title">${renderUntrusted(headingOf(interaction))}</span>
                <span class="where">${pending ? 'continued, still open · ' : ''}${this.#titleOf(sessionId, sessionTitle)}</span>`,
            )}
          </li>`,
        )}
      </ul>
      ${this.olderOpen > 0 ? html`<p class="status">${this.olderOpen} older ${this.olderOpen === 1 ? 'prompt is' : 'prompts are'} open, too</p>` : nothing}
    </section>`;
  }

  #renderSession({ id, title, status, openCount, updatedAt, permissionMode }: Session) {
    const [word, style] = this.inbox.some(({ sessionId }) => sessionId === id)
      ? ['needs you', 'waiting']
      : openCount > 0 || status === 'waiting'
        ? ['waiting for an answer', '']
        : status === 'running'
          ? ['running', 'running']
          : [`idle · ${formatAge(updatedAt, this.now)}`, ''];
    return this.#renderLink(
      { sessionId: id },
      html`<span class="title">${renderUntrusted(title)}</span><span class="status ${style}">${word}${permissionMode === 'bypassPermissions' ? html` · <b>never asks</b>` : nothing}</span>`,
    );
  }

  #renderLink(route: Route, content: unknown) {
    const isCurrent = route.sessionId === this.currentId && route.interactionId === undefined;
    return html`<a
      href=${pathOf(route)}
      aria-current=${isCurrent ? 'page' : nothing}
      @click=${(event: MouseEvent) => this.#go(event, route)}
      >${content}</a
    >`;
  }

  /** As the session is called now, if it is in the list. */
  #titleOf(sessionId: string, then: string | undefined) {
    return renderUntrusted(this.sessions.find(({ id }) => id === sessionId)?.title ?? then ?? 'another session');
  }

  #go(event: MouseEvent, route: Route): void {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return; // opens a new tab, as with any link
    event.preventDefault();
    this.#fire('parley-go', route);
  }

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}
