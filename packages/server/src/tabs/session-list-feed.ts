import type { ServerFrameOf, Session, SessionId } from '@parleyhq/core';
import type { Client } from './client.ts';
import { frameOf } from './frame-batch.ts';

/** Changes of a session's row within this time, in ms, are told once: lists need the latest only. */
const windowMs = 20;

type RowFrame = ServerFrameOf<'session_created' | 'session_updated' | 'session_deleted'>;

/** Tells the clients that may see a session what lists of sessions show of it. */
export class SessionListFeed {
  readonly #clients: ReadonlySet<Client>;
  readonly #changed = new Map<SessionId, Session>();
  #timer: NodeJS.Timeout | undefined;

  constructor(clients: ReadonlySet<Client>) {
    this.#clients = clients;
  }

  tell(frame: RowFrame): void {
    const batch = frameOf(frame);
    for (const client of this.#clients) if (client.maySee(frame.session.id)) client.sendBatch(batch);
  }

  follow({ row: { before, after } }: { readonly row: { readonly before: Session; readonly after: Session } }): void {
    if (!looksDifferent(before, after)) return;
    this.#changed.set(after.id, after);
    this.#timer ??= setTimeout(() => this.#tellChanged(), windowMs);
  }

  /** The session is gone, and with it what changed before. */
  forget(id: SessionId): void {
    this.#changed.delete(id);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #tellChanged(): void {
    this.#timer = undefined;
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
    a.permissionMode !== b.permissionMode
  );
}
