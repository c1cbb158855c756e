import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { wideDialog } from '../styles/dialog.ts';

/**
 * Shows its children in place or in a dialog. They never move in the document, so that nothing typed is lost (WEB2).
 * @fires parley-dock - the dialog was closed
 */
@customElement('parley-pop-out')
export class PopOut extends LitElement {
  static override styles = [
    base,
    controls,
    wideDialog,
    css`
      dialog {
        border: 0;
        overflow: auto;
      }
    `,
  ];

  @property({ type: Boolean }) isOut = false;
  @property() label = '';

  override render() {
    if (!this.isOut) return html`<slot></slot>`;
    return html`<dialog aria-label=${this.label} @close=${this.#dock}><slot></slot></dialog>`;
  }

  protected override updated(): void {
    const dialog = this.renderRoot.querySelector('dialog');
    if (dialog && !dialog.open) dialog.showModal();
  }

  #dock(): void {
    this.dispatchEvent(new CustomEvent('parley-dock', { bubbles: true, composed: true }));
  }
}
