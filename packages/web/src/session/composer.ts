import { type Answer, type FileReference, maxReasonLength } from '@parleyhq/core';
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { draftKey } from '../browser/draft-store.ts';
import { isComposing, isPointed } from '../browser/focus.ts';
import { tabStorage } from '../browser/storage.ts';
import { giveAttached } from '../prompt/attached-draft.ts';
import { Attaching, attachLater } from '../prompt/attaching.ts';
import type { RespondEvent } from '../prompt/interaction-card.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from '../ui/icons.ts';
import { guardMs } from '../ui/misclick-guard.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import { composerStyles } from './composer-styles.ts';
import type { Reply } from './reply.ts';

/** The targets of text that answers nothing; a `denial` denies everything that the turn asks and is the next message (REV5). */
type Words = 'message' | 'denial';

type Place = Reply | Words;

/**
 * What the draft answers, and what decided that. `words`: the question that was open when the first word was written. `writer`:
 * the person chose; the choice lasts until the question that was open at that time ends.
 */
type Aim =
  | { readonly by: 'nobody'; readonly to?: undefined }
  | { readonly by: 'words'; readonly to: Place }
  | { readonly by: 'writer'; readonly to: Place; readonly during: string | undefined };

const unaimed: Aim = { by: 'nobody' };
const toMessage: Aim = { by: 'words', to: 'message' };

const isLasting = (aim: Aim, reply: Reply | undefined): boolean =>
  aim.by === 'writer' && aim.during !== undefined && aim.during === reply?.interactionId;

/** Where a draft belongs. */
type Box = Pick<Composer, 'sessionId' | 'owner'>;

const keyOf = ({ sessionId, owner }: Box) => `parley.message.${sessionId}${owner && `.${encodeURIComponent(owner)}`}`;
const filesKeyOf = ({ sessionId, owner }: Box) => draftKey(owner, sessionId, 'message');

/**
 * Puts a message into a box that is not on the page, before what is in it (INT19). @param added - files to upload once it is
 */
export function keepForLater(box: Box, { text, files = [] }: MessageDraft, added: readonly File[] = []): void {
  giveAttached(filesKeyOf(box), files);
  attachLater(filesKeyOf(box), added);
  const before = tabStorage.getItem(keyOf(box)) ?? '';
  if (text) tabStorage.setItem(keyOf(box), joinTexts(text, before));
}

const joinTexts = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n');

/** A message to send. */
export interface MessageDraft {
  readonly text: string;
  readonly files?: readonly FileReference[] | undefined;
}

/** Renders a message that has not reached the server yet. */
export const renderWaiting = (text: string, why = 'Waiting for the connection') =>
  html`<p role="status">${renderUntrusted(text)} <small>${why}</small></p>`;

/** A message to begin a session with, and files for it. */
export type BeginEvent = CustomEvent<{ readonly text: string; readonly files: readonly File[] }>;

/** Text that answers a question instead of being a message. */
export type ReplyEvent = CustomEvent<{ readonly reply: Reply; readonly text: string }>;

const isSame = (place: Place, reply: Reply | undefined): boolean =>
  typeof place === 'object' && place.interactionId === reply?.interactionId;

/**
 * Renders what sending will do. Screen readers also announce that this is about the draft, and not about an answer already given.
 */
const renderFate = (words: string, buttons: TemplateResult | typeof nothing = nothing) =>
  html`<div class="fate"><p id="fate" role="status"><span class="visually-hidden">What you write here: </span>${words}</p>${buttons}</div>`;

const uses = { answer: 'Answers', reason: 'Reason for' } as const;
const usesAnnounced = { answer: 'is the answer', reason: 'becomes the reason' } as const;

/** Whether a text goes to the agent even if a question is open. */
const isCommand = (text: string): boolean => text.startsWith('/');

