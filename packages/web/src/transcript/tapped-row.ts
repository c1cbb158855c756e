import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Replaces hovering on touch screens: a tap on a message shows its actions, and the next tap elsewhere hides them. */
export class TappedRow implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  #row: HTMLElement | undefined;
  readonly #onClick = (event: Event) => this.#tap(event);

  constructor(host: ReactiveControllerHost & HTMLElement) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    this.#host.addEventListener('click', this.#onClick);
  }

  hostDisconnected(): void {
    this.#host.removeEventListener('click', this.#onClick);
  }

  #tap(event: Event): void {
    if (!matchMedia('(hover: none)').matches) return;
    const path = event.composedPath().filter((target) => target instanceof HTMLElement);
    if (path.some((element) => element.matches('.actions'))) return;
    const row = path.find((element) => element.matches('.row'));
    const isOther = row !== this.#row;
    if (this.#row) delete this.#row.dataset.tapped;
    this.#row = isOther ? row : undefined;
    if (this.#row) this.#row.dataset.tapped = '';
  }
}
