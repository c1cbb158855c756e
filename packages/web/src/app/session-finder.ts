import type { ParleyClient } from '@parleyhq/client';
import { foldText, type InboxEntry, type Session } from '@parleyhq/core';
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { findOwnPrompts } from '../inbox/own-prompts.ts';
import { headingOf } from '../prompt/words.ts';

/** Search results: active and archived sessions. */
export interface Found {
  readonly current: readonly Session[];
  readonly archived: readonly Session[];
}

interface FinderHost extends ReactiveControllerHost {
  readonly client: ParleyClient;
}

/** The pause in typing, in ms, after which the server is asked. */
const pauseMs = 150;

const pageLength = 50;

/** Finds sessions by title: at once among those already loaded, then among all on the server. */
export class SessionFinder implements ReactiveController {
  readonly #host: FinderHost;
  #query = '';
  #found: Found | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Why the last search failed. */
  failure = '';

  constructor(host: FinderHost) {
    this.#host = host;
    host.addController(this);
  }

  /** Removes sessions that were deleted after the server sent the list. */
  withoutDeleted(list: readonly Session[]): readonly Session[] {
    const { deleted } = this.#host.client.state;
    return list.filter(({ id }) => !deleted.has(id));
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
  }

  get query(): string {
    return this.#query;
  }

  /** Whether the server has answered the search. */
  get isComplete(): boolean {
    return this.#found !== undefined;
  }

  get found(): Found {
    const { sessions } = this.#host.client.state;
    const known = new Map(sessions.map((session) => [session.id, session]));
    const { current, archived } = this.#found ?? { current: [], archived: [] };
    const here = new Map([...sessions.filter(this.#fits), ...current, ...archived].map((one) => [one.id, one]));
    const all = this.withoutDeleted([...here.values()]).map((session) => known.get(session.id) ?? session);
    return { current: all.filter((session) => !session.archived), archived: all.filter((session) => session.archived) };
  }

  find(query: string): void {
    this.#query = query.trim();
    this.#found = undefined;
    this.failure = '';
    clearTimeout(this.#timer);
    if (this.#query !== '') this.#timer = setTimeout(() => void this.#ask(this.#query), pauseMs);
    this.#host.requestUpdate();
  }

  /** Whether the title fits, or what a prompt of the session asks. */
  readonly #fits = ({ id, title }: Session): boolean =>
    this.#isIn(title) || this.prompts.some(({ sessionId }) => sessionId === id);

  #isIn(text: string): boolean {
    return foldText(text).includes(foldText(this.#query));
  }

  /** The open prompts of this person that fit: all without a query. */
  get prompts(): readonly InboxEntry[] {
    return findOwnPrompts(this.#host.client.state).filter(({ interaction }) => this.#isIn(headingOf(interaction)));
  }

  async #ask(query: string): Promise<void> {
    const { client } = this.#host;
    const ask = (archived: boolean) => client.findSessions({ query, archived, limit: pageLength });
    const answer = await Promise.all([ask(false), ask(true)]).catch((error: Error) => error);
    if (query !== this.#query) return; // somebody typed on
    if (answer instanceof Error) this.failure = answer.message;
    else this.#found = { current: answer[0], archived: answer[1] };
    this.#host.requestUpdate();
  }
}
