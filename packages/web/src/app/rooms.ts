import type { ClientState, ParleyClient } from '@parleyhq/client';
import { showHidden } from '@parleyhq/core';
import type { ReactiveControllerHost } from 'lit';
import type { Route } from '../browser/route.ts';

/** What the room of an address is called, once it is known; undefined for the start page. */
export function nameRoom({ sessions }: Pick<ClientState, 'sessions'>, { place, sessionId }: Route): string | undefined {
  const session = sessions.find(({ id }) => id === sessionId);
  if (session) return showHidden(session.title);
  return place === 'inbox' ? 'Inbox' : undefined;
}

/** The code of what stands beside the list. It is loaded while the socket connects, that of a conversation first. */
export class Rooms {
  readonly #host: ReactiveControllerHost;
  readonly #wait: (part: Promise<unknown>) => Promise<boolean>;
  #hasSessions = false;
  #hasAll = false;

  /** @param wait - waits for a part, and says so where it cannot be loaded */
  constructor(host: ReactiveControllerHost, wait: (part: Promise<unknown>) => Promise<boolean>) {
    this.#host = host;
    this.#wait = wait;
  }

  /** Whether sessions can be shown; their cards may still be on the way. */
  get hasSessions(): boolean {
    return this.#hasSessions;
  }

  get hasAll(): boolean {
    return this.#hasAll;
  }

  /** What the session of the address holds is asked for meanwhile. */
  async load(client: Pick<ParleyClient, 'open'>, sessionId: string | undefined): Promise<void> {
    const session = sessionId === undefined ? undefined : client.open(sessionId);
    const sessions = this.#wait(import('../session/session-view.ts'));
    const others = this.#wait(import('./after-start.ts'));
    this.#hasSessions = await sessions;
    this.#host.requestUpdate();
    await this.#host.updateComplete; // now the view keeps it open
    session?.close();
    this.#hasAll = this.#hasSessions && (await others);
    this.#host.requestUpdate();
  }
}
