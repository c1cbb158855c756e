import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { isComposing, isPointed } from '../browser/focus.ts';
import { tabStorage } from '../browser/storage.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from '../ui/icons.ts';
import { guardMs } from '../ui/misclick-guard.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';
import type { Reply } from './reply.ts';

/** Where words go that answer nothing. */
const message = 'message';

type Place = Reply | typeof message;

/**
 * Where the words go that are here, and who said so: what was open when the first was written, or their writer, whose word holds for
 * as long as the question is open during which it was given.
 */
type Aim =
  | { readonly by: 'nobody' }
  | { readonly by: 'words'; readonly to: Place }
  | { readonly by: 'writer'; readonly to: Place; readonly during: string | undefined };

const unaimed: Aim = { by: 'nobody' };
const toMessage: Aim = { by: 'words', to: message };

const isLasting = (aim: Aim, reply: Reply | undefined): boolean =>
  aim.by === 'writer' && aim.during !== undefined && aim.during === reply?.interactionId;

const keyOf = ({ sessionId, owner }: Composer) =>
  `parley.message.${sessionId}${owner && `.${encodeURIComponent(owner)}`}`;

/** A message that has not reached the server yet. */
export const renderWaiting = (text: string, why = 'Waiting for the connection') =>
  html`<p role="status">${renderUntrusted(text)} <small>${why}</small></p>`;

/** Words that answer a question instead of being a message. */
export type ReplyEvent = CustomEvent<{ readonly reply: Reply; readonly text: string }>;

const isSame = (place: Place, reply: Reply | undefined): boolean =>
  place !== message && place.interactionId === reply?.interactionId;

/** Who only hears it is told what it is about: nothing was denied or answered yet. */
const renderFate = (words: string, button: unknown = nothing) =>
  html`<div class="fate"><p id="fate" role="status"><span class="visually-hidden">What you write here: </span>${words}</p>${button}</div>`;

/** A text that goes to the agent whatever is asked. */
const isCommand = (text: string): boolean => text.startsWith('/');

/**
 * The message box. Enter sends and Shift+Enter starts a new line, but not while an input method is composing. An open question
 * docks to it: what is written then is its answer, and the box says so (WEB9).
 * @fires parley-send - the text of a message
 * @fires parley-reply - the text of an answer
 * @fires parley-leave - Escape was pressed, and nothing has the focus
 * @fires parley-stop - the person wants the running turn to stop
 */
