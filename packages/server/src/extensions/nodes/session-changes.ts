import type { Session, SessionStore, StoreChange } from '@parleyhq/core';
import type { SessionHub, SessionLists, StoreChangeHandlers } from '@parleyhq/runtime';

interface SessionChangesOptions {
  readonly sessions: SessionStore;
  readonly hub: () => Pick<SessionHub, 'loaded' | 'open' | 'add' | 'remove'>;
  readonly lists: SessionLists;
}

/** Applies to the sessions in memory what other nodes stored. */
export class SessionChanges {
  readonly #options: SessionChangesOptions;
  /** Sessions that this node created or deleted and whose own notification has not arrived yet. */
  readonly #own = new Set<string>();

  constructor(options: SessionChangesOptions) {
    this.#options = options;
  }

  /** The sessions of the store: those that this node creates or deletes through it are not reported to it as changes. */
  get sessions(): SessionStore {
    const { sessions } = this.#options;
    return {
      get: (id) => sessions.get(id),
      list: (filter) => sessions.list(filter),
      unfinished: () => sessions.unfinished(),
      create: async (session, creation) => {
        await sessions.create(session, creation);
        this.#own.add(`created ${session.id}`);
      },
      remove: async (id, deletion, removal) => {
        await sessions.remove(id, deletion, removal);
        this.#own.add(`deleted ${id}`);
      },
    };
  }

  readonly handlers: StoreChangeHandlers = {
    changed: (change) => this.#change(change),
    created: (change) => this.#create(change),
    deleted: (change) => this.#delete(change),
  };

  async #change({ sessionId, seq }: Extract<StoreChange, { what: 'changed' }>): Promise<void> {
    const { sessions, hub, lists } = this.#options;
    const [loading] = hub().loaded(sessionId);
    if (loading) {
      const { session } = await loading;
      if (session.row.seq < seq) await session.missed.read();
      return;
    }
    const record = await sessions.get(sessionId);
    if (!record) return;
    const { session } = record;
    if (session.status !== 'idle' || session.openCount > 0) await hub().open(sessionId);
    else lists.broadcast({ type: 'session_updated', session });
  }

  async #create({ session }: { readonly session: Session }): Promise<void> {
    if (!this.#own.delete(`created ${session.id}`)) await this.#options.hub().add(session);
  }

  async #delete({ session }: { readonly session: Session }): Promise<void> {
    if (this.#own.delete(`deleted ${session.id}`)) return;
    const [loading] = this.#options.hub().loaded(session.id);
    (await loading)?.session.endDeleted();
    await this.#options.hub().remove(session);
  }
}
