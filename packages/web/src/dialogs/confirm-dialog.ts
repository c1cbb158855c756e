import { html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { plainDialog, smallDialog } from '../styles/dialog.ts';
import '../ui/sheet-handle.ts';

/**
 * Asks for confirmation before something that cannot be undone.
 * @fires parley-confirm - the person confirmed
 */
@customElement('parley-confirm')
export class ConfirmDialog extends LitElement {
  static override styles = [base, controls, plainDialog, smallDialog];

  @property() heading = '';
  @property() text = '';
  @property() yes = 'OK';

  open(): void {
    this.#dialog?.showModal();
  }

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog');
  }

  override render() {
    return html`<dialog aria-labelledby="heading">
      <parley-handle></parley-handle>
      <form method="dialog" @submit=${this.#confirm}>
        <h2 id="heading">${this.heading}</h2>
        <p>${this.text}</p>
        <div class="actions">
          <button type="button" class="plain" @click=${() => this.#dialog?.close()}>Cancel</button>
          <button class="danger">${this.yes}</button>
        </div>
      </form>
    </dialog>`;
  }

  #confirm(): void {
    this.dispatchEvent(new CustomEvent('parley-confirm', { bubbles: true, composed: true }));
  }
}