@customElement('parley-composer')
export class Composer extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      form {
        background: var(--surface);
        border: 1px solid var(--line-strong);
        border-radius: var(--r-card);
        padding: var(--s2);
        box-shadow: var(--shadow);
      }
      .row,
      .fate {
        display: flex;
        align-items: flex-end;
        gap: var(--s2);
      }
      .fate {
        flex-wrap: wrap;
        align-items: center;
        justify-content: space-between;
        gap: 0 var(--s3);
        padding: 0 0 var(--s1) var(--s2);
        font: 400 var(--text-secondary) var(--sans);
        color: var(--ink-2);
      }
      .fate button {
        font: 500 var(--text-secondary) var(--sans);
      }
      .fate p {
        flex: 1 1 8rem;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      form:focus-within {
        border-color: var(--accent);
        outline: 1px solid var(--accent);
      }
      textarea {
        flex: 1;
        field-sizing: content;
        min-height: var(--control);
        max-height: min(40vh, 16rem);
        resize: none;
        border: 0;
        background: none;
        padding: calc((var(--control) - 1.5rem) / 2) var(--s2); /* a line stands level with the button */
      }
      textarea:focus-visible {
        outline: none;
      }
      button {
        border-radius: var(--r-control);
        flex: none;
      }
      button.primary {
        width: 2rem;
        padding: 0;
        font-size: 1.0625rem;
      }
      @media (pointer: coarse) {
        button.primary {
          width: 2.75rem;
        }
      }
      /* The words have the room: a square is known. */
      @media (max-width: 30rem) {
        .stop {
          width: var(--control);
          padding: 0;
        }
        .stop span {
          position: fixed; /* it makes nothing longer */
          clip-path: inset(50%);
        }
      }
    `,
  ];

  /** The key for the half-written message; `new` before there is a session. */
  @property() sessionId = '';
  /** Whose half-written message it is, where several people may be on one page; empty where the whole page is one person's. */
  @property() owner = '';
  @property({ type: Boolean }) isRunning = false;
  @property({ type: Boolean }) isDisabled = false;
  /** There is nothing else to do: it takes the focus, if nothing has it. */
  @property({ type: Boolean }) takesFocus = false;

  /** The open question that words would answer. */
  @property({
    attribute: false,
    hasChanged: (a?: Reply, b?: Reply) => a?.interactionId !== b?.interactionId || a?.isDocked !== b?.isDocked,
  })
  reply: Reply | undefined;

  @state() private text = '';
  @state() private aim: Aim = unaimed;
  /** When that changed under words that were written, in ms: an Enter right after it was not meant so. */
  #changedAt = Number.NEGATIVE_INFINITY;
  /** When a question docked here, in ms: nobody has read yet that words would answer it. */
  #dockedAt = Number.NEGATIVE_INFINITY;
  #target: string | undefined;
  /** A button has the focus, and may go or be dead once it was pressed. */
  #isInButton = false;
  @query('textarea') private area!: HTMLTextAreaElement;

  override async focus(): Promise<void> {
    await this.updateComplete;
    this.area?.focus();
  }

  /** Whether the focus is here and nothing is written. */
  get isIdle(): boolean {
    return !this.text && this.matches(':focus-within');
  }

  /** Puts a text back, before what is written here now (INT19). */
  giveBack(text: string): void {
    this.aim = this.aim.by === 'writer' ? { ...this.aim, to: message } : toMessage; // what was a message is no answer, whatever is written here now
    this.#setText(this.text ? `${text}\n${this.text}` : text);
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
    const target = this.#findTarget()?.interactionId;
    if (target !== this.#target && this.text && !changed.has('text')) this.#changedAt = performance.now();
    this.#target = target;
  }

  /** The question that the words here answer; undefined for a message. */
  #findTarget(): Reply | undefined {
    const isMeant = this.aim.by === 'nobody' ? this.reply?.isDocked : isSame(this.aim.to, this.reply);
    return isMeant && !isCommand(this.text) ? this.reply : undefined;
  }

  protected override firstUpdated(): void {
    if (this.takesFocus && document.activeElement === document.body && isPointed()) this.area.focus();
  }

  /** Whoever pressed what sends or stops goes on writing. */
  protected override updated(): void {
    if (this.#isInButton && isPointed() && !this.shadowRoot?.activeElement?.matches(':enabled')) this.area.focus();
  }

  override render() {
    const target = this.#findTarget();
    return html`<form @submit=${this.#submit}>
      ${this.#renderFate(target)}
      <div class="row">
        <textarea
          rows="1"
          aria-label="Message"
          aria-describedby="fate"
          dir="auto"
          autocapitalize="sentences"
          enterkeyhint="send"
          placeholder=${this.#describeHint(target)}
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
        <button class="primary" aria-label="Send" title="Send (Enter)" aria-description="Enter" ?disabled=${this.isDisabled || !this.text.trim()}>
          ${icons.send}
        </button>
      </div>
    </form>`;
  }

  #describeHint(target: Reply | undefined): string {
    if (target?.as === 'answer') return 'Answer in your own words';
    if (target?.as === 'reason') return 'Say why not';
    return this.isRunning ? 'Write the next message' : 'Write a message';
  }

  /** Where the words go, and the other way that they could. */
  #renderFate(target: Reply | undefined) {
    const { reply, aim } = this;
    const isLate = aim.by !== 'nobody' && typeof aim.to === 'object' && !isSame(aim.to, reply);
    if (isLate) return renderFate('It is settled: what you wrote is a message now');
    if (!reply) return nothing;
    const words = {
      answer: 'Answers what is asked',
      reason: 'Denies what is asked, with these words as the reason',
      message: 'A message to the agent: it is read once the card is answered',
    }[target?.as ?? message];
    if (isCommand(this.text)) return renderFate(words);
    const other = target ? 'Message instead' : reply.as === 'answer' ? 'Answer instead' : 'Say no instead';
    return renderFate(
      words,
      html`<button type="button" class="plain" @click=${() => this.#aimAt(target ? message : reply)}>${other}</button>`,
    );
  }

  #aimAt(to: Place): void {
    this.aim = { by: 'writer', to, during: this.reply?.interactionId };
    this.#target = this.#findTarget()?.interactionId; // its writer said so: nothing changed under the words
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
    if (!text || this.isDisabled || performance.now() - changedAt < guardMs) return;
    this.#setText('');
    if (reply) this.#fire('parley-reply', { reply, text } satisfies ReplyEvent['detail']);
    else this.#fire('parley-send', text);
  }

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  #stop(): void {
    this.#fire('parley-stop');
  }

  #setText(text: string): void {
    if (!text) this.aim = isLasting(this.aim, this.reply) ? this.aim : unaimed;
    else if (!this.text && this.aim.by === 'nobody')
      this.aim = { by: 'words', to: this.reply?.isDocked ? this.reply : message };
    this.text = text;
    if (text) tabStorage.setItem(keyOf(this), text);
    else tabStorage.removeItem(keyOf(this));
  }
}
