import type { FrameBatch, HeadChange, ServerFrameOf, Session, SessionId } from '@parleyhq/core';
import { type Client, frameOf } from '@parleyhq/runtime';
import type { Inbox } from '../inbox/inbox.ts';
import { DelayedPublication } from '../presence/delayed-publication.ts';

/** In ms: changes of a session's row within this window are published once, because lists need only the latest. */
const windowMs = 20;

type RowChange = Pick<HeadChange, 'prompts'> & {
  readonly row: { readonly before: Session; readonly after: Session };
};

type RowFrame = ServerFrameOf<'session_created' | 'session_updated' | 'session_deleted'>;

/**
 * Publishes what lists show of a session to the clients that may see it; each gets the count of the prompts that it may answer
 * (TEAM1).
 */
export class SessionListFeed {
  readonly #clients: ReadonlySet<Client>;
  readonly #inbox: Inbox;
  readonly #changed = new Map<SessionId, Session>();
  readonly #publication = new DelayedPublication(() => this.#publishChanged());

  constructor(clients: ReadonlySet<Client>, inbox: Inbox) {
    this.#clients = clients;
    this.#inbox = inbox;
  }

  broadcast(frame: RowFrame): void {
    const batches = new Map<number, FrameBatch>(); // the clients' frames differ in the count only
    for (const client of this.#clients) {
      if (!client.maySee(frame.session.id)) continue;
      const session = this.#inbox.rowFor(client.principal, frame.session);
      const batch = batches.get(session.openCount) ?? frameOf({ ...frame, session });
      batches.set(session.openCount, batch);
      client.sendBatch(batch);
    }
  }

  follow({ row: { before, after }, prompts }: RowChange): void {
    const { opened, moved, settled } = prompts; // a prompt may have replaced another, or asks more people now
    if (opened.length + moved.length + settled.length === 0 && !looksDifferent(before, after)) return;
    this.#changed.set(after.id, after);
    this.#publication.within(windowMs);
  }

  /** Forgets the pending change of a deleted session. */
  forget(id: SessionId): void {
    this.#changed.delete(id);
  }

  stop(): void {
    this.#publication.stop();
  }

  #publishChanged(): void {
    for (const session of this.#changed.values()) this.broadcast({ type: 'session_updated', session });
    this.#changed.clear();
  }
}

/** Whether a list of sessions would look different; `seq` and `updatedAt` alone do not matter. */
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
