import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { FormInput } from '../browser/draft-store.ts';

/** How long after its last change a draft is relayed, in ms. */
const relayMs = 300;

/** Relays what is entered to this person's other tabs, a moment after the last change (INT18). */
export class DraftRelay implements ReactiveController {
  readonly #send: (draft: FormInput) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: ReactiveControllerHost, send: (draft: FormInput) => void) {
    this.#send = send;
    host.addController(this);
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
  }

  changed(draft: FormInput): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(draft), relayMs);
  }
}
