import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { renderWaiting } from './composer.ts';

interface Sent {
  readonly text: string;
  isSlow: boolean;
}

/** How long sending may take before it is shown, in ms. */
const slowMs = 1000;

/**
 * Messages that were sent and are not in the conversation yet. They are shown if that takes long, so that people do not lose
 * sight of what they wrote (FRM6).
 */
export class SendingList implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #all = new Set<Sent>();

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.clear();
  }

  clear(): void {
    this.#all.clear();
  }

  /** @param done - settles when the message is in the conversation or was refused */
  async follow(text: string, done: Promise<unknown>): Promise<void> {
    const sent: Sent = { text, isSlow: false };
    const host = this.#host;
    this.#all.add(sent);
    host.requestUpdate();
    const wait = setTimeout(() => {
      sent.isSlow = true;
      host.requestUpdate();
    }, slowMs);
    try {
      await done;
    } finally {
      clearTimeout(wait);
      this.#all.delete(sent);
      host.requestUpdate();
    }
  }

  render(isLive: boolean) {
    const words = isLive ? 'Sending …' : 'Waiting for the connection';
    return [...this.#all].filter(({ isSlow }) => isSlow || !isLive).map(({ text }) => renderWaiting(text, words));
  }
}
