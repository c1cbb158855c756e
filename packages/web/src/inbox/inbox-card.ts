import type { ParleyClient } from '@parleyhq/client';
import { type Answer, type InboxEntry, listItems } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { findChains, findSent } from '../prompt/chain.ts';
import type { InteractionCard, RespondEvent } from '../prompt/interaction-card.ts';
import '../form/interaction-form.ts';
import '../prompt/interaction-card.ts';
import { ViewerMemo } from '../prompt/viewer-memo.ts';
import { base } from '../styles/base.ts';
import { FrameController, SessionController } from '../ui/session-controller.ts';

/** The answer given on a card. */
export type AnsweredEvent = CustomEvent<Answer>;

/**
 * The card of a prompt outside of its session, which is loaded for it. The slot below the card appears together with it, so that
 * nothing moves under a click.
 * @fires parley-loaded - the card has its height, or there is none
 */
@customElement('parley-inbox-card')
export class InboxCard extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        display: block;
        min-height: 8rem;
      }
      p {
        padding: var(--s4);
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-3);
      }
    `,
  ];

  @property({ attribute: false }) client!: ParleyClient;
  @property({ attribute: false }) entry!: InboxEntry;
  @property() sessionId = '';
  readonly #viewers = new ViewerMemo(() => this.#controller.session);
  #wantsFocus = false;
  #isLoaded = false;
  readonly #controller = new SessionController(this, (session) => {
    session.onDraft((interactionId, values) => {
      if (interactionId === this.entry.interaction.interactionId) this.#card?.takeDraft(values);
    });
  });

  constructor() {
    super();
    new FrameController(this, (listener) => this.client.subscribe(listener)); // the card depends on the interactive mode, too
  }

  /** Focuses the card, as soon as it is loaded. */
  override focus(): void {
    this.#wantsFocus = true;
    this.requestUpdate();
  }

  /** Sends a choice that could still be undone, before the card is left. */
  sendChosen(): void {
    this.#card?.sendChosen();
  }

  override render() {
    const session = this.#controller.session;
    const { interactionId } = this.entry.interaction;
    const items = session ? listItems(session.state.items) : [];
    const chains = findChains(items.filter((item) => item.kind === 'interaction'));
    const chain = chains.find(({ current }) => current.interactionId === interactionId);
    if (!session || !chain)
      return html`<p role="status">${session?.state.phase === 'gone' ? 'This session does not exist.' : nothing}</p>`;
    return html`<parley-card
      part="card"
      .chain=${chain}
      .viewer=${this.#viewers.of(this.client, this.sessionId)}
      .sent=${findSent(session.answers, chain)}
      .tool=${session.state.items.get(`tool:${this.entry.interaction.toolCallId}`)}
      @parley-respond=${this.#respond}
      @parley-draft=${(event: CustomEvent) => session.sendDraft(interactionId, event.detail)}
    ></parley-card><slot></slot>`;
  }

  protected override updated(): void {
    const isGone = this.#controller.session?.state.phase === 'gone';
    if (!this.#isLoaded && (this.#card || isGone)) void this.#reportLoaded();
    const card = this.#wantsFocus ? this.#card : null;
    if (!card) return;
    this.#wantsFocus = false;
    void card.updateComplete.then(() => {
      card.scrollIntoView({ block: 'nearest' });
      card.focus();
    });
  }

  async #reportLoaded(): Promise<void> {
    this.#isLoaded = true;
    await this.#card?.updateComplete;
    this.dispatchEvent(new CustomEvent('parley-loaded'));
  }

  get #card(): InteractionCard | null {
    return this.renderRoot.querySelector('parley-card');
  }

  #respond(event: RespondEvent): void {
    event.stopPropagation();
    const { request, answer } = event.detail;
    const answered: AnsweredEvent = new CustomEvent('parley-answered', {
      detail: answer,
      bubbles: true,
      composed: true,
    });
    this.#controller.session?.respond(request, answer).catch(() => undefined); // the card shows the error, from `answers`
    this.dispatchEvent(answered);
  }
}
