import { hiddenWords, nameOf, type Principal, personOf, type QueuedMessage, wordsOfMessage } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import { isComposing } from '../browser/focus.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/**
 * Messages that are queued until the running turn ends (INT19).
 * @fires parley-edit - a new text for a queued message
 * @fires parley-take-back - the message returns to the composer
 */
@customElement('parley-queue')
export class QueueList extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: block;
        position: relative; /* hidden content adds nothing to the scrollable length */
      }
      ol {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.35rem;
      }
      li {
        display: flex;
        gap: 0.5rem;
        align-items: center;
        padding: 0.25rem 0.25rem 0.25rem 0.8rem;
        border: 1px dashed var(--line-strong);
        border-radius: var(--r-control);
        font-size: 0.875rem;
        color: var(--ink-2);
      }
      .text {
        flex: 1;
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .text b {
        font-weight: 600;
        color: var(--ink-3);
      }
      form {
        display: flex;
        flex: 1;
        gap: 0.5rem;
        align-items: flex-start;
      }
      textarea {
        min-height: 2.375rem;
        field-sizing: content;
      }
    `,
  ];

  @property({ attribute: false }) messages: readonly QueuedMessage[] = [];
  @property({ type: Boolean }) isReadOnly = false;
  @property({ attribute: false }) principal: Principal | undefined;
  @state() private editing: string | undefined;

  override render() {
    const { length } = this.messages;
    const words = length === 0 ? '' : length === 1 ? 'A message is queued.' : `${length} messages are queued.`;
    return html`<p class="visually-hidden" role="status">${words}</p>
      ${length === 0 ? nothing : this.#renderList()}`;
  }

  #renderList() {
    return html`<ol aria-label="Queued messages">
      ${repeat(
        this.messages,
        ({ messageId }) => messageId,
        (message) => html`<li>${this.#renderMessage(message)}</li>`,
      )}
    </ol>`;
  }

  #renderMessage(message: QueuedMessage) {
    const { messageId, origin, editedBy = [], isCut, isHidden } = message; // people who may edit see the whole text
    if (isHidden) return html`<span class="text">${hiddenWords.message}</span>`;
    if (this.editing === messageId) return this.#renderEditor(message);
    return html`<span class="text"><b>${origin === 'interaction' ? 'Late answer' : 'Queued'}</b> ${renderUntrusted(wordsOfMessage(message))}${editedBy.map((editor) => html` <b>changed by</b> ${renderUntrusted(nameOf(editor))}`)}</span>
      ${
        origin === 'interaction' || this.isReadOnly || isCut
          ? nothing
          : html`${this.#mayEdit(message) ? html`<button class="plain" data-edits=${messageId} @click=${() => this.#edit(messageId)}>Edit</button>` : nothing}
              <button class="plain" @click=${() => this.#fire('parley-take-back', message)}>Take back</button>`
      }`;
  }

  /** Whether this person may edit a message. Only operators may change another person's (TEAM2). */
  #mayEdit({ from }: QueuedMessage): boolean {
    if (!this.principal) return false;
    const { id, owner = id, role } = this.principal;
    return role === 'operator' || (from !== undefined && personOf(from) === owner);
  }

  #renderEditor(message: QueuedMessage) {
    const { messageId, text } = message;
    return html`<form @submit=${(event: Event) => this.#save(event, message)}>
      <textarea
        aria-label="Queued message"
        dir="auto"
        .value=${text}
        @keydown=${(event: KeyboardEvent) => this.#press(event, message)}
      ></textarea>
      <button type="button" class="plain" @click=${() => this.#leave(messageId)}>Cancel</button>
      <button>Save</button>
    </form>`;
  }

  async #edit(messageId: string): Promise<void> {
    this.editing = messageId;
    await this.updateComplete;
    this.renderRoot.querySelector('textarea')?.focus();
  }

  #press(event: KeyboardEvent, message: QueuedMessage): void {
    if (isComposing(event)) return;
    if (event.key === 'Escape') void this.#leave(message.messageId);
    if (event.key === 'Enter' && !event.shiftKey) this.#save(event, message);
  }

  #save(event: Event, { messageId, files }: QueuedMessage): void {
    event.preventDefault();
    const text = this.renderRoot.querySelector('textarea')?.value.trim();
    void this.#leave(messageId);
    if (text || (files && text === '')) this.#fire('parley-edit', { messageId, text });
  }

  /** Closes the editor, and returns the focus to the message. */
  async #leave(messageId: string): Promise<void> {
    this.editing = undefined;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(`[data-edits="${CSS.escape(messageId)}"]`)?.focus();
  }

  #fire(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}
