import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { takeBackMs } from './only-choice.ts';

/** Sends an answer that one press gave in a moment: until then it can be taken back, or be another (WEB5). */
export class Moment implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #send: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: ReactiveControllerHost, send: () => void) {
    this.#host = host;
    this.#send = send;
    host.addController(this);
  }

  get isRunning(): boolean {
    return this.#timer !== undefined;
  }

  hostDisconnected(): void {
    this.end();
  }

  begin(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#send, takeBackMs);
    this.#host.requestUpdate();
  }

  /** Nothing is sent by itself any more. */
  end(): void {
    if (!this.isRunning) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#host.requestUpdate();
  }
}
