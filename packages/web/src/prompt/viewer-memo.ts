import type { ParleyClient } from '@parleyhq/client';
import type { Principal } from '@parleyhq/core';
import type { Viewer } from './interaction-card.ts';

/** Gives the same viewer until something of it changes, so that cards do not render again for nothing. */
export class ViewerMemo {
  #last: Viewer | undefined;

  /** The viewer that was given last. */
  get last(): Viewer | undefined {
    return this.#last;
  }

  of(client: ParleyClient, sessionId: string, principal: Principal): Viewer {
    const { clientId } = client;
    const { isInteractive } = client.state;
    const last = this.#last;
    const isSame =
      last?.sessionId === sessionId && last.principal === principal && last.isInteractive === isInteractive;
    if (last && isSame) return last;
    const claims = {
      find: (interactionId: string) => client.state.claims.get(`${sessionId} ${interactionId}`),
      claim: (interactionId: string, release: boolean) => client.claim(sessionId, interactionId, release),
      subscribe: (listener: () => void) => client.subscribe(listener),
    };
    this.#last = { clientId, sessionId, principal, isInteractive, now: () => client.now(), claims };
    return this.#last;
  }
}
