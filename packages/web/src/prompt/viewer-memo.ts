import type { ParleyClient } from '@parleyhq/client';
import type { Items, Principal } from '@parleyhq/core';
import type { Viewer } from './interaction-card.ts';

/** Replaces the principal until the server has sent it. */
const nobodyYet: Principal = { id: '', role: 'operator' };

/** Returns the same viewer until one of its members changes, so that cards do not render again without need. */
export class ViewerMemo {
  readonly #items: () => Items | undefined;
  #last: Viewer | undefined;

  /** @param items - returns what is loaded of the session now */
  constructor(items: () => Items | undefined) {
    this.#items = items;
  }

  /** The viewer returned last. */
  get last(): Viewer | undefined {
    return this.#last;
  }

  of(client: ParleyClient, sessionId: string): Viewer {
    const { clientId } = client;
    const { isInteractive, welcome: { principal } = { principal: nobodyYet } } = client.state;
    const last = this.#last;
    const isSame =
      last?.sessionId === sessionId && last.principal === principal && last.isInteractive === isInteractive;
    if (last && isSame) return last;
    const claims = {
      find: (interactionId: string) => client.state.claims.get(`${sessionId} ${interactionId}`),
      claim: (interactionId: string, release: boolean) => client.claim(sessionId, interactionId, release),
      subscribe: (listener: () => void) => client.subscribe(listener),
    };
    this.#last = { clientId, sessionId, principal, isInteractive, now: () => client.now(), claims, items: this.#items };
    return this.#last;
  }
}
