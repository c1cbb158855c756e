import { join } from 'node:path';
import {
  type Delivery,
  foldHead,
  type InteractionId,
  type InteractionRequest,
  type SessionId,
  type Store,
} from '@parleyhq/core';
import { type LogReader, openLogReader } from '@parleyhq/server';
import type { Settings } from '../settings/settings.ts';
import { openPostgres } from '../store/open-store.ts';

/** How far it got to notify somebody of a prompt in one way. */
export type KnownDelivery = Pick<Delivery, 'target' | 'principal' | 'state' | 'at' | 'code' | 'fault'>;

/** The logs, wherever they are stored, as far as the examination of a question reads them. */
export interface QuestionLog {
  /** Finds the session with this id, and those that have a call or a prompt with it. */
  find(id: string): Promise<readonly SessionId[]>;
  /** Finds a few ids by how they begin. */
  findBeginning(start: string): Promise<readonly string[]>;
  /** Yields the stored texts of a session's events, in order and in chunks. */
  read(id: SessionId): AsyncIterable<readonly string[]>;
  findDeliveries(id: SessionId, prompt: InteractionId): Promise<readonly KnownDelivery[]>;
  close(): Promise<void>;
}

/** @throws StoreError if the database cannot be read */
export async function openQuestionLog(settings: Settings): Promise<QuestionLog> {
  if (settings.store !== undefined) return new SharedLog(await openPostgres(settings.store));
  return new FileLog(openLogReader(join(settings.dataDir, 'parley.db')));
}

/** The database of a data directory, which a server may be writing. */
class FileLog implements QuestionLog {
  readonly #log: LogReader;

  constructor(log: LogReader) {
    this.#log = log;
  }

  async find(id: string): Promise<readonly SessionId[]> {
    const log = this.#log;
    const own = log.find(id);
    const prompts = log.findPrompts(id).map(({ sessionId }) => sessionId);
    return [...new Set([...(own ? [own.id] : []), ...log.findCall(id), ...prompts])];
  }

  async findBeginning(start: string): Promise<readonly string[]> {
    return this.#log.findBeginning(start);
  }

  async *read(id: SessionId): AsyncIterable<readonly string[]> {
    const session = this.#log.find(id);
    if (session) yield* this.#log.read(session);
  }

  async findDeliveries(id: SessionId, prompt: InteractionId): Promise<readonly KnownDelivery[]> {
    const session = this.#log.find(id);
    return session ? this.#log.readDeliveries(session, prompt) : [];
  }

  async close(): Promise<void> {
    this.#log.close();
  }
}

/** A database that several nodes share. It has no index of calls over all sessions, so only open ones are found by their ids. */
class SharedLog implements QuestionLog {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async find(id: string): Promise<readonly SessionId[]> {
    if (await this.#store.sessions.get(id)) return [id];
    const open = await this.#listOpen();
    const isMeant = ({ toolCallId, interactionId }: InteractionRequest) => [toolCallId, interactionId].includes(id);
    return open.filter(({ requests }) => requests.some(isMeant)).map(({ session }) => session);
  }

  async findBeginning(start: string): Promise<readonly string[]> {
    const open = await this.#listOpen();
    const ids = open.flatMap(({ session, requests }) => [session, ...requests.map(({ toolCallId }) => toolCallId)]);
    return [...new Set(ids)].filter((id) => id.startsWith(start));
  }

  read(id: SessionId): AsyncIterable<readonly string[]> {
    return this.#store.events.read(id, 0);
  }

  findDeliveries(sessionId: SessionId, interactionId: InteractionId): Promise<readonly KnownDelivery[]> {
    return this.#store.deliveries.ofPrompts([{ sessionId, interactionId }]);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** Reads the unfinished sessions and their open prompts. */
  async #listOpen(): Promise<readonly OpenSession[]> {
    const found: OpenSession[] = [];
    for await (const part of this.#store.sessions.unfinished())
      for (const { session, head } of part) {
        const { prompts } = await foldHead(this.#store.events.read(session.id, head?.seq ?? 0), head);
        found.push({ session: session.id, requests: prompts.map(({ request }) => request) });
      }
    return found;
  }
}

interface OpenSession {
  readonly session: SessionId;
  readonly requests: readonly InteractionRequest[];
}
