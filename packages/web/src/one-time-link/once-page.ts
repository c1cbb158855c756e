import type { SentAnswer } from '@parleyhq/client';
import {
  type Answer,
  type AnswerReply,
  describeResponse,
  type InteractionRequest,
  isRecord,
  type Principal,
  type SessionId,
} from '@parleyhq/core';
import { html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { OneTimePage } from '../browser/one-time.ts';
import { applyTheme } from '../browser/theme.ts';
import type { Chain } from '../prompt/chain.ts';
import type { RespondEvent } from '../prompt/interaction-card.ts';
import type { Viewer } from '../prompt/viewer.ts';
import '../prompt/interaction-card.ts';
import '../form/interaction-form.ts';
import '../prompt/countdown.ts';
import '../prompt/pop-out.ts';
import { headingOf } from '../prompt/words.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { plainPage } from './plain-page.ts';

/** What the server returns for a key: see `POST /api/once` in docs/protocol.md. */
interface Opened {
  readonly sessionId: SessionId;
  readonly sessionTitle: string;
  readonly principal: Principal;
  readonly interaction: InteractionRequest;
  readonly timestamp: string;
  /** The server's time, in milliseconds. */
  readonly now: number;
}

interface Card {
  readonly opened: Opened;
  readonly chain: Chain;
  readonly viewer: Viewer;
}

const noKey = 'Open the link in your mail again: this address alone opens nothing.';

/** The link cannot be used any more. */
class OverError extends Error {}

/** Error codes after which no other answer can succeed. */
const over = new Set([
  'closed',
  'already_answered',
  'idempotency_conflict',
  'forbidden',
  'unauthorised',
  'not_found',
  'stale',
]);

/** The page of a one-time link: one prompt, for one person. Opening it answers nothing; that takes a click on a button (NTF3). */
@customElement('parley-once')
export class OncePage extends LitElement implements OneTimePage {
  static override styles = [base, controls, plainPage];

  @state() private card: Card | undefined;
  @state() private sent: SentAnswer | undefined;
  /** The server's reply to the accepted answer. */
  @state() private taken: AnswerReply | undefined;
  @state() private failure: Error | undefined;
  #key = '';

  /** Also authorises the uploads of the form's files. */
  get oneTimeKey(): string {
    return this.#key;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    applyTheme();
    this.#key = location.hash.slice(1);
    history.replaceState(null, '', location.pathname); // keeps the key out of the browser's history
    void this.#open();
  }

  override render() {
    return html`<main aria-busy=${!this.card && !this.failure}>
      <h1><img src="/icon.svg" width="24" height="24" alt="" />Parley</h1>
      ${this.failure ? this.#renderFailure(this.failure) : this.taken ? this.#renderTaken(this.taken) : this.card ? this.#renderCard(this.card) : nothing}
      <p><a href="/">Open Parley</a> to see everything that waits for you.</p>
    </main>`;
  }

  #renderFailure(failure: Error) {
    const again = html`<button @click=${this.#open}>Try again</button>`;
    return html`<div class="end" role="alert">
      <h2 tabindex="-1">${renderUntrusted(failure.message)}</h2>
      ${failure instanceof OverError ? nothing : again}
    </div>`;
  }

  #renderTaken({ vote }: AnswerReply) {
    const request = this.card?.opened.interaction;
    const answer = this.sent?.answer;
    const words = request && answer && !vote ? `${describeResponse(request, answer)}: ` : '';
    return html`<div class="end" role="status">
      <h2 tabindex="-1">${vote ? 'Your vote is counted: others decide, too.' : 'Your answer was taken.'}</h2>
      <p>${renderUntrusted(`${words}${request ? headingOf(request) : ''}`)}</p>
      <p>This link is used up; you can close the page.</p>
    </div>`;
  }

  /** Moves the focus to the result, because the pressed button was removed. */
  protected override updated(changed: PropertyValues): void {
    const hadPressed = this.sent !== undefined && (changed.has('taken') || changed.has('failure'));
    if (hadPressed) this.renderRoot.querySelector<HTMLElement>('h2')?.focus();
  }

  #renderCard({ opened: { sessionTitle, principal }, chain, viewer }: Card) {
    const name = principal.name ?? (principal.id === 'owner' ? 'the owner of this server' : principal.id);
    return html`<p>You answer as ${renderUntrusted(name)}, once, in the session ${renderUntrusted(sessionTitle)}.</p>
      <parley-card .chain=${chain} .viewer=${viewer} .sent=${this.sent} @parley-respond=${this.#respond}></parley-card>`;
  }

  async #open(): Promise<void> {
    this.failure = undefined;
    try {
      if (this.#key === '') throw new OverError(noKey);
      this.card = toCard((await this.#post('/api/once')) as Opened);
    } catch (error) {
      this.failure = error as Error;
    }
  }

  async #respond({ detail: { answer } }: RespondEvent): Promise<void> {
    this.sent = { answer, status: 'sending' };
    const { action, button, input, reason }: Answer = answer;
    try {
      this.taken = (await this.#post('/api/once/answer', { action, button, input, reason })) as AnswerReply;
    } catch (error) {
      if (error instanceof OverError) this.failure = error;
      else this.sent = { answer, status: 'refused', error: error as Error };
    }
  }

  /** @throws OverError if the link cannot be used any more, Error if trying again may help */
  async #post(path: string, body?: object): Promise<unknown> {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'parley-key': this.#key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
    const reply: unknown = await response?.json().catch(() => undefined);
    if (!response || !isRecord(reply)) throw new Error('The server is not responding.');
    if (response.ok) return reply;
    const { code, message } = isRecord(reply.error) ? reply.error : {};
    throw new (over.has(String(code)) ? OverError : Error)(String(message ?? 'The server refused it.'));
  }
}

/** Makes the card's state as the fold of the prompt's log would. */
function toCard(opened: Opened): Card {
  const { interaction: payload, timestamp, principal, sessionId, now } = opened;
  const { interactionId } = payload;
  const place = { seq: 0, timestamp, turnId: undefined, responseId: undefined };
  const request = { seq: 0, timestamp, payload };
  const current = {
    kind: 'interaction',
    key: `interaction:${interactionId}`,
    ...place,
    interactionId,
    request,
  } as const;
  const ahead = now - Date.now();
  const viewer = { clientId: 'once', sessionId, principal, isInteractive: true, now: () => Date.now() + ahead };
  return { opened, chain: { root: interactionId, steps: [], current }, viewer };
}
