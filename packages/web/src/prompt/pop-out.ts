import { css, html, LitElement } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { wideDialog } from '../styles/dialog.ts';
import '../ui/sheet-handle.ts';

/**
 * Shows its children in place or in a dialog, which on a phone is a sheet that can be dragged down. The children never move in
 * the document, so that nothing typed is lost (WEB2).
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
        overflow: hidden;
      }
      dialog[open] {
        display: flex;
        flex-direction: column;
      }
      .body {
        min-height: 0;
        overflow: auto;
        overscroll-behavior: contain;
      }
      @media (max-width: 30rem) {
        dialog[open] {
          animation: rise 160ms ease-out;
        }
      }
      @keyframes rise {
        from {
          translate: 0 2rem;
          opacity: 0;
        }
      }
    `,
  ];

  @property({ type: Boolean }) isOut = false;
  @property() label = '';
  @query('dialog') private dialog!: HTMLDialogElement | null;

  override render() {
    if (!this.isOut) return html`<slot></slot>`;
    return html`<dialog aria-label=${this.label} @close=${this.#dock}>
      <parley-handle></parley-handle>
      <div class="body"><slot></slot></div>
    </dialog>`;
  }

  protected override updated(): void {
    if (this.dialog && !this.dialog.open) this.dialog.showModal();
  }

  #dock(): void {
    this.dispatchEvent(new CustomEvent('parley-dock', { bubbles: true, composed: true }));
  }
}
