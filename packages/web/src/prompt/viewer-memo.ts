import type { ParleyClient } from '@parleyhq/client';
import type { Principal } from '@parleyhq/core';
import type { Viewer } from './interaction-card.ts';

/** Returns the same viewer until one of its members changes, so that cards do not render again without need. */
export class ViewerMemo {
  #last: Viewer | undefined;

  /** The viewer returned last. */
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
