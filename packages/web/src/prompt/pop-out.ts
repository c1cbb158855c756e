import { css, html, LitElement } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { base } from '../styles/base.ts';
import { controls } from '../styles/controls.ts';
import { wideDialog } from '../styles/dialog.ts';

/** How far a sheet must be drawn down to close, in px. */
const closesAt = 96;

/**
 * Shows its children in place or in a dialog, which on a phone is a sheet that can be drawn down. They never move in the
 * document, so that nothing typed is lost (WEB2).
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
      .handle {
        display: none;
      }
      @media (max-width: 30rem) {
        dialog[open] {
          animation: rise 160ms ease-out;
        }
        .handle {
          display: grid;
          place-items: center;
          flex: none;
          height: 1.5rem;
          background: var(--surface);
          touch-action: none;
        }
        .handle::before {
          content: "";
          width: 2.25rem;
          height: 0.25rem;
          border-radius: 99px;
          background: var(--line-strong);
        }
      }
      @media (forced-colors: active) {
        .handle::before {
          forced-color-adjust: none;
          background: CanvasText;
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
  /** Where the finger took the handle, in px. */
  #from = 0;

  override render() {
    if (!this.isOut) return html`<slot></slot>`;
    return html`<dialog aria-label=${this.label} @close=${this.#dock}>
      <div class="handle" @pointerdown=${this.#take} @pointermove=${this.#draw} @pointerup=${this.#drop} @pointercancel=${this.#drop}></div>
      <div class="body"><slot></slot></div>
    </dialog>`;
  }

  protected override updated(): void {
    if (this.dialog && !this.dialog.open) this.dialog.showModal();
  }

  #take(event: PointerEvent): void {
    this.#from = event.clientY;
    (event.target as HTMLElement).setPointerCapture(event.pointerId);
  }

  #draw(event: PointerEvent): void {
    const isHeld = (event.target as HTMLElement).hasPointerCapture(event.pointerId);
    if (isHeld && this.dialog) this.dialog.style.translate = `0 ${Math.max(0, event.clientY - this.#from)}px`;
  }

  #drop(event: PointerEvent): void {
    if (!this.dialog) return;
    this.dialog.style.translate = '';
    if (event.type === 'pointerup' && event.clientY - this.#from > closesAt) this.dialog.close();
  }

  #dock(): void {
    this.dispatchEvent(new CustomEvent('parley-dock', { bubbles: true, composed: true }));
  }
}
