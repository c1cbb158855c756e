import type { FrameBatch, HeadChange, ServerFrameOf, Session, SessionId } from '@parleyhq/core';
import type { Client } from './client.ts';
import { frameOf } from './frame-batch.ts';
import type { Inbox } from './inbox.ts';
import { Telling } from './telling.ts';

/** Changes of a session's row within this time, in ms, are told once: lists need the latest only. */
const windowMs = 20;

type RowChange = Pick<HeadChange, 'prompts'> & {
  readonly row: { readonly before: Session; readonly after: Session };
};

type RowFrame = ServerFrameOf<'session_created' | 'session_updated' | 'session_deleted'>;

/** Tells the clients that may see a session what lists of sessions show of it, to each the prompts that it may answer (TEAM1). */
export class SessionListFeed {
  readonly #clients: ReadonlySet<Client>;
  readonly #inbox: Inbox;
  readonly #changed = new Map<SessionId, Session>();
  readonly #telling = new Telling(() => this.#tellChanged());

  constructor(clients: ReadonlySet<Client>, inbox: Inbox) {
    this.#clients = clients;
    this.#inbox = inbox;
  }

  tell(frame: RowFrame): void {
    const batches = new Map<number, FrameBatch>(); // what clients are told differs in the count alone
    for (const client of this.#clients) {
      if (!client.maySee(frame.session.id)) continue;
      const session = this.#inbox.rowFor(client.principal, frame.session);
      const batch = batches.get(session.openCount) ?? frameOf({ ...frame, session });
      batches.set(session.openCount, batch);
      client.sendBatch(batch);
    }
  }

  follow({ row: { before, after }, prompts }: RowChange): void {
    const { opened, moved, settled } = prompts; // one may take another's place, or ask more people by now
    if (opened.length + moved.length + settled.length === 0 && !looksDifferent(before, after)) return;
    this.#changed.set(after.id, after);
    this.#telling.within(windowMs);
  }

  /** The session is gone, and with it what changed before. */
  forget(id: SessionId): void {
    this.#changed.delete(id);
  }

  stop(): void {
    this.#telling.stop();
  }

  #tellChanged(): void {
    for (const session of this.#changed.values()) this.tell({ type: 'session_updated', session });
    this.#changed.clear();
  }
}

/** Whether a list of sessions would show it another way; `seq` and `updatedAt` alone are no news. */
function looksDifferent(a: Session, b: Session): boolean {
  return (
    a.status !== b.status ||
    a.openCount !== b.openCount ||
    a.title !== b.title ||
    a.agent !== b.agent ||
    a.permissionMode !== b.permissionMode ||
    a.pinned !== b.pinned ||
    a.archived !== b.archived
  );
}
