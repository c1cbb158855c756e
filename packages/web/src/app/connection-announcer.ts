import type { ClientState } from '@parleyhq/client';
import { announce } from '../browser/announce.ts';

/** Announces to screen readers that the server is back: the notice of the lost connection disappears silently. */
export class ConnectionAnnouncer {
  #wasLost = false;

  tell({ connection }: ClientState): void {
    if (connection === 'reconnecting') this.#wasLost = true;
    if (connection !== 'open' || !this.#wasLost) return;
    this.#wasLost = false;
    announce('Connected again.');
  }
}
