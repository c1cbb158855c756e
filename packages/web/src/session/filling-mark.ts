import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { findFocus, isTextField } from '../browser/focus.ts';

/** Events after which the focus may have moved: shadow roots do not report moves within them. */
const signs = ['focusin', 'focusout', 'click', 'keyup'] as const;

/**
 * Marks a session with `is-filling` while somebody types into a card: next to a phone's keyboard only one text field fits. The
 * mark stays while the focus is in the session, even on a button, and the field exists, so that nothing moves under a press.
 */
export class FillingMark implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  #field: Element | null = null;

  constructor(host: ReactiveControllerHost & HTMLElement) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    for (const sign of signs) this.#host.addEventListener(sign, this.#judge);
  }

  hostDisconnected(): void {
    for (const sign of signs) this.#host.removeEventListener(sign, this.#judge);
  }

  hostUpdated(): void {
    this.#settle(); // answering a card removes its field, and no event reports where the focus went
  }

  readonly #judge = (): void => {
    requestAnimationFrame(() => this.#settle()); // the focus may still be moving
  };

  #settle(): void {
    const host = this.#host;
    const isInside = host.matches(':focus-within') && host.shadowRoot?.activeElement?.localName !== 'parley-composer';
    const focus = isInside ? findFocus() : null;
    if (isTextField(focus)) this.#field = focus;
    else if (!isInside || !this.#field?.isConnected) this.#field = null;
    host.toggleAttribute('is-filling', this.#field !== null);
  }
}
