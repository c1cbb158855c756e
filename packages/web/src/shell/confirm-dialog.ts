import { html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { smallDialog } from '../styles/dialog.ts';

/**
 * The page's own small dialog: a confirmation, or a single line to fill in.
 * @fires parley-confirm - confirmed, with the text if there is one
 */
@customElement('parley-confirm')
export class ConfirmDialog extends LitElement {
  static override styles = [base, controls, smallDialog];

  @property() heading = '';
  @property() text = '';
  @property() yes = 'OK';
  @property({ type: Boolean }) isDanger = false;
  /** The initial text of the line to fill in, if there is one. */
  @property({ attribute: false }) value: string | undefined;

  open(): void {
    this.#dialog?.showModal();
  }

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog');
  }

  override render() {
    return html`<dialog aria-labelledby="heading">
      <form method="dialog" @submit=${this.#confirm}>
        <h2 id="heading">${this.heading}</h2>
        ${this.text ? html`<p>${this.text}</p>` : nothing}
        ${
          this.value === undefined
            ? nothing
            : html`<input dir="auto" aria-label=${this.heading} maxlength="200" required autocomplete="off" .value=${this.value} />`
        }
        <div class="actions">
          <button type="button" class="plain" @click=${() => this.#dialog?.close()}>Cancel</button>
          <button class=${this.isDanger ? 'danger' : 'primary'}>${this.yes}</button>
        </div>
      </form>
    </dialog>`;
  }

  #confirm(): void {
    const detail = this.renderRoot.querySelector('input')?.value.trim();
    this.dispatchEvent(new CustomEvent('parley-confirm', { detail, bubbles: true, composed: true }));
  }
}
