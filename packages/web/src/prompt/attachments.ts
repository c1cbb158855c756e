import { attachmentField, type Json } from '@parleyhq/core';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { FieldContext } from '../form/field-context.ts';
import '../form/file-field.ts';
import type { FileField } from '../form/file-field.ts';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { keepAttached, readAttached } from './attached-draft.ts';

/** The files that a person attaches to an answer or a message, next to its words (REV6). */
@customElement('parley-attachments')
export class Attachments extends LitElement {
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: block;
        margin-block-end: var(--s3);
      }
      .field {
        display: grid;
        gap: var(--s2);
      }
      /* The message box leaves the conversation as much room as it can. */
      :host([to='message']) .drop {
        min-height: var(--control);
        padding-block: 0;
      }
      .about {
        margin: 0;
        color: var(--ink-2);
        font: 400 var(--text-secondary) var(--sans);
      }
      /* Where the foot sticks, it does not cover the focus. */
      @media (min-height: 45.01rem) {
        button,
        input {
          scroll-margin-block-end: 10rem;
        }
      }
      .error {
        margin: 0;
        color: var(--danger);
        font: 500 var(--text-secondary) var(--sans);
      }
    `,
  ];

  /** Key of the draft that the file names of a broken upload are stored with. */
  @property() draftKey = '';
  @property({ attribute: false }) place!: FieldContext['place'];
  @property({ reflect: true }) to: 'answer' | 'message' = 'answer';
  @property({ attribute: false }) onChange: () => void = () => undefined;
  @property({ type: Boolean }) isDisabled = false;
  /** Whether the last answer was held back because a file was not there yet. */
  @state() private isAwaited = false;
  @query('parley-file-field') private field!: FileField | null;

  /** Whether an upload is running or has failed: the answer has to wait for it, or the file has to be removed. */
  get isBusy(): boolean {
    return this.field?.busy ?? false;
  }

  /** Uploads files that were pasted or dropped. */
  async add(files: Iterable<File>): Promise<void> {
    await this.updateComplete;
    await this.field?.updateComplete;
    this.field?.add(files);
  }

  /** Focuses the control, and says that the answer waits for a file. */
  holdBack(): void {
    this.isAwaited = true;
    this.renderRoot.querySelector('input')?.focus();
  }

  override focus(): void {
    void this.updateComplete.then(() => this.renderRoot.querySelector('input')?.focus());
  }

  override render() {
    const onInput = (value: Json | undefined) => {
      keepAttached(this.draftKey, this.place.interactionId ?? '', value);
      this.isAwaited = false;
      this.requestUpdate();
      this.onChange();
    };
    const notThere = `A file is not uploaded yet. Wait for it, or remove it, and ${this.to === 'answer' ? 'answer' : 'send'} again.`;
    const isHeldBack = this.isAwaited && this.isBusy;
    const context: FieldContext = {
      field: attachmentField,
      id: 'attachments',
      value: [...readAttached(this.draftKey)],
      error: isHeldBack ? notThere : undefined,
      isDisabled: this.isDisabled,
      place: this.place,
      describedBy: isHeldBack ? 'awaited' : undefined,
      onInput,
    };
    return html`<div class="field">
      <label for="attachments" class=${this.to === 'message' ? 'visually-hidden' : ''}>Files to send with your ${this.to}</label>
      ${isHeldBack ? html`<p class="error" id="awaited" role="alert">${notThere}</p>` : nothing}
      <parley-file-field .context=${context} @parley-busy=${() => this.requestUpdate()}></parley-file-field>
    </div>`;
  }
}