/**
 * The message box. Enter sends and Shift+Enter starts a new line, but not while an input method is composing. An open question
 * docks to the box: a chip says that text written then answers it, or becomes the reason on its card (WEB9).
 * @fires parley-send - a message
 * @fires parley-begin - files were added before there is a session that could take them
 * @fires parley-deny-all - a message that denies what is asked
 * @fires parley-reply - the text of an answer
 * @fires parley-leave - Escape was pressed, and nothing has the focus
 * @fires parley-stop - the person wants the running turn to stop
 */
@customElement('parley-composer')
export class Composer extends LitElement {
  static override styles = [base, controls, composerStyles];

  /** Session of the draft; `new` before there is a session. */
  @property() sessionId = '';
  /** Principal that owns the draft, on pages that several people may use; otherwise empty. */
  @property() owner = '';
  @property({ type: Boolean }) isRunning = false;
  @property({ type: Boolean }) isDisabled = false;
  /** Whether the box takes the focus when the page opens, if nothing else has it. */
  @property({ type: Boolean }) takesFocus = false;

  /** Ids of the open questions that this person may answer, separated by spaces. */
  @property() asked = '';

  /** The open question that text would answer. */
  @property({
    attribute: false,
    hasChanged: (a?: Reply, b?: Reply) => a?.interactionId !== b?.interactionId || a?.isDocked !== b?.isDocked,
  })
  reply: Reply | undefined;

