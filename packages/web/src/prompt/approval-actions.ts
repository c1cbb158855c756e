import {
  type Answer,
  type ApprovalRequest,
  type ApprovalScope,
  type Json,
  type OfferedRule,
  showHidden,
  type UrlRequest,
  type Vote,
} from '@parleyhq/core';
import { html, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { FormInput } from '../browser/draft-store.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { foot } from '../ui/form-actions.ts';
import { GuardedElement } from '../ui/guarded-element.ts';
import { icons } from '../ui/icons.ts';
import { guardMs, MisclickGuard } from '../ui/misclick-guard.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { ApprovalDraft, countComments } from './approval-draft.ts';
import { approvalStyles } from './approval-styles.ts';
import type { Edit } from './args-editor.ts';
import { renderCovers } from './covered.ts';
import { nameOfPart, showPart } from './edited-part.ts';
import type { CommentsEvent, LineComments } from './line-comments.ts';
import { findReasonFault, renderReason } from './reason.ts';
import { headingOf, ruleScopeWords, scopeLabels } from './words.ts';

/**
 * The buttons of an approval or link: deny, or allow with one of the offered scopes, optionally with a reason and edited arguments.
 * @fires parley-answer
 * @fires parley-draft - what was entered so far
 */
@customElement('parley-approval')
export class ApprovalActions extends GuardedElement {
  static override styles = [base, controls, foot, approvalStyles];

  @property({ attribute: false }) request!: ApprovalRequest | UrlRequest;
  /** Key of the draft of what is entered here. */
  @property() draftKey = '';
  /** Arguments of the call, if they may be edited. */
  @property({ attribute: false }) args: Json | undefined;
  /** Arguments as edited in the previous attempt, so that nothing typed is lost when the prompt is asked again (INT8). */
  @property({ attribute: false }) lastEdit: Json | undefined;
  @property({ type: Boolean }) isDisabled = false;
  /** The answer that is being sent. */
  @property({ attribute: false }) sending: Answer | undefined;
  /** Whether some of what is asked about was not in view yet: until then nothing can be allowed (WEB7). */
  @property({ type: Boolean }) isUnread = false;
  /** This person's vote, if several votes decide (TEAM3); it can be changed. */
  @property({ attribute: false }) ownVote: Vote['action'] | undefined;
  /** Whether this person may allow always. */
  @property({ type: Boolean }) mayAlways = false;

  /** Whether the wider consents are shown, each with what it would allow. */
  @state() private isOpen = false;
  /** Whether a press was ignored as a possible misclick. */
  @state() private isEarly = false;
  /** Whether the subject is shown line by line, so that lines can be commented on. */
  @state() private isCommenting = false;
  /** Error of the reason in the last answer. */
  @state() private reasonFault = '';
  /** Loaded with the first prompt that can be edited: most cannot. */
  @state() private editor: typeof import('./args-editor.ts') | undefined;
  @query('#reason') private reasonField!: HTMLElement | null;
  readonly #guard = new MisclickGuard(this);
  readonly #draft = new ApprovalDraft(
    this,
    () => ({ request: this.request, draftKey: this.draftKey, isEditable: this.#isEditable }),
    (draft) => this.#fire('parley-draft', draft),
  );
  #shown: string | undefined;

  /** Focuses the nth button, counted from 1, so that Enter presses it. @returns the button; it may be disabled */
  choose(n: number): HTMLButtonElement | undefined {
    const button = this.renderRoot.querySelectorAll<HTMLButtonElement>('[data-answer]')[n - 1];
    if (!button) return undefined;
    if (button.checkVisibility()) button.focus();
    else {
      this.isOpen = true;
      void this.updateComplete.then(() => button.focus());
    }
    return button;
  }

  /** Takes a text from the message box as the reason. Nothing is sent: it fits any answer (WEB9). @returns whether it can be taken */
  takeReason(text: string): boolean {
    if (this.#isIdle) return false;
    this.#setReason([this.#draft.reason?.trim(), text].filter(Boolean).join(' '));
    void this.updateComplete.then(() => this.reasonField?.focus());
    return true;
  }

  /** Takes over what another tab of this person enters, as long as nothing was entered here (INT18). */
  takeDraft(values: FormInput): void {
    if (!this.#isIdle) this.#draft.take(values);
  }

  /** The end of the lines that are shown instead of the subject. */
  get endOfLines(): Element | undefined {
    return this.renderRoot.querySelector<LineComments>('parley-line-comments')?.end ?? undefined;
  }

  /** Shows the subject line by line, to comment on. @returns whether there are lines */
  comment(): boolean {
    if (!this.#isAnnotatable || this.#isIdle) return false;
    if (!this.isCommenting) void this.#toggleComments();
    return true;
  }

  protected override willUpdate(_changed: PropertyValues): void {
    const { interactionId } = this.request;
    if (interactionId !== this.#shown)
      this.#draft.begin(this.lastEdit === undefined ? undefined : showPart(this.request, this.lastEdit));
    this.#shown = interactionId;
    this.#guard.watch(interactionId);
    if (this.#isEditable && !this.editor) void this.#loadEditor().catch(() => undefined); // without it one can still decide
  }

  protected override updated(): void {
    this.toggleAttribute('editing', this.#draft.edited !== undefined); // the card then hides the subject, which is out of date
    this.toggleAttribute('commenting', this.isCommenting); // the lines are shown instead
  }

  override render() {
    const { rules = [], interactionType } = this.request;
    const isLink = interactionType === 'url';
    const others = isLink ? [] : this.#scopes.slice(1);
    const ownRules = this.#draft.edited === undefined ? rules : []; // the rules apply to what was shown, not to an edit
    const hasMore = others.length + ownRules.length > 0;
    return html`<div class="foot">
      <slot></slot>
      ${this.isCommenting ? html`<parley-line-comments .request=${this.request} .comments=${this.#draft.comments} ?isDisabled=${this.#isIdle} @parley-comments=${this.#setComments}></parley-line-comments>` : nothing}
      ${
        this.#draft.edited === undefined
          ? nothing
          : this.editor?.renderEditor(this.request, {
              text: this.#draft.edited,
              fault: this.#readEdited().fault,
              isDisabled: this.#isIdle,
              onInput: (edited) => this.#draft.change({ edited }),
            })
      }
      ${
        this.#draft.reason === undefined
          ? nothing
          : renderReason(this.request, {
              text: this.#draft.reason,
              fault: this.reasonFault,
              isDisabled: this.#isIdle,
              onInput: (text) => this.#setReason(text),
              onLeave: () => this.renderRoot.querySelector<HTMLElement>('[data-answer="deny"]')?.focus(),
            })
      }
      ${this.#losesComments ? html`<p class="unread">The agent reads comments only if you deny.</p>` : nothing}
      ${this.#isGated && !this.#isIdle && !this.#guard.isNew ? html`<p class="unread">Read to the end to allow it.</p>` : nothing}
      <div class="actions ${this.#draft.reason === undefined ? '' : 'said'}" role="group" aria-label="Your answer: ${showHidden(headingOf(this.request))}">
        <button data-answer="deny" aria-pressed=${this.ownVote === 'deny' ? 'true' : nothing} ?disabled=${this.#isIdle} @click=${this.#deny}>
          ${this.ownVote === 'deny' ? icons.check : nothing}${this.sending?.action === 'deny' ? 'Sending …' : this.ownVote === 'deny' ? 'Denied' : `Deny${this.#withComments}`}<kbd aria-hidden="true" data-digit="1"></kbd>
        </button>
        ${this.#draft.reason === undefined ? this.#renderReasonButton() : nothing} <slot name="attach"></slot> ${this.#isAnnotatable ? this.#renderCommentButton() : nothing} ${this.#isEditable && this.editor ? this.#renderEditButton() : nothing}
        <div class="split">
          ${isLink ? this.#renderOpen() : this.#renderOnce()} ${hasMore ? this.#renderMore() : nothing}
        </div>
        ${hasMore ? this.#renderOthers(others, ownRules) : nothing}
      </div>
    </div>`;
  }

  get #isEditable(): boolean {
    return this.request.editable === true && this.args !== undefined;
  }

  get #isAnnotatable(): boolean {
    return this.request.subject !== undefined && this.#draft.edited === undefined;
  }

  get #withComments(): string {
    return this.#draft.comments.length > 0 ? ` with ${countComments(this.#draft.comments)}` : '';
  }

  /** Whether a yes would keep the comments from whoever asks (REV2). */
  get #losesComments(): boolean {
    return this.request.wordsOnlyWithDenial === true && this.#draft.comments.length > 0;
  }

  get #isIdle(): boolean {
    return this.isDisabled || this.sending !== undefined;
  }

  /** Whether allowing is blocked until everything was in view. An edit is not blocked: people have seen what they wrote. */
  get #isGated(): boolean {
    const { args, fault } = this.#readEdited();
    return this.isUnread && args === undefined && fault === undefined;
  }

  /**
   * Returns whether a button that allows is disabled, and its class. @param isForShown - the button allows what was shown, not an
   * edit
   */
  #judgeAllow(isForShown = false): { isInert: boolean; look: string } {
    const isGated = isForShown ? this.isUnread : this.#isGated;
    const isNew = this.#guard.isNew;
    const isInert = this.#isIdle || isNew || isGated || this.#readEdited().fault !== undefined;
    return { isInert, look: this.isEarly ? 'early' : isNew && !isGated && !this.#isIdle ? 'inert' : '' };
  }

  #renderReasonButton() {
    const when = this.request.wordsOnlyWithDenial ? ' only if you deny' : '';
    return html`<button class="icon" title="Add a reason, which the agent reads${when}" aria-label="Add a reason" aria-description="The agent reads it${when}" ?disabled=${this.#isIdle} @click=${this.#openReason}>
      ${icons.note}
    </button>`;
  }

  #renderCommentButton() {
    const name = this.isCommenting ? 'Stop commenting' : 'Comment on lines';
    return html`<button class="icon" title=${name} aria-label=${name} aria-description="" aria-keyshortcuts="c" ?disabled=${this.#isIdle} @click=${this.#toggleComments}>
      ${this.isCommenting ? icons.undo : icons.form}
    </button>`;
  }

  #renderEditButton() {
    const isEditing = this.#draft.edited !== undefined;
    const name = isEditing ? 'Undo the edit' : `Edit the ${nameOfPart(this.request)}`;
    const isInert = this.#isIdle || (this.isUnread && !isEditing);
    return html`<button class="icon" title=${name} aria-label=${name} aria-description="" ?disabled=${isInert} @click=${this.#toggleEditor}>
      ${isEditing ? icons.undo : icons.pencil}
    </button>`;
  }

  get #tone(): string {
    return this.request.risk === 'high' ? 'risky' : '';
  }

  #renderOnce() {
    const [scope] = this.#scopes;
    if (!scope) return nothing;
    const isGiven = this.ownVote === 'approve';
    const label = isGiven && !this.sending ? 'Approved' : this.#nameScope(scope);
    return this.#renderAllow(isGiven ? 'given' : `primary ${this.#tone}`, label, () => this.#approve(scope));
  }

  /** Returns the scope's label. Only the pressed button shows that its answer is being sent. */
  #nameScope(scope: ApprovalScope): string {
    const { action, approvalScope, ruleId } = this.sending ?? {};
    const isOnItsWay = action === 'approve' && approvalScope === scope && ruleId === undefined;
    return isOnItsWay
      ? 'Sending …'
      : `${scopeLabels[scope]}${scope === 'once' && !this.#losesComments ? this.#withComments : ''}`;
  }

  #renderOpen() {
    return this.#renderAllow(`primary ${this.#tone}`, 'Open link', () => this.#openAddress());
  }

  #renderAllow(style: string, label: unknown, run: () => void, isForShown = false) {
    const { isInert, look } = this.#judgeAllow(isForShown);
    const isGiven = style === 'given';
    const isFirst = isGiven || style.startsWith('primary');
    return html`<button
      class="${style} ${look}"
      data-answer="approve"
      aria-pressed=${isGiven ? 'true' : nothing}
      ?disabled=${isInert}
      @click=${(event: UIEvent) => this.#allow(event, run)}
    >${isGiven ? icons.check : nothing}${label}${isFirst ? html`<kbd aria-hidden="true" data-digit="2"></kbd>` : nothing}</button>`;
  }

  #renderMore() {
    return html`<button
      class="primary more ${this.#tone}"
      aria-label="More ways to allow"
      title="More ways to allow"
      aria-description=""
      aria-expanded=${this.isOpen ? 'true' : 'false'}
      aria-controls="others"
      ?disabled=${this.#isIdle}
      @click=${this.#toggleMore}
    >${icons.chevron}</button>`;
  }

  #renderOthers(scopes: readonly ApprovalScope[], rules: readonly OfferedRule[]) {
    return html`<div class="others ${this.isOpen ? 'open' : ''}" id="others" role="group" aria-label="Allow more than this">
      ${scopes.map(
        (scope) => html`<div class="other">
          ${this.#renderAllow(this.#tone, this.#nameScope(scope), () => this.#approve(scope))}
          ${renderCovers(this.request, scope, this.#draft.edited !== undefined)}
        </div>`,
      )}
      ${rules.map((rule) => this.#scopesOf(rule).map((scope) => this.#renderRule(rule, scope)))}
    </div>`;
  }

  /** Renders a wider consent: a button with the exact text of what it allows (APR7). */
  #renderRule({ id, label, keptByCaller }: OfferedRule, scope: OfferedRule['scopes'][number]) {
    const where = keptByCaller && scope === 'always' ? '' : `, ${ruleScopeWords[scope]}`; // the label says where the rule is kept
    const words = html`<span>Allow ${renderUntrusted(label)}${where}</span>`;
    const run = () => this.#answer({ action: 'approve', approvalScope: scope, ruleId: id });
    return html`<div class="other rule">${this.#renderAllow(this.#tone, words, run, true)}</div>`;
  }

  #scopesOf({ scopes }: OfferedRule) {
    return scopes.filter((scope) => scope !== 'always' || this.mayAlways);
  }

  get #scopes(): readonly ApprovalScope[] {
    const { approvalScopes = ['once'] } = this.request;
    return approvalScopes.filter((scope) => scope !== 'always' || this.mayAlways);
  }

  #setReason(text: string): void {
    this.reasonFault = '';
    this.#draft.change({ reason: text });
  }

  async #openReason(): Promise<void> {
    this.#draft.openReason();
    await this.updateComplete;
    this.reasonField?.focus();
  }

  async #toggleComments(): Promise<void> {
    await import('./line-comments.ts');
    this.isCommenting = !this.isCommenting;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('parley-line-comments')?.focus();
  }

  #setComments({ detail }: CommentsEvent): void {
    this.#draft.change({ comments: detail });
  }

  async #toggleEditor(): Promise<void> {
    this.isCommenting = false;
    this.#draft.change({ edited: this.#draft.edited === undefined ? showPart(this.request, this.args) : undefined });
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('#args')?.focus();
  }

  /**
   * Opens or closes the wider consents. They appear at the end of the card, where they cover nothing, and are scrolled into view.
   */
  async #toggleMore(): Promise<void> {
    this.isOpen = !this.isOpen;
    await this.updateComplete;
    this.scrollIntoView({ block: 'nearest' });
  }

  async #loadEditor(): Promise<void> {
    this.editor = await import('./args-editor.ts');
  }

  /** Returns the edit, with an error while the editor is not loaded, so that nothing can be allowed. */
  #readEdited(): Edit {
    if (this.#draft.edited === undefined) return { args: undefined };
    return this.editor?.readEdit(this.request, this.args, this.#draft.edited) ?? { fault: '' };
  }

  /** Dims the buttons after an ignored press, so that people see that nothing happened. */
  #allow(event: UIEvent, run: () => void): void {
    this.isEarly = !this.#guard.isMeant(event);
    if (!this.isEarly) run();
    else
      setTimeout(() => {
        this.isEarly = false;
      }, guardMs);
  }

  #deny(): void {
    this.#answer({ action: 'deny' });
  }

  #approve(approvalScope: ApprovalScope): void {
    const { args: editedArgs } = this.#readEdited();
    this.#answer({ action: 'approve', approvalScope, ...(editedArgs !== undefined && { editedArgs }) });
  }

  /** Opens the link within the click itself; otherwise the browser would block it as a pop-up. */
  #openAddress(): void {
    if (!findReasonFault(this.request, { action: 'approve', reason: this.#draft.reason }))
      window.open(this.request.url, '_blank', 'noopener,noreferrer');
    this.#answer({ action: 'approve' });
  }

  #answer(answer: Answer): void {
    if (this.#isIdle) return;
    const reason = this.#draft.reason?.trim();
    this.reasonFault = findReasonFault(this.request, { ...answer, reason });
    if (this.reasonFault) return void this.updateComplete.then(() => this.reasonField?.focus());
    const annotations = this.#draft.edited === undefined ? this.#draft.comments : [];
    const detail: Answer = { ...answer, ...(reason && { reason }), ...(annotations.length > 0 && { annotations }) };
    this.#fire('parley-answer', detail);
  }

  #fire(type: 'parley-answer' | 'parley-draft', detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}
