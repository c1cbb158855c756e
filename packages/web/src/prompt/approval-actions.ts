import {
  type Answer,
  type ApprovalScope,
  canonicalise,
  type InteractionRequest,
  type Json,
  type OfferedRule,
} from '@parleyhq/core';
import { css, html, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { GuardedElement } from '../ui/guarded-element.ts';
import { renderUntrusted, revealHidden } from '../ui/untrusted-text.ts';
import { nameOfPart, showPart, withPart } from './edited-part.ts';
import { describeLife, renderRule } from './grant-rule.ts';
import { guardMs, MisclickGuard } from './misclick-guard.ts';
import { ruleScopeWords, scopeLabels } from './words.ts';

/**
 * The buttons of an approval or link: deny, or allow with one of the offered scopes, optionally with a reason and edited arguments.
 * @fires parley-answer
 */
@customElement('parley-approval')
export class ApprovalActions extends GuardedElement {
  static override styles = [
    base,
    controls,
    css`
      :host {
        position: sticky;
        bottom: 0;
        z-index: 1;
      }
      .actions,
      .answers {
        display: flex;
        gap: 0.5rem;
        flex-wrap: wrap;
        align-items: center;
        justify-content: flex-end;
      }
      .answers {
        margin-left: auto;
      }
      @media (max-height: 45rem) {
        :host {
          position: static; /* the subject comes first where there is no room for both (WEB7) */
        }
      }
      .answers button {
        padding-inline: 0.75rem;
      }
      button.plain:first-child {
        margin-left: -0.6rem;
      }
      .field {
        display: grid;
        gap: 0.3rem;
        font-size: 0.875rem;
      }
      .args {
        font: 400 0.8125rem/1.5 var(--mono);
        min-height: 8rem;
        max-height: 40vh;
      }
      .early {
        opacity: 0.55;
      }
      .unread {
        font-size: 0.8125rem;
        color: var(--ink-2);
      }
      .rule {
        font-size: 0.8125rem;
        color: var(--ink-2);
        max-height: 6rem;
        overflow: auto;
        overflow-wrap: anywhere;
      }
      .rule code {
        font: 500 0.75rem/1.4 var(--mono);
        background: var(--sunken);
        border-radius: 4px;
        padding: 0.05rem 0.3rem;
        white-space: pre-wrap;
      }
      .rules {
        display: grid;
        gap: 0.4rem;
        justify-items: end;
        max-height: 12rem;
        overflow: auto;
      }
      .rules button {
        height: auto;
        text-align: start;
        white-space: normal;
        overflow-wrap: anywhere;
      }
      .error {
        color: var(--danger);
        font-weight: 500;
      }
      @media (max-width: 30rem) {
        .answers {
          flex: 1 1 100%;
        }
        .answers button {
          flex: 1 1 auto;
        }
      }
    `,
  ];

  @property({ attribute: false }) request!: InteractionRequest;
  /** The call's arguments, if they may be edited. */
  @property({ attribute: false }) args: Json | undefined;
  /** The arguments as edited in the previous attempt: when asked again, nothing that was typed is lost (INT8). */
  @property({ attribute: false }) lastEdit: Json | undefined;
  @property({ type: Boolean }) isDisabled = false;
  @property({ type: Boolean }) isSending = false;
  /** Not all of what is asked about was in view: nothing can be allowed yet (WEB7). */
  @property({ type: Boolean }) isUnread = false;
  /** Whether this person may allow always. */
  @property({ type: Boolean }) mayAlways = false;

  /** A press was ignored as a possible misclick. */
  @state() private isEarly = false;
  @state() private reason: string | undefined;
  @state() private edited: string | undefined;
  readonly #guard = new MisclickGuard(this);
  #shown: string | undefined;

  /** Focuses the nth button, counted from 1, so that Enter presses it. @returns whether there is one */
  choose(n: number): boolean {
    const button = this.renderRoot.querySelectorAll<HTMLElement>('button[data-answer]')[n - 1];
    button?.focus();
    return button !== undefined;
  }

  protected override willUpdate(_changed: PropertyValues): void {
    const { interactionId } = this.request;
    if (interactionId !== this.#shown && this.lastEdit !== undefined)
      this.edited = showPart(this.request, this.lastEdit);
    this.#shown = interactionId;
    this.#guard.watch(interactionId);
  }

  protected override updated(): void {
    this.toggleAttribute('editing', this.edited !== undefined); // the card then hides the subject, which is out of date
  }

  override render() {
    const { editable } = this.request;
    const isEditable = editable && this.args !== undefined;
    return html`<div class="foot">
      <slot></slot>
      ${this.edited === undefined ? nothing : this.#renderEditor(this.edited)}
      ${this.reason === undefined ? nothing : this.#renderReason()}
      ${this.#isGated && !this.#isIdle && !this.#guard.isNew ? html`<p class="unread">Read to the end to allow it.</p>` : this.#renderRule()}
      <div class="actions">
        ${
          this.reason === undefined
            ? html`<button class="plain" ?disabled=${this.#isIdle} @click=${this.#openReason}>Add a reason</button>`
            : nothing
        }
        ${
          isEditable
            ? html`<button class="plain" ?disabled=${this.#isIdle || (this.isUnread && this.edited === undefined)} @click=${this.#toggleEditor}>
                ${this.edited === undefined ? `Edit the ${nameOfPart(this.request)}` : 'Undo the edit'}
              </button>`
            : nothing
        }
        <div class="answers">
          <button data-answer="deny" ?disabled=${this.#isIdle} @click=${this.#deny}>Deny</button>
          ${this.#renderAllow()}
        </div>
      </div>
      ${this.#renderRules()}
    </div>`;
  }

  get #isIdle(): boolean {
    return this.isDisabled || this.isSending;
  }

  /** Nothing can be allowed before it was in view; an edit is what its author wrote. */
  get #isGated(): boolean {
    return this.isUnread && this.#readEdited() === undefined;
  }

  #renderAllow() {
    const { interactionType } = this.request;
    const isNew = this.#guard.isNew;
    const isInert = this.#isIdle || isNew || this.#isGated || this.#readEdited() === 'broken';
    const style = (isPrimary: boolean) =>
      `${isPrimary ? 'primary ' : ''}${this.isEarly ? 'early' : isNew && !this.#isGated && !this.#isIdle ? 'inert' : ''}`;
    if (interactionType === 'url') {
      return html`<button class=${style(true)} data-answer="approve" ?disabled=${isInert} @click=${(event: UIEvent) => this.#allow(event, () => this.#openAddress())}>
        Open link
      </button>`;
    }
    return this.#scopes.map(
      (scope, n) => html`<button
        class=${style(n === 0)}
        data-answer="approve"
        ?disabled=${isInert}
        @click=${(event: UIEvent) => this.#allow(event, () => this.#approve(scope))}
      >
        ${this.isSending ? 'Sending …' : scopeLabels[scope]}
      </button>`,
    );
  }

  /** Wider consents, each a button with the exact words of what it allows (APR7). They are for what was shown, not for an edit. */
  #renderRules() {
    const { rules = [] } = this.request;
    if (rules.length === 0 || this.edited !== undefined) return nothing;
    return html`<div class="rules" role="group" aria-label="Allow more than this">
      ${rules.map((rule) => this.#scopesOf(rule).map((scope) => this.#renderRuleButton(rule, scope)))}
    </div>`;
  }

  #renderRuleButton({ id, label, keptByCaller }: OfferedRule, scope: OfferedRule['scopes'][number]) {
    const isInert = this.#isIdle || this.isUnread || this.#guard.isNew;
    const where = keptByCaller && scope === 'always' ? '' : `, ${ruleScopeWords[scope]}`; // the label says where it is kept
    return html`<button
      class=${this.isEarly ? 'early' : isInert && !this.isUnread && !this.#isIdle ? 'inert' : ''}
      data-answer="approve"
      ?disabled=${isInert}
      @click=${(event: UIEvent) => this.#allow(event, () => this.#answer({ action: 'approve', approvalScope: scope, ruleId: id }))}
    >
      <span>Allow ${renderUntrusted(label)}${where}</span>
    </button>`;
  }

  #scopesOf({ scopes }: OfferedRule) {
    return scopes.filter((scope) => scope !== 'always' || this.mayAlways);
  }

  /** Exactly what an approval beyond once would allow (APR4). */
  #renderRule() {
    const { grantKey, toolName } = this.request;
    if (grantKey === undefined || this.#scopes.every((scope) => scope === 'once')) return nothing;
    const until = describeLife(this.request, this.#scopes);
    const covered = this.edited === undefined ? renderRule(grantKey, toolName) : 'the arguments as edited here';
    return html`<p class="rule">An approval beyond once covers ${covered}, ${until}.</p>`;
  }

  get #scopes(): readonly ApprovalScope[] {
    const { approvalScopes = ['once'] } = this.request;
    return approvalScopes.filter((scope) => scope !== 'always' || this.mayAlways);
  }

  #renderReason() {
    return html`<div class="field">
      <label for="reason">Reason (the agent reads it)</label>
      <input
        id="reason"
        dir="auto"
        maxlength="10000"
        autocomplete="off"
        .value=${this.reason ?? ''}
        ?disabled=${this.#isIdle}
        @input=${(event: InputEvent) => {
          this.reason = (event.target as HTMLInputElement).value;
        }}
      />
    </div>`;
  }

  #renderEditor(edited: string) {
    const isBroken = this.#readEdited() === 'broken';
    return html`<div class="field">
      <label for="args">The ${nameOfPart(this.request)} (what you see here is what runs)</label>
      <textarea
        id="args"
        class="args"
        spellcheck="false"
        aria-invalid=${isBroken ? 'true' : nothing}
        aria-describedby=${isBroken ? 'args-error' : nothing}
        .value=${edited}
        ?disabled=${this.#isIdle}
        @input=${(event: InputEvent) => {
          this.edited = (event.target as HTMLTextAreaElement).value;
        }}
      ></textarea>
      ${revealHidden(edited)}
      ${isBroken ? html`<p class="error" id="args-error">This is not valid JSON.</p>` : nothing}
    </div>`;
  }

  async #openReason(): Promise<void> {
    this.reason = '';
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('#reason')?.focus();
  }

  #toggleEditor(): void {
    this.edited = this.edited === undefined ? showPart(this.request, this.args) : undefined;
  }

  /** The edited arguments; undefined if nothing was changed. */
  #readEdited(): Json | undefined | 'broken' {
    const { edited, args = null, request } = this;
    if (edited === undefined) return undefined;
    try {
      const value = withPart(request, args, edited);
      return canonicalise(value) === canonicalise(args) ? undefined : value;
    } catch {
      return 'broken';
    }
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
    const editedArgs = this.#readEdited();
    this.#answer({ action: 'approve', approvalScope, ...(editedArgs !== undefined && { editedArgs }) });
  }

  /** Opens the link within the click itself, or the browser would block it as a pop-up. */
  #openAddress(): void {
    window.open(this.request.url, '_blank', 'noopener,noreferrer');
    this.#answer({ action: 'approve' });
  }

  #answer(answer: Answer): void {
    if (this.#isIdle) return;
    const reason = this.reason?.trim();
    const detail: Answer = reason ? { ...answer, reason } : answer;
    this.dispatchEvent(new CustomEvent('parley-answer', { detail, bubbles: true, composed: true }));
  }
}