  @state() private text = '';
  @state() private aim: Aim = unaimed;
  /** Whether the text that was sent last does not answer the question. */
  @state() private isRefused = false;
  /** When the target last changed while there was text, in ms: Enter right after that is ignored. */
  #changedAt = Number.NEGATIVE_INFINITY;
  /** When a question docked here, in ms: right after that nobody has read yet that text would answer it. */
  #dockedAt = Number.NEGATIVE_INFINITY;
  #target: string | undefined;
  /** Whether a button has the focus, which it may lose when pressing it disables or removes it. */
  #isInButton = false;
  @query('textarea') private area!: HTMLTextAreaElement;
  /** Files of a message; for those of an answer there is its card. */
  readonly #attaching = new Attaching(this, () => ({
    to: 'message',
    place: { sessionId: this.sessionId },
    draftKey: filesKeyOf(this),
    takesFiles: !this.#findTarget(),
    isDisabled: this.isDisabled,
    ...(this.sessionId === 'new' && { take: (files: readonly File[]) => this.#begin(files) }),
  }));

  override async focus(): Promise<void> {
    await this.updateComplete;
    this.area?.focus();
  }

  /** Whether the box has the focus and is empty. */
  get isIdle(): boolean {
    return !this.text && !this.#attaching.isShown && this.matches(':focus-within');
  }

  /** Puts a message back, before what is in the box now (INT19). */
  giveBack({ text, files = [] }: MessageDraft): void {
    giveAttached(filesKeyOf(this), files);
    this.aim = this.aim.by === 'writer' ? { ...this.aim, to: 'message' } : toMessage; // a message must not become an answer
    this.#setText(joinTexts(text, this.text));
    this.requestUpdate();
  }

  /**
   * Adds the reason that is written here to the answer to its question, which was given on its card. @param keep - puts it on the card
   * as well, where it stays if the answer is refused
   */
  addReason({ request, answer }: RespondEvent['detail'], keep: (text: string) => boolean): Answer {
    const text = this.text.trim();
    const target = this.#findTarget();
    const reason = [answer.reason, text].filter(Boolean).join(' ');
    const isMeant = target?.as === 'reason' && target.interactionId === request.interactionId && text !== '';
    if (!isMeant || reason.length > maxReasonLength || !keep(text)) return answer;
    this.#setText('');
    return { ...answer, reason };
  }

  protected override willUpdate(changed: PropertyValues): void {
    this.#isInButton = this.shadowRoot?.activeElement instanceof HTMLButtonElement;
    if (changed.has('sessionId') || (changed.has('owner') && !this.text)) {
      this.text = tabStorage.getItem(keyOf(this)) ?? '';
      this.aim = this.text ? toMessage : unaimed;
    }
    if (changed.has('reply')) {
      this.#dockedAt = this.reply ? performance.now() : Number.NEGATIVE_INFINITY;
      if (!this.text) this.aim = unaimed;
    }
    if (this.aim.by === 'nobody' && this.#attaching.isShown) this.aim = toMessage; // what one attaches files to stays a message
    const isOther = changed.has('asked') && this.#followAsked(changed.get('asked'));
    const target = this.#nameTarget();
    if ((isOther || target !== this.#target) && this.text && !changed.has('text')) this.#changedAt = performance.now();
    this.#target = target;
  }

  /** Returns the question that the text would answer; undefined for a message. */
  #findTarget(): Reply | undefined {
    const isMeant = this.aim.by === 'nobody' ? this.reply?.isDocked : isSame(this.aim.to, this.reply);
    return isMeant && (this.aim.by === 'writer' || !isCommand(this.text)) ? this.reply : undefined;
  }

  /** Whether the text denies everything that is asked. */
  get #isDenial(): boolean {
    return this.asked !== '' && this.aim.to === 'denial';
  }

  /** Whether there is something to send; a message may be files alone. */
  get #hasWords(): boolean {
    const mayBeFiles = !this.#isDenial && !this.#findTarget();
    return this.text.trim() !== '' || (mayBeFiles && this.#attaching.files.length > 0);
  }

  /** Names what the text goes to; undefined for a message. */
  #nameTarget(): string | undefined {
    return this.#isDenial ? 'denial' : this.#findTarget()?.interactionId;
  }

  /** Ends a denial with the last question that it was meant for. @returns whether it now denies others than before */
  #followAsked(before = ''): boolean {
    if (this.aim.to !== 'denial') return false;
    const known = before.split(' ');
    const isOver = !this.asked.split(' ').some((id) => known.includes(id));
    if (isOver && !this.text) this.aim = unaimed;
    else if (isOver && this.asked) this.aim = toMessage;
    return this.asked !== '';
  }

  protected override firstUpdated(): void {
    if (this.takesFocus && document.activeElement === document.body && isPointed()) this.area.focus();
  }

  /** After Send or Stop, the focus returns to the text. */
  protected override updated(): void {
    if (this.#isInButton && isPointed() && !this.shadowRoot?.activeElement?.matches(':enabled')) this.area.focus();
  }

  override render() {
    const target = this.#findTarget();
    const send = this.#isDenial ? 'Deny all and send' : target?.as === 'reason' ? 'Use as the reason' : 'Send';
    return html`<form @submit=${this.#submit}>
      ${this.#renderFate(target)} ${this.#attaching.render()}
      <div class="row">
        ${this.#attaching.renderButton()}
        <textarea
          rows="1"
          aria-label="Message"
          aria-describedby="fate"
          dir="auto"
          autocapitalize="sentences"
          enterkeyhint="send"
          placeholder=${target?.hint ?? (this.isRunning ? 'Write the next message' : 'Write a message')}
          aria-invalid=${this.isRefused ? 'true' : nothing}
          .value=${live(this.text)}
          ?disabled=${this.isDisabled}
          @input=${(event: InputEvent) => this.#setText((event.target as HTMLTextAreaElement).value)}
          @keydown=${this.#press}
        ></textarea>
        ${
          this.isRunning
            ? html`<button type="button" class="stop" @click=${this.#stop} title="Stop the turn">${icons.stop}<span>Stop</span></button>`
            : nothing
        }
        <button class="primary" aria-label=${send} title="${send} (Enter)" aria-description="Enter" ?disabled=${this.isDisabled || !this.#hasWords}>
          ${icons.send}
        </button>
      </div>
    </form>`;
  }

  /** Renders where the text goes, and buttons for the other targets. */
  #renderFate(target: Reply | undefined) {
    const { reply, aim, asked } = this;
    if (target) return this.#renderTarget(target);
    const isLate = aim.to === 'denial' ? !asked : typeof aim.to === 'object' && !isSame(aim.to, reply);
    if (!asked) return isLate ? renderFate('It is settled: what you wrote is a message now') : nothing;
    const switchTo = (to: Place, words: string) =>
      html`<button type="button" class="plain" @click=${() => this.#aimAt(to)}>${words}</button>`;
    const other = reply && switchTo(reply, reply.as === 'answer' ? 'Answer instead' : 'Use as the reason');
    const isDenial = this.#isDenial;
    const message = isLate ? 'What you wrote is a message now' : 'A message: the agent reads it after the answer';
    const words = isDenial ? 'Denies all that is asked, and the agent reads it' : message;
    const first = isDenial ? switchTo('message', 'Just a message') : switchTo('denial', 'Do this instead');
    return html`${renderFate(words, html`<span>${first}${other}</span>`)}
    ${this.#renderFault(`A reason has at most ${maxReasonLength} characters.`)}`;
  }

  /** Renders the question that the text is for; its cross makes the text a message. */
  #renderTarget({ as, question }: Reply) {
    const cross = html`<button type="button" class="icon" aria-label="Write a message instead" title="Write a message instead" aria-description="" @click=${() => this.#aimAt('message')}>${icons.cross}</button>`;
    return html`<div class="fate target">
        <p id="fate">${uses[as]}: <b>${renderUntrusted(question)}</b></p>
        <span class="visually-hidden" role="status">What you write here ${usesAnnounced[as]}</span>
        ${cross}
      </div>
      ${this.#renderFault('No option has this number or name.')}`;
  }

  #renderFault(words: string) {
    return this.isRefused ? html`<p class="error" role="alert">${words}</p>` : nothing;
  }

  #aimAt(to: Place): void {
    this.isRefused = false;
    this.aim = { by: 'writer', to, during: this.reply?.interactionId };
    this.#target = this.#nameTarget(); // the writer chose the target, so it did not change unexpectedly
    this.area.focus();
  }

  #press(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    if (event.key === 'Escape') this.#leave();
    if (event.key === 'Enter' && !event.shiftKey) this.#submit(event);
  }

  #leave(): void {
    this.area.blur();
    this.#fire('parley-leave');
  }

  #submit(event: Event): void {
    event.preventDefault();
    const text = this.text.trim();
    const reply = this.#findTarget();
    const changedAt = reply ? Math.max(this.#changedAt, this.#dockedAt) : this.#changedAt;
    if (this.isDisabled || performance.now() - changedAt < guardMs) return;
    const isDenial = this.#isDenial;
    if (!this.#hasWords) return;
    const message: MessageDraft | undefined = this.#attaching.addTo({ text });
    if (!message) return;
    this.isRefused = isDenial ? text.length > maxReasonLength : reply !== undefined && !reply.accepts(text);
    if (this.isRefused) return;
    if (isDenial) this.aim = unaimed;
    if (!reply) this.#attaching.clear();
    this.#setText('');
    if (reply) this.#fire('parley-reply', { reply, text } satisfies ReplyEvent['detail']);
    else if (isDenial) this.#fire('parley-deny-all', message);
    else this.#fire('parley-send', message);
  }

  #begin(files: readonly File[]): void {
    const text = this.text.trim();
    this.#setText('');
    this.#fire('parley-begin', { text, files } satisfies BeginEvent['detail']);
  }

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  #stop(): void {
    this.#fire('parley-stop');
  }

  #setText(text: string): void {
    this.isRefused = false;
    if (!text) this.aim = isLasting(this.aim, this.reply) ? this.aim : unaimed;
    else if (!this.text && this.aim.by === 'nobody')
      this.aim = { by: 'words', to: this.reply?.isDocked ? this.reply : 'message' };
    this.text = text;
    if (text) tabStorage.setItem(keyOf(this), text);
    else tabStorage.removeItem(keyOf(this));
  }
}
