import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { findFocus, isTextField } from '../browser/focus.ts';

/** Shadow roots keep to themselves where the focus goes within them: any of these may have moved it. */
const signs = ['focusin', 'focusout', 'click', 'keyup'] as const;

/**
 * Marks a session with `is-filling` while somebody types into a card: beside the keyboard of a phone there is room for one thing
 * to type into. The mark stays while the focus is there, also on a button, and the field is: nothing moves under the finger that presses it.
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
    this.#settle(); // a card that is answered takes its field along, and nothing says where the focus went
  }

  readonly #judge = (): void => {
    requestAnimationFrame(() => this.#settle()); // until then the focus may be on its way
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
