import type { ParleyClient, SessionClient } from '@parleyhq/client';
import { listItems } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { findChains, findRoot, findSent } from '../prompt/chain.ts';
import type { InteractionCard, RespondEvent } from '../prompt/interaction-card.ts';
import { ViewerMemo } from '../prompt/viewer-memo.ts';
import { base } from '../styles/base.ts';
import { FrameController, SessionController } from '../ui/session-controller.ts';

/** How many events are read at a time while the prompt is looked for. */
const pageLength = 1000;

/** One prompt of a session with all its attempts, whichever of them is named, without the rest of the session. */
@customElement('parley-prompt-room')
export class SinglePrompt extends LitElement {
  static override styles = [
    base,
    css`
      .note {
        padding: var(--s4);
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-3);
      }
    `,
  ];

  @property({ attribute: false }) client!: ParleyClient;
  @property() sessionId = '';
  @property() interactionId = '';
  readonly #viewers = new ViewerMemo(() => this.#controller.session);
  #isSearching = false;
  readonly #controller = new SessionController(this, (session) => {
    session.onDraft((interactionId, values) => {
      const { items } = session.state;
      if (findRoot(items, interactionId) === findRoot(items, this.interactionId)) this.#card?.takeDraft(values);
    });
  });

  constructor() {
    super();
    new FrameController(this, (listener) => this.client.subscribe(listener));
  }

  /** Sends a choice that could still be undone, before the prompt is left. */
  sendChosen(): void {
    this.#card?.sendChosen();
  }

  override render() {
    const session = this.#controller.session;
    if (!session || !this.client.state.welcome) return nothing;
    const { state } = session;
    const root = findRoot(state.items, this.interactionId);
    const chain = findChains(listItems(state.items).filter((item) => item.kind === 'interaction')).find(
      (candidate) => candidate.root === root,
    );
    if (!chain) return this.#renderAbsence(session);
    const { interactionId, request } = chain.current;
    return html`<parley-card
      part="card"
      .chain=${chain}
      .viewer=${this.#viewers.of(this.client, this.sessionId)}
      .sent=${findSent(session.answers, chain)}
      .tool=${state.items.get(`tool:${request.payload.toolCallId}`)}
      @parley-respond=${this.#respond}
      @parley-draft=${(event: CustomEvent) => session.sendDraft(interactionId, event.detail)}
    ></parley-card>`;
  }

  protected override updated(): void {
    void this.#findEarlier();
  }

  #renderAbsence({ state }: SessionClient) {
    if (state.phase === 'gone') return html`<p class="note" role="status">This session does not exist.</p>`;
    const isAbsent = state.phase === 'live' && state.firstSeq <= 1;
    return isAbsent ? html`<p class="note" role="status">This session has no such prompt.</p>` : nothing;
  }

  /** Reads earlier events page by page until the prompt is found or the log begins. */
  async #findEarlier(): Promise<void> {
    const session = this.#controller.session;
    const isThere = () => session?.state.items.has(`interaction:${this.interactionId}`);
    if (!session || this.#isSearching || session.state.phase !== 'live' || isThere()) return;
    this.#isSearching = true;
    try {
      while (!isThere() && session.state.firstSeq > 1) await session.loadEarlier(pageLength);
    } catch {
      // The connection is lost: the next change of the session tries again.
    } finally {
      this.#isSearching = false;
    }
  }

  get #card(): InteractionCard | null {
    return this.renderRoot.querySelector('parley-card');
  }

  #respond(event: RespondEvent): void {
    const { request, answer } = event.detail;
    this.#controller.session?.respond(request, answer).catch(() => undefined); // the card shows the error, from `answers`
  }
}
