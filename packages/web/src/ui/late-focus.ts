import type { LitElement, ReactiveController } from 'lit';
import { isFocusLost } from '../browser/focus.ts';

/** Focuses the first part of an element that is there, and waits for one unless something else gets the focus. */
export class LateFocus implements ReactiveController {
  readonly #host: LitElement;
  readonly #parts: readonly string[];
  #isWanted = false;

  /** @param parts - their names, best first */
  constructor(host: LitElement, ...parts: string[]) {
    this.#host = host;
    this.#parts = parts;
    host.addController(this);
  }

  focus(): void {
    const [part] = this.#parts.flatMap((name) => [...this.#host.renderRoot.querySelectorAll<HTMLElement>(name)]);
    part?.focus();
    this.#isWanted = !part;
  }

  hostUpdated(): void {
    if (this.#isWanted && isFocusLost()) this.focus();
    else this.#isWanted = false;
  }
}
