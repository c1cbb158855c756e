import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { icons } from '../ui/icons.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

const keyOf = (sessionId: string) => `parley.message.${sessionId}`;

/** A message that has not reached the server yet. */
export const renderWaiting = (text: string) =>
  html`<p role="status">${renderUntrusted(text)} <small>· waiting for the connection</small></p>`;

/**
 * The message box. Enter sends and Shift+Enter starts a new line, but not while an input method is composing.
 * @fires parley-send - the text of a message
 * @fires parley-stop - the person wants the running turn to stop
 */
@customElement('parley-composer')
export class Composer extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      form {
        display: flex;
        align-items: flex-end;
        gap: 0.4rem;
        background: var(--surface);
        border: 1px solid var(--line-strong);
        border-radius: 16px;
        padding: 0.4rem;
        box-shadow: var(--shadow);
      }
      form:focus-within {
        border-color: var(--accent);
        outline: 1px solid var(--accent);
      }
      textarea {
        flex: 1;
        field-sizing: content;
        min-height: 2rem;
        max-height: min(40vh, 16rem);
        resize: none;
        border: 0;
        background: none;
        padding: 0.3rem 0.6rem;
      }
      textarea:focus-visible {
        outline: none;
      }
      button {
        border-radius: 11px;
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
    `,
  ];

  /** The key for the half-written message; `new` before there is a session. */
  @property() sessionId = '';
  @property({ type: Boolean }) isRunning = false;
  @property({ type: Boolean }) isDisabled = false;

  @state() private text = '';
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
    this.#setText(this.text ? `${text}\n${this.text}` : text);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('sessionId')) this.text = sessionStorage.getItem(keyOf(this.sessionId)) ?? '';
  }

  /** Takes the focus on the start page, where there is nothing else to do, if nothing has it. */
  protected override firstUpdated(): void {
    const isAlone = this.sessionId === 'new' && document.activeElement === document.body;
    if (isAlone && matchMedia('(pointer: fine)').matches) this.area.focus();
  }

  override render() {
    const hint = this.isRunning ? 'Write the next message' : 'Write a message';
    return html`<form @submit=${this.#submit}>
      <textarea
        rows="1"
        aria-label="Message"
        dir="auto"
        enterkeyhint="send"
        placeholder=${hint}
        .value=${live(this.text)}
        ?disabled=${this.isDisabled}
        @input=${(event: InputEvent) => this.#setText((event.target as HTMLTextAreaElement).value)}
        @keydown=${this.#press}
      ></textarea>
      ${
        this.isRunning
          ? html`<button type="button" @click=${this.#stop} title="Stop the turn">${icons.stop}Stop</button>`
          : nothing
      }
      <button class="primary" aria-label="Send" title="Send (Enter)" ?disabled=${this.isDisabled || !this.text.trim()}>
        ${icons.send}
      </button>
    </form>`;
  }

  #press(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.area.blur();
    const isSend = event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
    if (isSend) this.#submit(event);
  }

  #submit(event: Event): void {
    event.preventDefault();
    const text = this.text.trim();
    if (!text || this.isDisabled) return;
    this.#setText('');
    this.dispatchEvent(new CustomEvent('parley-send', { detail: text, bubbles: true, composed: true }));
  }

  #stop(): void {
    this.dispatchEvent(new CustomEvent('parley-stop', { bubbles: true, composed: true }));
  }

  #setText(text: string): void {
    this.text = text;
    if (text) sessionStorage.setItem(keyOf(this.sessionId), text);
    else sessionStorage.removeItem(keyOf(this.sessionId));
  }
}
