import type { ParleyClient } from '@parleyhq/client';
import { type Answer, describeResponse, type InboxEntry, type InteractionRequest, type Session } from '@parleyhq/core';
import { html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import { repeat } from 'lit/directives/repeat.js';
import { homeOf, keysOf } from '../browser/embedding.ts';
import { isFocusLost, isInDialog, isShortcut } from '../browser/focus.ts';
import { goTo, pathOf } from '../browser/route.ts';
import type { BatchResults } from '../dialogs/batch-bar.ts';
import type { JointAnswer } from '../dialogs/review-dialog.ts';
import { PopOut } from '../prompt/pop-out.ts';
import { headingOf, riskLabels, subjectLine } from '../prompt/words.ts';
import { type Delay, reckonReturn } from './delay.ts';
import { explainEmpty } from './empty-words.ts';
import { findOwnPrompts, isNeeding } from './own-prompts.ts';
import '../dialogs/batch-bar.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { formatTime, formatWait } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { hasRoomForCard } from './card-room.ts';
import { HeldSessions } from './held-sessions.ts';
import type { AnsweredEvent, InboxCard } from './inbox-card.ts';
import './inbox-card.ts';
import './inbox-filter.ts';
import { findApprovals, fits, type InboxFilter, keepOrder, noFilter } from './inbox-rows.ts';
import { renderOthers, renderSnoozed, renderVoted } from './inbox-sections.ts';
import { inboxStyles } from './inbox-styles.ts';
import { keyOf, snoozed } from './snooze.ts';
import { describeVote, findNextEnd, renderTeam, type TeamView } from './team-words.ts';

/** How old the shown waiting times may get, in ms. */
const agingMs = 20_000;

const noBatch = { action: 'approve', results: [] as BatchResults } as const;

/** Describes in a word or two what somebody has just done with a prompt. */
function describeAnswer({ interaction }: InboxEntry, answer: Answer): string {
  return answer.action === 'submit' ? 'Answered' : describeResponse(interaction, answer);
}

/** The prompts that this person may answer, from all sessions, as a list to work through (WEB8). */
@customElement('parley-inbox-page')
export class InboxPage extends LitElement {
  static override styles = [base, controls, inboxStyles];

  @property({ attribute: false }) client!: ParleyClient;
  /** Whether the inbox is the upper part of another page. */
  @property({ type: Boolean, reflect: true }) isPart = false;

  /** Whether the inbox is the page's main view, where the card stands next to the list if there is room. */
  @property({ type: Boolean }) isMain = false;

  /** Whether the first card has its height. Until then nothing below it is shown, because it would move. */
  @property({ type: Boolean, reflect: true }) isSteady = false;

  @state() private filter = noFilter;
  /** Key of the prompt whose card is open. */
  @state() private current = '';
  /** What became of the last prompt, and the prompt if its receipt can be shown. */
  @state() private news: { readonly words: string; readonly of?: InboxEntry } | undefined;
  @state() private batch: { readonly action: 'approve' | 'deny' | string; readonly results: BatchResults } = noBatch;
  #order: readonly string[] = [];
  #listed: readonly InboxEntry[] = [];
  /** The prompt that was answered here, until the server reports it as settled. */
  #answered: { readonly key: string; readonly answer?: Answer; readonly hadFocus: boolean } = {
    key: '',
    hadFocus: false,
  };
  #wantsFocus = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stop: (() => void) | undefined;
  readonly #held = new HeldSessions();

  override connectedCallback(): void {
    super.connectedCallback();
    const abort = new AbortController();
    const options = { signal: abort.signal, capture: true }; // to handle `n` before the page does
    keysOf(this).addEventListener('keydown', (event) => this.#press(event as KeyboardEvent), options);
    const redraw = () => this.requestUpdate();
    const stops = [this.client.subscribe(redraw), snoozed.watch(redraw)];
    hasRoomForCard.addEventListener('change', redraw, { signal: abort.signal });
    this.#stop = () => {
      abort.abort();
      for (const stop of stops) stop();
      clearTimeout(this.#timer);
      this.#held.releaseOthers(new Set());
    };
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
  }

  protected override willUpdate(): void {
    const own = findOwnPrompts(this.client.state);
    this.#order = keepOrder(this.#order, own);
    this.#held.releaseOthers(new Set(own.map(keyOf)));
    const places = new Map(this.#order.map((key, n) => [key, n]));
    const placeOf = (entry: InboxEntry) => places.get(keyOf(entry)) ?? 0;
    const before = this.#listed;
    this.#listed = own
      .filter((entry) => fits(entry, this.filter) && isNeeding(entry))
      .sort((a, b) => placeOf(a) - placeOf(b));
    if (this.client.state.welcome && this.#listed.length === 0) this.isSteady = true;
    this.#awaitClaims();
    if (this.#listed.some((entry) => keyOf(entry) === this.current)) return;
    this.#leave(before, own);
  }

  protected override updated(): void {
    this.toggleAttribute('wide', this.#isWide);
    if (!this.#wantsFocus) return;
    this.#wantsFocus = false;
    if (this.#card) this.#card.focus();
    else this.focus(); // after the last one the focus goes to the top
  }

  override render() {
    const { state } = this.client;
    const own = findOwnPrompts(state);
    const approvals = findApprovals(this.#listed);
    const open = this.#isWide ? this.#listed.find((entry) => keyOf(entry) === this.current) : undefined;
    return html`<div class="column">
      <header>
        ${this.#renderHeading()}
        <parley-inbox-filter
          .entries=${own}
          .filter=${this.filter}
          .titleOf=${(entry: InboxEntry) => this.#titleOf(entry)}
          @parley-filter=${(event: CustomEvent<InboxFilter>) => {
            this.filter = event.detail;
          }}
        ></parley-inbox-filter>
      </header>
      ${this.#isWide ? nothing : this.#renderNews()}
      ${
        state.isInteractive
          ? html`<parley-batch
              .requests=${[...approvals.keys()]}
              .results=${this.batch.results}
              action=${this.batch.action}
              .placeOf=${this.#placeOf}
              @parley-all=${(event: JointAnswer) => this.#respondAll(event, approvals)}
              @parley-read=${() => {
                this.batch = noBatch;
              }}
            ></parley-batch>`
          : nothing
      }
      ${this.#listed.length === 0 ? this.#renderEmpty(own) : nothing}
      <ol @parley-answered=${this.#noteAnswer}>
        ${repeat(this.#listed, keyOf, (entry) => this.#renderPrompt(entry))}
      </ol>
      ${state.olderOpen > 0 ? html`<p class="note">${state.olderOpen} older ${state.olderOpen === 1 ? 'prompt is' : 'prompts are'} open, too.</p>` : nothing}
      ${renderVoted(own, homeOf(this))} ${this.#renderSnoozed(own)} ${this.isPart ? nothing : renderOthers(this.#findOthers(own), homeOf(this))}
    </div>
    ${this.#isWide ? html`<div class="column detail" @parley-answered=${this.#noteAnswer}>${this.#renderNews()} ${open && keyed(this.current, this.#renderCard(open))}</div>` : nothing}`;
  }

  #renderNews() {
    const { words, of } = this.news ?? {};
    return html`<div class="news"><span role="status">${words ? renderUntrusted(words) : nothing}</span>${of ? this.#renderLink(of, 'Show') : nothing}</div>`;
  }

  /** Renders a link to a prompt in its session. */
  #renderLink(entry: InboxEntry, face: unknown) {
    const { sessionId, interaction } = entry;
    const path = `${homeOf(this)}${pathOf({ sessionId, interactionId: interaction.interactionId })}`;
    return html`<a href=${path} @click=${(event: MouseEvent) => this.#go(event, entry)}>${face}</a>`;
  }

  #renderHeading() {
    const words = this.#listed.length > 0 ? html`Needs you <span>${this.#listed.length}</span>` : html`Needs you`;
    return this.isPart
      ? html`<h2 class="title" tabindex="-1">${words}</h2>`
      : html`<h1 class="title" tabindex="-1">${words}</h1>`;
  }

  #renderEmpty(own: readonly InboxEntry[]) {
    const { welcome, isInteractive } = this.client.state;
    if (!welcome) return nothing;
    const forOthers = this.#findOthers(own).length;
    const { words, note } = explainEmpty({
      principal: welcome.principal,
      hidden: own.length,
      forOthers,
      isInteractive,
    });
    return html`<div class="empty">
      <p>${words}</p>
      <p class="note">${note}</p>
    </div>`;
  }

  #renderPrompt(entry: InboxEntry) {
    const { interaction, pending } = entry;
    const { risk } = interaction;
    const key = keyOf(entry);
    const isOpen = key === this.current;
    if (!isOpen || this.#isWide) {
      const subject = subjectLine(interaction);
      return html`<li>
        <button class="row" aria-current=${isOpen ? 'true' : nothing} @click=${() => this.#choose(key)}>
          <span class="dot"></span><span class="heading">${renderUntrusted(headingOf(interaction))}</span
          ><span class="age">${formatWait(entry, this.client.now())}</span>
          <span class="meta"
            >${subject && html`<code>${renderUntrusted(subject)}</code> · `}${this.#renderWhere(entry)}<span class="rest">${risk === 'high' ? html` · <span class="risk high">${riskLabels.high}</span>` : nothing}${pending ? ' · continued, still open' : nothing}</span></span
          >${renderTeam(entry, this.#team)}
        </button>
      </li>`;
    }
    return html`<li class="current">${this.#renderCard(entry)}</li>`;
  }

  #renderWhere(entry: InboxEntry) {
    return html`<span class="where">${renderUntrusted(this.#titleOf(entry))}</span>`;
  }

  #renderCard(entry: InboxEntry) {
    if (!this.client.state.welcome) return nothing;
    return html`<parley-inbox-card
        exportparts="card"
        .client=${this.client}
        .entry=${entry}
        sessionId=${entry.sessionId}
        @parley-loaded=${() => {
          this.isSteady = true;
        }}
      >
      <div class="actions">
        ${this.#renderLink(entry, this.#renderWhere(entry))}
        <span class="later" role="group" aria-label="Not now">
          <span>Not now:</span>
          <button class="plain" @click=${() => this.#snooze(entry, 'hour')}>1 hour</button>
          <button class="plain" @click=${() => this.#snooze(entry, 'tomorrow')}>Tomorrow</button>
        </span>
      </div></parley-inbox-card>`;
  }

  /** Whether the card stands next to the list instead of in it. */
  get #isWide(): boolean {
    return hasRoomForCard.matches && this.isMain && this.#listed.length > 0;
  }

  #renderSnoozed(own: readonly InboxEntry[]) {
    const now = Date.now();
    const later = own.flatMap((entry) => {
      const until = snoozed.untilOf(keyOf(entry), now);
      return until === undefined || entry.ownVote ? [] : [{ entry, until }];
    });
    return renderSnoozed(later, (entry) => this.#wake(entry));
  }

  /** Returns the sessions that wait for somebody else. */
  #findOthers(own: readonly InboxEntry[]): readonly Session[] {
    const mine = new Set(own.map(({ sessionId }) => sessionId));
    return this.client.state.sessions.filter(({ id, status }) => status === 'waiting' && !mine.has(id));
  }

  get #team(): TeamView {
    const { claims, welcome } = this.client.state;
    return { claims, principal: welcome?.principal, now: this.client.now() };
  }

  get #card(): InboxCard | null {
    return this.renderRoot.querySelector('parley-inbox-card');
  }

  readonly #placeOf = (request: InteractionRequest): string => {
    const entry = this.#listed.find(({ interaction }) => interaction === request);
    return entry ? this.#titleOf(entry) : '';
  };

  #titleOf({ sessionId, sessionTitle }: InboxEntry): string {
    return this.client.state.sessions.find(({ id }) => id === sessionId)?.title ?? sessionTitle ?? 'Another session';
  }

  /** The open prompt left the list: opens the prompt that replaced it, otherwise the next one, and reports how it ended. */
  #leave(before: readonly InboxEntry[], own: readonly InboxEntry[]): void {
    const left = before.find((entry) => keyOf(entry) === this.current);
    const isAnswered = this.#answered.key === this.current;
    const heir = this.#listed.find(
      ({ sessionId, interaction }) =>
        sessionId === left?.sessionId && interaction.replaces === left.interaction.interactionId,
    );
    const place = this.#order.indexOf(this.current);
    const follower = this.#listed.find((entry) => this.#order.indexOf(keyOf(entry)) > place);
    const next = heir ?? follower ?? this.#listed.at(-1);
    const still = own.find((entry) => keyOf(entry) === this.current);
    if (left && !heir && !still) {
      const { answer } = this.#answered;
      const words = isAnswered && answer ? describeAnswer(left, answer) : 'No longer open';
      this.news = { words: `${words}: ${headingOf(left.interaction)}`, of: left };
    } else if (still?.ownVote)
      this.news = { words: `${describeVote(still.ownVote)}: ${headingOf(still.interaction)}`, of: still };
    const isFree = isFocusLost(); // a form loses the focus while it is sent
    this.#wantsFocus =
      left !== undefined && (this.matches(':focus-within') || (isAnswered && this.#answered.hadFocus && isFree));
    this.current = next ? keyOf(next) : '';
  }

  #noteAnswer({ detail: answer }: AnsweredEvent): void {
    this.#answered = { key: this.current, answer, hadFocus: this.matches(':focus-within') };
  }

  /** Focuses the heading, where people begin who come from elsewhere. */
  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('.title')?.focus();
  }

  /** Sends a choice that could still be undone, before its card is left. */
  sendChosen(): void {
    this.#card?.sendChosen();
  }

  #choose(key: string): void {
    if (key !== this.current) this.sendChosen();
    this.current = key;
    this.#wantsFocus = true;
  }

  #move(step: 1 | -1): void {
    const { length } = this.#listed;
    if (length === 0) return;
    const at = this.#listed.findIndex((entry) => keyOf(entry) === this.current);
    const isInside = this.matches(':focus-within');
    const next = this.#listed.at(isInside ? (at + step) % length : at);
    if (next) this.#choose(keyOf(next));
    this.requestUpdate();
  }

  #press(event: KeyboardEvent): void {
    // an open sheet shows the card itself, so shortcuts work in it
    const isInSheet = event.composedPath().some((target) => target instanceof PopOut);
    if (!isShortcut(event) || (isInDialog(event) && !isInSheet)) return;
    if (event.key === 'j' || event.key === 'n') this.#move(1);
    else if (event.key === 'k') this.#move(-1);
    else return;
    event.preventDefault();
  }

  #snooze(entry: InboxEntry, delay: Delay): void {
    const now = Date.now();
    const { expiresAt } = entry.interaction;
    const leftMs = expiresAt === undefined || entry.pending ? undefined : Date.parse(expiresAt) - this.client.now();
    const until = reckonReturn(delay, now, leftMs);
    snoozed.snooze(keyOf(entry), until, now);
    this.news = {
      words: `Put off until ${formatTime(new Date(until).toISOString())}: ${headingOf(entry.interaction)}`,
    };
  }

  #wake(entry: InboxEntry): void {
    snoozed.wake(keyOf(entry));
    this.news = undefined;
    this.#choose(keyOf(entry));
  }

  /** Renders again when a claim on a prompt ends, and often enough for the waiting times. */
  #awaitClaims(): void {
    clearTimeout(this.#timer);
    const leftMs = findNextEnd(this.#listed, this.#team) ?? agingMs;
    if (this.#listed.length > 0) this.#timer = setTimeout(() => this.requestUpdate(), Math.min(leftMs, agingMs));
  }

  async #respondAll({ detail }: JointAnswer, approvals: ReadonlyMap<InteractionRequest, string>): Promise<void> {
    const { requests, answer } = detail;
    const results = requests.map((request) =>
      this.#held.respond(this.client, approvals.get(request) ?? '', request, answer),
    );
    this.batch = { action: answer.action, results: await Promise.all(results) };
  }

  #go(event: MouseEvent, { sessionId, interaction }: InboxEntry): void {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return; // opens a new tab, as with any link
    event.preventDefault();
    goTo({ sessionId, interactionId: interaction.interactionId });
  }
}
