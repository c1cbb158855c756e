import { css, LitElement } from 'lit';
import { customElement } from 'lit/decorators.js';

/** How far a sheet must be dragged down to close, in px. */
const closesAt = 96;

/**
 * The handle by which a dialog is dragged down that is a sheet on a phone. It must be the first child of its dialog, and works by
 * touch only.
 */
@customElement('parley-handle')
export class SheetHandle extends LitElement {
  static override styles = css`
    :host {
      display: none;
    }
    @media (max-width: 30rem) {
      :host {
        position: sticky;
        top: 0;
        z-index: 2;
        display: grid;
        place-items: center;
        flex: none;
        height: 1.5rem;
        background: var(--surface);
        touch-action: none;
      }
      :host::before {
        content: "";
        width: 2.25rem;
        height: 0.25rem;
        border-radius: 99px;
        background: var(--line-strong);
      }
    }
    @media (forced-colors: active) {
      :host::before {
        forced-color-adjust: none;
        background: CanvasText;
      }
    }
  `;

  /** Where the drag began, in px. */
  #from = 0;

  constructor() {
    super();
    this.addEventListener('pointerdown', (event) => this.#take(event));
    this.addEventListener('pointermove', (event) => this.#draw(event));
    this.addEventListener('pointerup', (event) => this.#drop(event));
    this.addEventListener('pointercancel', (event) => this.#drop(event));
  }

  get #dialog(): HTMLDialogElement | null {
    return this.closest('dialog');
  }

  #take(event: PointerEvent): void {
    this.#from = event.clientY;
    this.setPointerCapture(event.pointerId);
  }

  #draw(event: PointerEvent): void {
    const dialog = this.#dialog;
    if (dialog && this.hasPointerCapture(event.pointerId))
      dialog.style.translate = `0 ${Math.max(0, event.clientY - this.#from)}px`;
  }

  #drop(event: PointerEvent): void {
    const dialog = this.#dialog;
    if (!dialog) return;
    dialog.style.translate = '';
    if (event.type === 'pointerup' && event.clientY - this.#from > closesAt) dialog.close();
  }
}
