import type { ClientState, ParleyClient } from '@parleyhq/client';
import { showHidden } from '@parleyhq/core';
import type { ReactiveControllerHost } from 'lit';
import type { Route } from '../browser/route.ts';

/** Returns the name of the view at an address; undefined for the start page, or while the name is unknown. */
export function nameView({ sessions }: Pick<ClientState, 'sessions'>, { place, sessionId }: Route): string | undefined {
  const session = sessions.find(({ id }) => id === sessionId);
  if (session) return showHidden(session.title);
  return place === 'inbox' ? 'Inbox' : undefined;
}

/** Loads the code of the main views while the socket connects, the session view first. */
export class MainViews {
  readonly #host: ReactiveControllerHost;
  readonly #wait: (part: Promise<unknown>) => Promise<boolean>;
  #hasSessions = false;
  #hasAll = false;

  /** @param wait - waits for a part, and shows a notice if it cannot be loaded */
  constructor(host: ReactiveControllerHost, wait: (part: Promise<unknown>) => Promise<boolean>) {
    this.#host = host;
    this.#wait = wait;
  }

  /** Whether sessions can be shown, possibly before the code of their cards is loaded. */
  get hasSessions(): boolean {
    return this.#hasSessions;
  }

  get hasAll(): boolean {
    return this.#hasAll;
  }

  /** Loads the views, and meanwhile requests the session in the address. */
  async load(client: Pick<ParleyClient, 'open'>, sessionId: string | undefined): Promise<void> {
    const session = sessionId === undefined ? undefined : client.open(sessionId);
    const sessions = this.#wait(import('../session/session-view.ts'));
    const others = this.#wait(import('./after-start.ts'));
    this.#hasSessions = await sessions;
    this.#host.requestUpdate();
    await this.#host.updateComplete; // from here on the view keeps the session open
    session?.close();
    this.#hasAll = this.#hasSessions && (await others);
    this.#host.requestUpdate();
  }
}
