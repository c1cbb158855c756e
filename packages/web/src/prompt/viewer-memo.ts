import type { ParleyClient, SessionClient } from '@parleyhq/client';
import type { Principal } from '@parleyhq/core';
import type { Viewer } from './viewer.ts';

/** Replaces the principal until the server has sent it. */
const nobodyYet: Principal = { id: '', role: 'operator' };

/** Returns the same viewer until one of its members changes, so that cards do not render again without need. */
export class ViewerMemo {
  readonly #session: () => SessionClient | undefined;
  #last: Viewer | undefined;

  /** @param session - returns the session, once it is open */
  constructor(session: () => SessionClient | undefined) {
    this.#session = session;
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
    const now = () => client.now();
    const items = () => this.#session()?.state.items;
    const comment = async (interactionId: string, text: string) => {
      const session = this.#session();
      if (!session) throw new Error('The session is not open.'); // the text stays in its box
      await session.comment(interactionId, text);
    };
    const removeReviewer: Viewer['removeReviewer'] = (toolName, scope) =>
      client.removeReviewer(sessionId, toolName, scope);
    const isWriter = principal.role !== 'viewer';
    this.#last = {
      ...{ clientId, sessionId, principal, isInteractive, now, claims, items },
      ...(isWriter && { comment, removeReviewer }),
      ask: (frame) => client.request(frame),
    };
    return this.#last;
  }
}
