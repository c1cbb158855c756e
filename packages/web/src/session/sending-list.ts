import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { renderWaiting } from './composer.ts';

interface Sent {
  readonly text: string;
  isSlow: boolean;
}

/** A message that takes longer is slow, in ms. */
const slowMs = 1000;

/** What was sent and is not in the conversation yet. It is shown where that takes time: what one wrote is never out of sight for long (FRM6). */
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

  /** @param done - after it the message is in the conversation, or was refused */
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
