import type { InboxEntry, Session } from '@parleyhq/core';
import { html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { pathOf, type Route } from '../browser/route.ts';
import { groupBySession, type WaitingSession } from '../inbox/own-prompts.ts';
import { headingOf, tellApart } from '../prompt/words.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from '../ui/icons.ts';
import { formatAge, formatWait } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { sessionListStyles } from './session-list-styles.ts';

/** How many prompts of one session are listed; the rest are shown as a number. */
const mostPrompts = 3;

/**
 * The list of sessions: first those with prompts that this person may answer, then the others, newest first.
 * @fires parley-go - a session or prompt to show
 * @fires parley-more - load older sessions
 */
@customElement('parley-sessions')
export class SessionList extends LitElement {
  static override styles = [base, controls, sessionListStyles];

  /** Undefined until the server has sent the list. */
  @property({ attribute: false }) sessions: readonly Session[] | undefined;
  /** Open prompts that wait for this person. */
  @property({ attribute: false }) inbox: readonly InboxEntry[] = [];
  /** Number of open prompts that the inbox leaves out because they are older. */
  @property({ type: Number }) olderOpen = 0;
  /** Heading above the sessions that need nothing from this person. */
  @property() heading = 'Recent';
  @property() currentId = '';
  @property({ attribute: false }) now = 0;
  @property({ type: Boolean }) hasMore = false;
  /** How prompts are shown: as rows, or as a link to the inbox if that lists them itself, or not at all below it. */
  @property({ attribute: false }) prompts: 'rows' | 'link' | 'none' = 'rows';

  /** The chosen session and its group, once its row was brought into view. */
  #seen = '';

  /** Brings the row of the chosen session into view when it is chosen, or moves to the prompts. */
  protected override updated(): void {
    const row = this.renderRoot.querySelector('[aria-current]');
    const seen = row ? `${this.currentId} ${row.closest('.inbox') !== null}` : '';
    if (row && seen !== this.#seen) this.#bringIntoView(row);
    this.#seen = seen;
  }

  /** Scrolls the list alone: `scrollIntoView` would also scroll the page around it. */
  #bringIntoView(row: Element): void {
    const [own, list] = [row.getBoundingClientRect(), this.getBoundingClientRect()];
    this.scrollTop += Math.min(0, own.top - list.top) + Math.max(0, own.bottom - list.bottom);
  }

  /** Focuses the row of a session, or the first one. */
  focusRow(sessionId: string): void {
    const rows = [...this.renderRoot.querySelectorAll<HTMLAnchorElement>('li a')];
    (rows.find((row) => row.pathname.startsWith(pathOf({ sessionId }))) ?? rows[0])?.focus();
  }

  override render() {
    if (!this.sessions) return [1, 2, 3, 4].map(() => html`<div class="ghost"></div>`);
    const waiting = groupBySession(this.inbox);
    const ids = new Set(waiting.map(({ sessionId }) => sessionId));
    const others = this.sessions.filter(({ id }) => this.prompts !== 'rows' || !ids.has(id));
    const isAtHand = ({ pinned, archived }: Session) => pinned && !archived;
    const pinned = others.filter(isAtHand);
    const recent = others.filter((session) => !isAtHand(session));
    return html`${waiting.length > 0 && this.prompts !== 'none' ? this.#renderInbox(waiting) : nothing}
      ${pinned.length > 0 ? this.#renderGroup('Pinned', pinned) : nothing}
      ${recent.length > 0 || ids.size + pinned.length === 0 ? this.#renderGroup(this.heading, recent) : nothing}
      ${this.hasMore ? html`<button class="plain more" @click=${() => this.#fire('parley-more')}>Older sessions</button>` : nothing}`;
  }

  #renderGroup(name: string, sessions: readonly Session[]) {
    return html`<nav aria-labelledby=${name}>
      <h2 id=${name}>${name}</h2>
      ${sessions.length === 0 ? html`<p class="note">Sessions appear here.</p>` : nothing}
      <ul>
        ${repeat(
          sessions,
          ({ id }) => id,
          (session) => html`<li>${this.#renderSession(session)}</li>`,
        )}
      </ul>
    </nav>`;
  }

  /** The heading is a link to the inbox, where all prompts can be worked through. */
  #renderHeading() {
    const route: Route = { place: 'inbox' };
    return html`<a href=${pathOf(route)} @click=${(event: MouseEvent) => this.#go(event, route)}>Needs you · ${this.inbox.length}${icons.right}</a>`;
  }

  #renderInbox(waiting: readonly WaitingSession[]) {
    return html`<section class="inbox" aria-labelledby="inbox">
      <h2 id="inbox">${this.#renderHeading()}</h2>
      ${
        this.prompts === 'link'
          ? nothing
          : html`<ul>${repeat(
              waiting,
              ({ sessionId }) => sessionId,
              (each) => this.#renderWaiting(each),
            )}</ul>`
      }
      ${this.olderOpen > 0 ? html`<p class="note">${this.olderOpen} older ${this.olderOpen === 1 ? 'prompt is' : 'prompts are'} open, too</p>` : nothing}
    </section>`;
  }

  /** The row of the first prompt also shows the session's title; further prompts get rows of their own. */
  #renderWaiting({ sessionId, title, prompts }: WaitingSession) {
    const session = this.sessions?.find(({ id }) => id === sessionId);
    const surplus = prompts.length - mostPrompts;
    const apart = tellApart(prompts.map(({ interaction }) => interaction));
    return html`${prompts.slice(0, mostPrompts).map(
      ({ interaction, pending }, n) => html`<li>
        ${this.#renderLink(
          { sessionId, interactionId: interaction.interactionId },
          html`${
            n > 0
              ? nothing
              : html`<span class="dot waiting"></span><span class="title">${renderUntrusted(session?.title ?? title ?? 'Another session')}</span>
                  <span class="when">${this.#renderMode(session)}${prompts[0] && formatWait(prompts[0], this.now)}</span>`
          }<span class="prompt">${pending ? 'Continued, still open · ' : ''}${interaction.risk === 'high' ? html`<i class="high">High risk</i> · ` : nothing}${apart[n] ? html`<b>${renderUntrusted(apart[n])}</b> · ` : nothing}${renderUntrusted(headingOf(interaction))}</span>`,
          n === 0,
        )}
      </li>`,
    )}${surplus > 0 ? html`<li>${this.#renderLink({ sessionId }, html`<span class="prompt">${surplus} more</span>`, false)}</li>` : nothing}`;
  }

  #renderSession(session: Session) {
    const { id, title, status, openCount, updatedAt } = session;
    const isWaiting = openCount > 0 || status === 'waiting';
    const isOwn = this.inbox.some(({ sessionId }) => sessionId === id);
    const waiting = isOwn ? 'needs you' : openCount > 0 ? 'waiting' : 'for others'; // waiting: voted on or postponed
    const words = isWaiting ? waiting : status === 'running' ? 'working' : formatAge(updatedAt, this.now);
    return this.#renderLink(
      { sessionId: id },
      html`<span class="dot ${isOwn ? 'waiting' : isWaiting ? '' : status}"></span><span class="title">${renderUntrusted(title)}</span>
        <span class="when">${this.#renderMode(session)}${words}</span>`,
      true,
    );
  }

  /** Marks a session that runs without asking, wherever it is listed. */
  #renderMode(session: Session | undefined) {
    return session?.permissionMode === 'bypassPermissions' ? html`<b>never asks</b> · ` : nothing;
  }

  #renderLink(route: Route, content: unknown, isFirst: boolean) {
    const isCurrent = isFirst && route.sessionId === this.currentId;
    return html`<a
      href=${pathOf(route)}
      aria-current=${isCurrent ? 'page' : nothing}
      @click=${(event: MouseEvent) => this.#go(event, route)}
      >${content}</a
    >`;
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
