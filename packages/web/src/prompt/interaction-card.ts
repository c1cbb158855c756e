import type { SentAnswer } from '@parleyhq/client';
import {
  type Answer,
  type InteractionRequest,
  type Item,
  type Json,
  mayAnswer,
  mayEdit,
  requestOf,
  stateOf,
  takesAttachments,
} from '@parleyhq/core';
import { html, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { draftKey, draftStore, type FormInput } from '../browser/draft-store.ts';
import { hasModifier, isComposing, isFocusLost, isTyping } from '../browser/focus.ts';
import type { InteractionForm } from '../form/interaction-form.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { isSelf } from '../ui/actor.ts';
import { copyStyles } from '../ui/copy.ts';
import { GuardedElement } from '../ui/guarded-element.ts';
import { icons } from '../ui/icons.ts';
import type { ApprovalActions } from './approval-actions.ts';
import './approval-actions.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { findEnds, isSignable, renderAsked, renderHistory } from './asked.ts';
import { Attaching } from './attaching.ts';
import { cardStyles } from './card-styles.ts';
import { argsOfPrompt, type Chain, callOf, isSameChain } from './chain.ts';
import { renderDiscuss, renderDiscussion } from './discuss.ts';
import { foldFrom, showWhole } from './folding.ts';
import { renderEyebrow } from './origin.ts';
import type { PopOut } from './pop-out.ts';
import { renderAnswered, renderClosed, renderSteps } from './receipt.ts';
import { receiptStyles } from './receipt-styles.ts';
import { SeenToEnd } from './seen-to-end.ts';
import { renderStateNote } from './state-note.ts';
import type { SubjectBlock } from './subject.ts';
import { findOwnVote, renderTeam } from './team.ts';
import { describeLost } from './unused-answer.ts';
import type { Viewer } from './viewer.ts';
import { headingOf, riskLabels } from './words.ts';

/** A person's answer to a prompt, for the session client. */
export type RespondEvent = CustomEvent<{ request: InteractionRequest; answer: Answer }>;

/** Maximum age of a prompt, in ms, whose card enters with an animation. */
const newMs = 2000;

/**
 * A prompt with its attempts, in the state that the log gives it; the card has no state of its own about the prompt.
 * @fires parley-respond - the person answered
 */
@customElement('parley-card')
export class InteractionCard extends GuardedElement {
  static override styles = [base, controls, copyStyles, cardStyles, receiptStyles];

  @property({ attribute: false, hasChanged: (a?: Chain, b?: Chain) => !isSameChain(a, b) }) chain!: Chain;
  @property({ attribute: false }) viewer!: Viewer;
  /** An answer given in this tab that is not in the log. */
  @property({ attribute: false }) sent: SentAnswer | undefined;
  /** The call that asks: its caller is named, and its arguments may be edited. */
  @property({ attribute: false }) tool: Item | undefined;

  @state() private isOut = false;
  @state() private isBroken = false;
  /** Whether this person wants to say something under the prompt. */
  @state() private isDiscussed = false;
  /** Whether the card had the focus when its prompt was settled: then its receipt gets it. */
  #hadFocus = false;
  /** Whether the last thing done in the card was an answer. Its controls lose the focus while the answer is being sent. */
  #hasAnswered = false;
  /** Whether the prompt is asked again while the person who answered is still at the card. */
  #isAskedBack = false;
  /** The card's height before its prompt was settled, from which it folds into its receipt. */
  #heightBefore: number | undefined;
  /** The animation; while it runs, nothing below the receipt can be pressed. */
  #folding: Animation | undefined;
  readonly #attaching = new Attaching(this, () => ({
    to: 'answer',
    place: { sessionId: this.viewer.sessionId, interactionId: this.#request.interactionId },
    draftKey: this.#draftKey,
    takesFiles: this.#mayAnswer && takesAttachments(this.#request, callOf(this.tool)),
    isDisabled: this.#isDisabled,
  }));
  readonly #sight = new SeenToEnd(this, () => findEnds(this.renderRoot));

  constructor() {
    super();
    this.addEventListener('parley-broken', (event) => {
      event.stopPropagation();
      this.isBroken = true;
    });
    this.addEventListener('keydown', (event) => this.#press(event));
  }

  /**
   * Focuses the field with an error, otherwise the card's heading; on a phone the card becomes a sheet. Call this only on a
   * person's request: focus is never stolen (WEB5).
   */
  override focus(): void {
    if (this.#mayAnswer && this.#heading && matchMedia('(max-width: 30rem)').matches) this.isOut = true;
    if (!this.#form?.focusFault()) (this.#heading ?? this.#receipt)?.focus();
  }

  /** Whether everything in the prompt can be shown. */
  get isReadable(): boolean {
    return !this.isBroken;
  }

  /** How the prompt ended, in a line; undefined while it is open. */
  get outcome(): string | undefined {
    return this.#receipt?.textContent?.replace(/\s+/g, ' ').trim();
  }

  /** Sends a choice that could still be undone, before the card is left. */
  sendChosen(): void {
    this.#form?.sendChosen();
  }

  /** Passes on what another tab of this person types (INT18). */
  takeDraft(values: FormInput): void {
    (this.#form ?? this.#approval)?.takeDraft(values);
  }

  /** Chooses the nth option or button, counted from 1. @returns whether there is one */
  choose(n: number): boolean {
    const at = this.#form?.shadowRoot?.activeElement ?? null;
    if (this.#form) return this.#form.choose(n, at);
    const button = this.#approval?.choose(n);
    if (button?.disabled) this.renderRoot.querySelector<SubjectBlock>('parley-subject')?.focus(); // it has to be read first
    return button !== undefined;
  }

  /** Takes a text from the message box as the answer or as its reason. @returns whether this card could use it (WEB9) */
  answerWith(text: string): boolean {
    if (this.#isDisabled || this.sent?.status === 'sending') return false;
    return this.#form?.answerWith(text) ?? this.#approval?.takeReason(text) ?? false;
  }

  get #heading(): HTMLElement | null {
    return this.renderRoot.querySelector('h2');
  }

  get #receipt(): HTMLElement | null {
    return this.renderRoot.querySelector('.receipt summary');
  }

  /** The form, once its code is loaded, which happens after the first screen. */
  get #form(): InteractionForm | null {
    return this.renderRoot.querySelector<InteractionForm>('parley-form:defined');
  }

  get #approval(): ApprovalActions | null {
    return this.renderRoot.querySelector('parley-approval');
  }

  get #draftKey(): string {
    return draftKey(this.viewer.principal.id, this.viewer.sessionId, this.chain.root);
  }

  get #lost(): string {
    return describeLost(this.chain, this.sent, this.#draftKey, this.viewer);
  }

  get #request(): InteractionRequest {
    return requestOf(this.chain.current);
  }

  protected override updated(changed: PropertyValues): void {
    const isFolded = this.#fold();
    if (changed.has('isOut') && this.isOut) void this.#enter();
    if (this.#receipt && (changed.has('chain') || changed.has('sent')) && this.#lost)
      void isFolded.then(() => showWhole(this));
    if (this.#hadFocus) this.#receipt?.focus({ preventScroll: this.#hasAnswered });
    this.#hadFocus = false;
    if (this.#isAskedBack) void this.#enter();
    this.#isAskedBack = false;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    this.#sight.watch(this.chain.current.interactionId);
    if (!changed.has('chain')) return;
    const state = stateOf(this.chain.current);
    const isInside = this.matches(':focus-within');
    const isHere = isInside || (this.#hasAnswered && isFocusLost());
    if (state === 'expired') void this.#keepFocus(isInside);
    if (state !== 'answered' && state !== 'closed') {
      this.#folding?.cancel();
      this.#isAskedBack = this.#hasAnswered && isHere;
      this.#hasAnswered = false;
      return;
    }
    this.#hadFocus = isHere;
    this.#heightBefore = this.isOut || !this.#heading ? undefined : this.offsetHeight;
    this.isOut = false;
    draftStore.settle(this.#draftKey);
  }

  /** Keeps the focus in the card while the tool handles the answer, because the form is then disabled. */
  async #keepFocus(isInside: boolean): Promise<void> {
    await this.updateComplete;
    await this.#form?.updateComplete;
    if (isInside) this.#heading?.focus();
  }

  /** Focuses the field with an error, otherwise the question; a dialog by itself would focus its first button. */
  async #enter(): Promise<void> {
    await this.renderRoot.querySelector<PopOut>('parley-pop-out')?.updateComplete;
    await this.#form?.updateComplete;
    if (!this.#form?.focusFault()) this.#heading?.focus();
  }

  async #fold(): Promise<void> {
    const from = this.#heightBefore;
    this.#heightBefore = undefined;
    if (from === undefined) return;
    this.#folding = foldFrom(this, from);
    await this.#folding?.finished.catch(() => undefined); // cancelled: the prompt was asked again, or the card was removed
  }

  override render() {
    const { current } = this.chain;
    if (this.isBroken) {
      return html`<parley-opaque label="A prompt that cannot be shown" .value=${current}></parley-opaque>`;
    }
    const state = stateOf(current);
    switch (state) {
      case 'open':
      case 'pending':
      case 'expired':
        return this.#renderAsked(state);
      case 'answered':
        return current.response ? renderAnswered(this.chain, current.response, this.#lost, this.viewer) : nothing;
      case 'closed':
        return current.closed ? renderClosed(this.chain, current.closed, this.#lost, this.viewer) : nothing;
      default:
        return state satisfies never;
    }
  }

  #renderAsked(state: 'open' | 'pending' | 'expired') {
    const request = this.#request;
    const { risk } = request;
    return html`<parley-pop-out ?isOut=${this.isOut} label=${headingOf(request)} @parley-dock=${this.#dock}>
      <article aria-labelledby="heading" class=${this.#describeClass(state)}>
        <header>
          ${renderEyebrow(request, this.tool)}
          ${risk ? html`<span class="risk ${risk}">${riskLabels[risk]}</span>` : nothing}
          ${this.#renderTimer(state)}
          <span class="tools">
            ${renderDiscuss(this.viewer, this.isDiscussed, () => {
              this.isDiscussed = !this.isDiscussed;
            })}
            ${this.#renderPopOut()}
          </span>
        </header>
        ${renderAsked(request, this)} ${renderHistory(this.chain.current, this.viewer, !this.#sight.isComplete)} ${renderTeam(this.chain.current, this.viewer.principal)} ${renderStateNote(this.chain.current, this.viewer)} ${this.#renderClaim(request)}
        ${renderSteps(this.chain)} ${this.#renderControls()}
        ${renderDiscussion(this.chain, this.viewer, this.#draftKey, this.isDiscussed, this.#mayDeny ? this.#answer : undefined)}
      </article>
    </parley-pop-out>`;
  }

  /** Renders who has claimed the prompt, unless it asks a single person. */
  #renderClaim({ interactionId, audience }: InteractionRequest) {
    const isForSeveral = audience?.also !== undefined || (audience !== undefined && audience.principals?.length !== 1);
    if (!this.#isAsked || !isForSeveral || findOwnVote(this.chain.current, this.viewer.principal)) return nothing;
    void import('./claim-line.ts').catch(() => undefined); // most prompts ask one person
    return html`<parley-claim .viewer=${this.viewer} interactionId=${interactionId}></parley-claim>`;
  }

  #describeClass(state: string): string {
    const age = this.viewer.now() - Date.parse(this.chain.current.request.timestamp);
    const parts = { off: !this.#mayAnswer, watched: !this.#isAsked, out: this.isOut, new: age < newMs };
    return ['card', state, ...Object.entries(parts).flatMap(([name, isSo]) => (isSo ? [name] : []))].join(' ');
  }

  #renderTimer(state: string) {
    const { request, pending } = this.chain.current;
    const expiresAt = pending ? pending.payload.expiresAt : request.payload.expiresAt;
    if (expiresAt === undefined || state === 'expired') return nothing;
    return html`<parley-countdown expiresAt=${expiresAt} question=${headingOf(this.#request)} .now=${this.viewer.now}></parley-countdown>`;
  }

  #renderPopOut() {
    const label = this.isOut ? 'Close' : 'Open in a dialog';
    return html`<button class="icon" aria-label=${label} title=${label} aria-description="" @click=${this.#togglePopOut}>
      ${this.isOut ? icons.cross : icons.popOut}
    </button>`;
  }

  #renderControls() {
    const request = this.#request;
    const { role, sessions } = this.viewer.principal;
    const sending = this.sent?.status === 'sending' ? this.sent.answer : undefined;
    if (request.interactionType === 'input') {
      return html`<parley-form
        .attempts=${[...this.chain.steps, this.chain.current]}
        draftKey=${this.#draftKey}
        sessionId=${this.viewer.sessionId}
        heading=${headingOf(request)}
        ?isDisabled=${this.#isDisabled}
        ?isOnlooker=${!this.#isAsked}
        sending=${sending?.action ?? ''}
        @parley-answer=${this.#answer}
        >${this.#attaching.renderButton()} ${this.#attaching.render()} ${this.#renderFailure()}</parley-form
      >`;
    }
    if (!this.#isAsked) return nothing;
    const isEditor = mayEdit(this.viewer.principal, request);
    return html`${this.#attaching.render()}<i class="rise"></i><parley-approval
      .request=${request}
      draftKey=${this.#draftKey}
      .args=${isEditor ? argsOfPrompt(this.chain, this.tool) : undefined}
      ?isDisabled=${this.#isDisabled}
      .sending=${sending}
      ?isUnread=${!this.#sight.isComplete}
      .lastEdit=${isEditor ? this.#ownEdit : undefined}
      .ownVote=${findOwnVote(this.chain.current, this.viewer.principal)?.action}
      ?mayAlways=${role === 'operator' && sessions === undefined}
      @parley-answer=${this.#answer}
      >${this.#attaching.renderButton()} ${this.#renderFailure()}</parley-approval
    >`;
  }

  /** Returns this person's edit of the previous attempt; undefined for somebody else's, which this person has not read (WEB7). */
  get #ownEdit(): Json | undefined {
    const { by, editedArgs } = this.chain.steps.at(-1)?.response?.payload ?? {};
    return by && isSelf(by, this.viewer) ? editedArgs : undefined;
  }

  #renderFailure() {
    if (this.sent?.status !== 'refused') return nothing;
    return html`<p class="failure" role="alert">
      <strong>Not accepted.</strong> ${renderUntrusted(this.sent.error?.message ?? '')} What you entered is still here.
    </p>`;
  }

  get #mayAnswer(): boolean {
    return this.viewer.isInteractive && this.#isAsked;
  }

  /** Whether nothing can be entered. */
  get #isDisabled(): boolean {
    return !this.#mayAnswer || stateOf(this.chain.current) === 'expired';
  }

  get #mayDeny(): boolean {
    return !this.#isDisabled && this.#request.interactionType === 'approval';
  }

  /** Whether this person may answer the prompt at all. */
  get #isAsked(): boolean {
    return mayAnswer(this.viewer.principal, this.#request) && isSignable(this, this.#request);
  }

  #answer(event: CustomEvent<Answer>): void {
    event.stopPropagation();
    const answer = this.#attaching.addTo(event.detail);
    if (!answer) return;
    this.#hasAnswered = true;
    const detail = { request: this.#request, answer };
    this.dispatchEvent(new CustomEvent('parley-respond', { detail, bubbles: true, composed: true }));
  }

  #togglePopOut(): void {
    if (this.isOut) void this.#dock();
    else this.isOut = true;
  }

  /** Closes the dialog, and keeps the focus at the card. */
  async #dock(): Promise<void> {
    this.isOut = false;
    await this.updateComplete;
    await this.renderRoot.querySelector<PopOut>('parley-pop-out')?.updateComplete;
    if (isFocusLost()) this.#heading?.focus();
  }

  /** Digits choose, `c` comments, Enter enters the form, with Ctrl or Cmd it submits, Escape leaves the field and answers nothing (WEB5). */
  #press(event: KeyboardEvent): void {
    const [target] = event.composedPath();
    this.#hasAnswered = false;
    if (isComposing(event)) return;
    if (event.key === 'Enter' && event.repeat && !isTyping(event)) {
      event.preventDefault(); // a key that is still held down must not answer anything
    } else if (event.key === 'Escape' && !this.isOut && target !== this.#heading) {
      event.stopPropagation();
      this.#heading?.focus();
    } else if (event.key === 'Enter' && target === this.#heading) {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) this.#form?.proceed();
      else this.#form?.enter();
    } else if (/^[1-9c]$/.test(event.key) && !isTyping(event) && !hasModifier(event)) {
      event.stopPropagation();
      if (event.key === 'c' ? this.#approval?.comment() : this.choose(Number(event.key))) event.preventDefault();
    }
  }
}
