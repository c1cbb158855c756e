import {
  type Answer,
  hasVisible,
  type InteractionItem,
  type InteractionRequest,
  nameOf,
  ownerOf,
  type Payload,
  type Placed,
  type Principal,
  personOf,
  showHidden,
} from '@parleyhq/core';
import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { announce } from '../browser/announce.ts';
import { commentDraftKey, draftStore } from '../browser/draft-store.ts';
import { isComposing } from '../browser/focus.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { formatTime } from '../ui/time.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { showWhole } from './folding.ts';
import { headingOf } from './words.ts';

/** Whoever looks at a discussion. */
export interface Discussant {
  readonly principal: Principal;
  readonly now: () => number;
  /** Says something under a prompt; undefined if this person may not. */
  readonly comment?: (interactionId: string, text: string) => Promise<void>;
}

type Comment = Placed<Payload<'interaction_comment'>>;

/** Maximum age, in ms, of a comment that is announced when it appears. */
const newMs = 10_000;

/**
 * What was said under a prompt and its earlier attempts, and a box to say more (REV4).
 * @fires parley-answer - the person denies the prompt, with the words as the reason
 */
@customElement('parley-discussion')
export class Discussion extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: grid;
        gap: var(--s3);
        border-top: 1px solid var(--line);
        padding-block: var(--s3) var(--s4);
      }
      ol {
        display: grid;
        gap: var(--s2);
        margin: 0;
        padding: 0;
        list-style: none;
      }
      .who {
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-3);
      }
      .who strong {
        color: var(--ink-2);
      }
      li p {
        margin: 0;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      form {
        display: grid;
        grid-template-columns: 1fr auto;
        align-items: end;
        gap: var(--s2);
      }
      textarea {
        field-sizing: content;
        resize: none;
        min-height: var(--control);
        max-height: 12rem;
      }
      .unheard {
        grid-column: 1 / -1;
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        justify-content: space-between;
        gap: var(--s2);
        margin: 0;
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-3);
      }
      .failure {
        grid-column: 1 / -1;
        margin: 0;
        color: var(--danger);
      }
    `,
  ];

  @property({ attribute: false }) attempts: readonly InteractionItem[] = [];
  @property({ attribute: false }) viewer!: Discussant;
  @property() draftKey = '';
  /** Whether this person may deny the prompt: then the words can be the reason. */
  @property({ type: Boolean }) mayDeny = false;
  /** Whether the prompt is still open: then the box is there as soon as somebody has commented. */
  @property({ type: Boolean }) isOpen = false;
  /** Whether this person asked for the box, which then gets the focus. */
  @property({ type: Boolean }) isWriting = false;
  @state() private isSending = false;
  @state() private failure = '';
  @query('textarea') private box!: HTMLTextAreaElement | null;
  readonly #announced = new Set<string>();
  #count = 0;

  override render() {
    const comments = this.#comments;
    return html`${comments.length === 0 ? nothing : html`<ol aria-label="Comments on the question">${comments.map((comment) => this.#renderComment(comment))}</ol>`}
    ${this.viewer.comment && (this.isWriting || (this.isOpen && comments.length > 0)) ? this.#renderBox() : nothing}`;
  }

  get #draft(): string {
    return String(draftStore.read(commentDraftKey(this.draftKey))?.input.text ?? '');
  }

  get #comments(): readonly Comment[] {
    return this.attempts.flatMap(({ comments = [] }) => comments);
  }

  #renderComment({ payload: { by, text, isAskers }, timestamp }: Comment) {
    const who = this.#isOwn(by) ? 'You' : renderUntrusted(nameOf(by));
    return html`<li>
      <span class="who"><strong>${who}</strong>${isAskers ? ' (asks this)' : nothing} · <time datetime=${timestamp}>${formatTime(timestamp)}</time></span>
      <p class="untrusted">${showHidden(text)}</p>
    </li>`;
  }

  #renderBox() {
    return html`<form @submit=${this.#submit}>
      <textarea
        rows="1"
        dir="auto"
        enterkeyhint="send"
        aria-label=${`Comment on “${this.#current ? headingOf(this.#current) : ''}”`}
        placeholder="Ask or comment"
        .value=${this.#draft}
        ?readonly=${this.isSending}
        @input=${this.#keep}
        @keydown=${this.#press}
      ></textarea>
      <button ?disabled=${this.isSending}>Comment</button>
      ${this.#isHeard ? nothing : this.#renderUnheard()}
      ${this.failure ? html`<p class="failure" role="alert">${renderUntrusted(this.failure)}</p>` : nothing}
    </form>`;
  }

  /** Says that only people can reply, and offers to ask in the denial instead (REV4). */
  #renderUnheard() {
    return html`<p class="unheard">
      <span>${this.mayDeny ? 'Only people can reply here. “Deny and ask” sends the words to whoever asks.' : 'Only people can reply here.'}</span>
      ${this.mayDeny ? html`<button type="button" ?disabled=${!hasVisible(this.#draft)} @click=${this.#denyAndAsk}>Deny and ask</button>` : nothing}
    </p>`;
  }

  /** Whether whoever asks may reply, or has done so. */
  get #isHeard(): boolean {
    const { request, pending, comments = [] } = this.attempts.at(-1) ?? {};
    if (pending) return false; // the tool has gone on
    return request?.payload.commentsTo !== undefined || comments.some(({ payload }) => payload.isAskers);
  }

  get #current(): InteractionRequest | undefined {
    return this.attempts.at(-1)?.request?.payload;
  }

  #isOwn(by: Comment['payload']['by']): boolean {
    return personOf(by) === ownerOf(this.viewer.principal);
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('isWriting') && this.isWriting) this.box?.focus();
    const count = this.#comments.length;
    if (count > this.#count && this.matches(':focus-within')) showWhole(this);
    this.#count = count;
    for (const { payload, timestamp } of this.#comments) {
      if (this.#announced.has(payload.commentId)) continue;
      this.#announced.add(payload.commentId);
      if (!this.#isOwn(payload.by) && this.viewer.now() - Date.parse(timestamp) < newMs)
        announce(showHidden(`${nameOf(payload.by)} says: ${payload.text}`));
    }
  }

  #keep(): void {
    const { interactionId = '' } = this.attempts.at(-1) ?? {};
    draftStore.write(commentDraftKey(this.draftKey), {
      input: { text: this.box?.value ?? '' },
      attempt: interactionId,
    });
    this.requestUpdate();
  }

  /** Enter sends, as in the message box; Shift+Enter begins a new line. */
  #press(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    if (!event.repeat) void this.#send();
  }

  #submit(event: Event): void {
    event.preventDefault();
    void this.#send();
  }

  #denyAndAsk(): void {
    const reason = this.box?.value ?? '';
    this.dispatchEvent(new CustomEvent<Answer>('parley-answer', { detail: { action: 'deny', reason } }));
  }

  async #send(): Promise<void> {
    const { interactionId = '' } = this.attempts.at(-1) ?? {};
    const { box } = this;
    if (!box || this.isSending || !hasVisible(box.value)) return;
    this.failure = '';
    this.isSending = true;
    try {
      await this.viewer.comment?.(interactionId, box.value);
      box.value = '';
      this.#keep();
    } catch (error) {
      this.failure = (error as Error).message;
    } finally {
      this.isSending = false;
    }
  }
}
