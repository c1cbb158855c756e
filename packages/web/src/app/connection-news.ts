import type { ClientState } from '@parleyhq/client';
import { announce } from '../browser/announce.ts';

/** Tells who does not look that the server is back: the notice that said it was gone goes in silence. */
export class ConnectionNews {
  #wasLost = false;

  tell({ connection }: ClientState): void {
    if (connection === 'reconnecting') this.#wasLost = true;
    if (connection !== 'open' || !this.#wasLost) return;
    this.#wasLost = false;
    announce('Connected again.');
  }
}
