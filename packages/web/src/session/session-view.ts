import type { ParleyClient, SessionClient, SessionState } from '@parleyhq/client';
import {
  type Answer,
  type InteractionRequest,
  outsideAgent,
  ownerOf,
  personOf,
  type QueuedMessage,
  wordsOfMessage,
} from '@parleyhq/core';
import { html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { announce } from '../browser/announce.ts';
import { draftStore } from '../browser/draft-store.ts';
import { findEmbedding, homeOf } from '../browser/embedding.ts';
import { isFocusLost, isPointed } from '../browser/focus.ts';
import type { Route } from '../browser/route.ts';
import { findRoot, findSent } from '../prompt/chain.ts';
import type { InteractionCard, RespondEvent } from '../prompt/interaction-card.ts';
import type { Viewer } from '../prompt/viewer.ts';
import { ViewerMemo } from '../prompt/viewer-memo.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { type Found, rowsOf } from '../transcript/rows.ts';
import { findShownApprovals } from '../transcript/shown-approvals.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { isSelf } from '../ui/actor.ts';
import { LateFocus } from '../ui/late-focus.ts';
import { FrameController, SessionController } from '../ui/session-controller.ts';
import '../transcript/transcript.ts';
import type { BatchResults } from '../dialogs/batch-bar.ts';
import type { JointAnswer } from '../dialogs/review-dialog.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import type { Absence } from './absence.ts';
import { type Composer, keepForLater, type MessageDraft, type ReplyEvent } from './composer.ts';
import { FillingMark } from './filling-mark.ts';
import { goToPrompt } from './linked-prompt.ts';
import { PromptAnnouncer } from './prompt-announcer.ts';
import { type Asked, findAsked, findOpen, findOwn, isAsked } from './reply.ts';
import { SendingList } from './sending-list.ts';
import { sessionViewStyles } from './session-view-styles.ts';
import { StatusLine } from './status-line.ts';

type Batch = { readonly action: Answer['action']; readonly results: BatchResults };

const noBatch: Batch = { action: 'approve', results: [] };

/** After how many ms an answer counts as slow. */
const slowMs = 1000;

/** A session: its conversation, the prompts docked below it, and the message box. */
@customElement('parley-session-view')
export class SessionView extends LitElement {
  static override styles = [base, controls, sessionViewStyles];

  @property({ attribute: false }) client!: ParleyClient;
  @property() sessionId = '';
  /** Route of the address, perhaps of a prompt. A new object with the same address is followed again. */
  @property({ attribute: false }) link: Route = {};

  @state() private failure = '';
  /** The last joint answer to several approvals. */
  @state() private batch = noBatch;
  @query('parley-composer') private composer!: Composer;
  @query('parley-transcript') private transcript!: Transcript | null;
  /** The prompt just answered here: the next one of the session gets the focus, unless the person has moved it. */
  #answered: string | undefined;
  readonly #news = new PromptAnnouncer((id) => this.findCard(id));
  /** The docked prompt that has the focus. */
  #focusedInDock: string | undefined;
  /** State at the last update: whether the session was loaded, and whether it had the focus. */
  #was = { live: false, entered: false };
  readonly #sending = new SendingList(this);
  #status = new StatusLine();
  readonly #viewers = new ViewerMemo(() => this.#controller.session);
  #followedLink: Route | undefined;
  readonly #focus = new LateFocus(this, 'parley-composer', 'parley-absence', 'parley-transcript');
  readonly #controller = new SessionController(this, (session) => this.#listen(session));

  constructor() {
    super();
    new FillingMark(this);
    const onViewerChange = (listener: () => void) => () => this.#viewers.last !== this.#makeViewer() && listener();
    new FrameController(this, (listener) => this.client.subscribe(onViewerChange(listener)));
  }

  /** Returns the card of a prompt, if it is on the page. */
  findCard(interactionId: string): InteractionCard | undefined {
    return this.#cards().find((card) => card.chain.current.interactionId === interactionId);
  }

  /** Returns the ids of the prompts on the page, from top to bottom. */
  listCards(): readonly string[] {
    return this.#cards().map(({ chain }) => chain.current.interactionId);
  }

  /** Sends choices that could still be undone, before the session is left. */
  sendChosen(): void {
    for (const card of this.#cards()) card.sendChosen();
  }

  /** Focuses the message box, or what the session shows instead. */
  override focus(): void {
    this.removeAttribute('is-filling'); // the mark hides the message box on a phone
    this.#focus.focus();
  }

  /** Focuses the conversation, from which Tab leads to its cards and then to the message box. */
  focusStart(): void {
    (this.transcript ?? this).focus();
  }

  search(): void {
    void this.transcript?.openSearch();
  }

  #cards(): InteractionCard[] {
    const inside = (root: ParentNode): InteractionCard[] =>
      [...root.querySelectorAll('parley-card:defined, parley-transcript, parley-tool')].flatMap((element) =>
        element.localName === 'parley-card'
          ? [element as InteractionCard]
          : element.shadowRoot
            ? inside(element.shadowRoot)
            : [],
      );
    return inside(this.renderRoot);
  }

  override render() {
    const session = this.#controller.session;
    if (!session) return nothing;
    const { state, answers } = session;
    if (state.phase === 'gone')
      return html`<parley-absence
        isPart
        heading="This session does not exist"
        words="It was deleted, or you may not see it."
        home=${homeOf(this)}
      ></parley-absence>`;
    const viewer = this.#makeViewer();
    const isOnlooker = viewer.principal.role === 'viewer';
    const asked = this.#findAsked(state);
    const found = rowsOf(state.items);
    return html`<parley-transcript
        part="transcript"
        exportparts="card"
        .session=${state}
        .answers=${answers}
        .viewer=${viewer}
        @parley-respond=${this.#respond}
        @parley-draft=${this.#relayDraft}
        @parley-earlier=${(event: CustomEvent<number | null>) => void session.loadEarlier(event.detail ?? undefined).catch(() => undefined)}
      ></parley-transcript>
      <div class="dock ${state.head.prompts.length === 1 ? 'alone' : ''}" @parley-respond=${this.#respond} @parley-draft=${this.#relayDraft}>
        ${this.#renderDocked(found, session)} ${viewer.isInteractive ? this.#renderBatch(findShownApprovals(state, found, viewer.principal)) : nothing}
        <parley-queue
          .messages=${state.head.queue}
          .principal=${viewer.principal}
          ?isReadOnly=${isOnlooker}
          @parley-edit=${(event: CustomEvent<QueuedMessage>) =>
            this.#attempt(session.editQueued(event.detail.messageId, event.detail.text))}
          @parley-take-back=${this.#takeBack}
        ></parley-queue>
        ${this.#sending.render(state.phase === 'live')}
        ${this.failure ? html`<p class="failure" role="alert">${renderUntrusted(this.failure)}</p>` : nothing}
        ${this.#renderComposer(session, isOnlooker, asked)}
        ${this.#status.render(state, { isAsked: isAsked(state, viewer.principal), mayWrite: !isOnlooker && state.session?.agent !== outsideAgent && !asked.ids })}
      </div>`;
  }

  protected override willUpdate(): void {
    this.#focusedInDock =
      this.renderRoot.querySelector<InteractionCard>('.docked:focus-within')?.chain.current.interactionId;
    this.#was = { ...this.#was, entered: this.matches(':focus-within') };
  }

  protected override updated(): void {
    this.#tellNews();
    if (this.#focusedInDock !== undefined) void this.#followFocus(this.#focusedInDock);
    const phase = this.#controller.session?.state.phase;
    if (phase === 'gone') void this.#leaveGone();
    this.#was = { ...this.#was, live: phase === 'live' };
    this.#followLink();
    if (this.#answered) requestAnimationFrame(() => this.#focusNext());
  }

  /** When the session is deleted, announces it, and moves the focus from the session to the text that explains it. */
  async #leaveGone(): Promise<void> {
    draftStore.removeSession(this.sessionId);
    const { live, entered } = this.#was;
    const absence = this.renderRoot.querySelector<Absence>('parley-absence');
    if (!live || !absence) return;
    await customElements.whenDefined(absence.localName); // its code is loaded after the first screen
    announce(`${absence.heading}. ${absence.words}`);
    await absence.updateComplete;
    if (entered) absence.focus();
  }

  #tellNews(): void {
    const state = this.#controller.session?.state;
    if (state?.phase === 'live')
      this.#news.tell(findOpen(state, this.#makeViewer().principal), this.link.interactionId);
  }

  #findAsked(state: SessionState): Asked {
    const { principal, isInteractive } = this.#makeViewer();
    return state.phase === 'live' && isInteractive ? findAsked(state, principal) : { ids: '' };
  }

  /** Renders the message box, or why this person cannot write. */
  #renderComposer(session: SessionClient, isOnlooker: boolean, asked: Asked) {
    const { state } = session;
    const isRunning = state.head.turn !== null;
    if (isOnlooker)
      return html`<p class="status">You can watch this session, but your role does not let you write.</p>`;
    if (state.session?.agent === outsideAgent) {
      const stop = html`<button type="button" @click=${() => this.#attempt(session.cancelTurn())}>Stop its calls</button>`;
      return html`<p class="status">This program runs elsewhere. You can answer and discuss its questions here. ${isRunning ? stop : nothing}</p>`;
    }
    return html`<parley-composer
      part="composer"
      sessionId=${this.sessionId}
      owner=${this.#owner}
      .reply=${asked.reply}
      asked=${asked.ids}
      ?isRunning=${isRunning}
      @parley-leave=${() => this.transcript?.focus()}
      @parley-reply=${this.#reply}
      @parley-send=${this.#send}
      @parley-deny-all=${this.#send}
      @parley-stop=${() => this.#attempt(session.cancelTurn())}
    ></parley-composer>`;
  }

  #renderDocked({ docked }: Found, { answers, state }: SessionClient) {
    return repeat(
      docked,
      ({ root }) => root,
      (chain) => html`<parley-card
        class="docked"
        part="card"
        id=${chain.current.interactionId}
        .chain=${chain}
        .viewer=${this.#makeViewer()}
        .sent=${findSent(answers, chain)}
        .tool=${state.items.get(`tool:${chain.current.request.payload.toolCallId}`)}
      ></parley-card>`,
    );
  }

  #renderBatch(requests: readonly InteractionRequest[]) {
    return html`<parley-batch
      .requests=${requests} .items=${this.#controller.session?.state.items}
      .results=${this.batch.results}
      action=${this.batch.action}
      .isReadable=${({ interactionId }: InteractionRequest) => this.findCard(interactionId)?.isReadable ?? false}
      @parley-all=${this.#respondAll}
      @parley-read=${() => {
        this.batch = noBatch;
        this.focus();
      }}
    ></parley-batch>`;
  }

  async #respondAll({ detail: { requests, answer } }: JointAnswer): Promise<void> {
    const session = this.#controller.session;
    this.#news.leaveOut(requests); // the report shows how they ended
    const results = await session?.respondAll(requests, answer);
    if (results && session === this.#controller.session) this.batch = { action: answer.action, results };
  }

  #makeViewer(): Viewer {
    return this.#viewers.of(this.client, this.sessionId);
  }

  #listen(session: SessionClient): void {
    this.failure = '';
    this.#sending.clear();
    this.#status = new StatusLine();
    this.batch = noBatch;
    this.#answered = undefined;
    session.onDraft((interactionId, values) => {
      const root = findRoot(session.state.items, interactionId);
      this.#cards()
        .find((card) => card.chain.root === root)
        ?.takeDraft(values);
    });
    session.onReturned((text, from, files) => {
      if (isSelf(from, this.#makeViewer())) this.composer?.giveBack({ text, files });
    });
  }

  async #respond(event: RespondEvent): Promise<void> {
    event.stopPropagation();
    const session = this.#controller.session;
    const { request } = event.detail;
    const card = this.findCard(request.interactionId);
    const keep = (text: string) => card?.answerWith(text) ?? false;
    const answer = this.composer?.addReason(event.detail, keep) ?? event.detail.answer;
    const hadFocus = card?.matches(':focus-within') ?? false;
    // a card that waits long is disabled, and would lose the focus
    const wait = setTimeout(() => hadFocus && isPointed() && isFocusLost() && this.focus(), slowMs);
    const done = session?.respond(request, answer).finally(() => clearTimeout(wait));
    await done?.then(
      () => {
        const isFree = isFocusLost() || card?.matches(':focus-within');
        if (!hadFocus || !isFree || !isPointed()) return;
        this.#answered = request.interactionId;
        this.focus();
        this.requestUpdate();
      },
      () => {}, // the card shows the error, from `answers`
    );
  }

  /** Moves the focus from a settled prompt, which leaves the dock, to its receipt. */
  async #followFocus(interactionId: string): Promise<void> {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    if (isFocusLost()) this.findCard(interactionId)?.focus();
  }

  #focusNext(): void {
    const last = this.#answered;
    const { state } = this.#controller.session ?? {};
    if (last === undefined || !state) return; // this was asked for twice in a frame
    const open = findOwn(state, this.#makeViewer().principal).map(({ interactionId }) => interactionId);
    const shown = this.listCards();
    const at = shown.indexOf(last);
    const next = [...shown.slice(at + 1), ...shown.slice(0, at + 1)].find((id) => id !== last && open.includes(id));
    if (next === undefined || this.composer?.isIdle === false) return;
    this.#answered = undefined;
    this.findCard(next)?.focus();
  }

  #relayDraft(event: CustomEvent): void {
    const isCard = (target: EventTarget) => (target as Element).localName === 'parley-card';
    const { chain } = event.composedPath().find(isCard) as InteractionCard;
    this.#controller.session?.sendDraft(chain.current.interactionId, event.detail);
  }

  #send({ type, detail }: CustomEvent<MessageDraft>): void {
    const session = this.#controller.session;
    if (!session) return;
    this.#answered = undefined; // people who write on stay in the message box
    this.transcript?.goToEnd();
    const { text, files } = detail;
    const sent = type === 'parley-deny-all' ? session.denyOpen(text, files) : session.send(text, files);
    this.#attempt(this.#sending.follow(wordsOfMessage(detail), sent), () => this.#giveBack(session, detail));
  }

  /** Answers the question that the message box is docked to. If the card cannot use the text, the box gets it back. */
  #reply({ detail: { reply, text } }: ReplyEvent): void {
    if (!this.findCard(reply.interactionId)?.answerWith(text)) this.composer.giveBack({ text });
  }

  /** Takes a message out of the queue. Only who wrote it can send its files. */
  #takeBack({ detail: { messageId, text, files, from } }: CustomEvent<QueuedMessage>): void {
    const session = this.#controller.session;
    if (!session) return;
    const isOwn = from && personOf(from) === ownerOf(this.#makeViewer().principal);
    const giveBack = () => {
      this.#giveBack(session, { text, files: isOwn ? files : [] });
      if (session === this.#controller.session) void this.composer.focus(); // to go on with it
    };
    this.#attempt(session.removeQueued(messageId).then(giveBack));
  }

  /** Puts a message back into the box of its session, which may have left the page meanwhile. */
  #giveBack({ sessionId }: SessionClient, message: MessageDraft): void {
    if (sessionId === this.sessionId && this.composer) this.composer.giveBack(message);
    else keepForLater({ sessionId, owner: this.#owner }, message);
  }

  /** Principal that owns drafts, on pages that several people may use; otherwise empty. */
  get #owner(): string {
    return findEmbedding(this) ? this.#makeViewer().principal.id : '';
  }

  #attempt(done: Promise<void>, onFailure?: () => void): void {
    done.then(
      () => {
        this.failure = '';
      },
      (error: Error) => {
        this.failure = error.message;
        onFailure?.();
      },
    );
  }

  /** Follows a deep link once: to the prompt, or to the one that replaced it. */
  #followLink(): void {
    const { session } = this.#controller;
    const { interactionId } = this.link;
    if (!interactionId || this.#followedLink === this.link || session?.state.phase !== 'live') return;
    this.#followedLink = this.link;
    void goToPrompt(session, interactionId, { transcript: this.transcript, listCards: () => this.#cards() });
  }
}
