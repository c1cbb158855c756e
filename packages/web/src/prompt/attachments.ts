import { attachmentField, type Json, maxAttachments } from '@parleyhq/core';
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
      :host([to='message']) .files {
        max-height: 7.5rem; /* two files, and a part of the third */
        overflow-y: auto;
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
  /** Whether what was to be sent was held back because of the files. */
  @state() private isHeldBack = false;
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

  /** Focuses the control, and says why the files cannot be sent yet. */
  holdBack(): void {
    this.isHeldBack = true;
    this.renderRoot.querySelector('input')?.focus();
  }

  override focus(): void {
    void this.updateComplete.then(() => this.renderRoot.querySelector('input')?.focus());
  }

  override render() {
    const onInput = (value: Json | undefined) => {
      keepAttached(this.draftKey, value, this.place.interactionId);
      this.isHeldBack = false;
      this.requestUpdate();
      this.onChange();
    };
    const files = readAttached(this.draftKey);
    const fault = this.isHeldBack ? this.#describeFault(files.length) : undefined;
    const context: FieldContext = {
      field: attachmentField,
      id: 'attachments',
      value: [...files],
      error: fault,
      isDisabled: this.isDisabled,
      place: this.place,
      describedBy: fault === undefined ? undefined : 'awaited',
      onInput,
    };
    return html`<div class="field">
      <label for="attachments" class=${this.to === 'message' ? 'visually-hidden' : ''}>Files to send with your ${this.to}</label>
      ${fault === undefined ? nothing : html`<p class="error" id="awaited" role="alert">${fault}</p>`}
      <parley-file-field .context=${context} @parley-busy=${() => this.requestUpdate()}></parley-file-field>
    </div>`;
  }

  #describeFault(count: number): string | undefined {
    const again = `${this.to === 'answer' ? 'answer' : 'send'} again.`;
    if (count > maxAttachments) return `At most ${maxAttachments} files can be sent. Remove some, and ${again}`;
    if (!this.isBusy) return undefined;
    if (this.field?.isStuck) return `A file cannot be sent. Remove it, and ${again}`;
    return `A file is not uploaded yet. Wait for it, or remove it, and ${again}`;
  }
}
