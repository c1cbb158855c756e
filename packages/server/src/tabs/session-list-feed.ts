import type { ServerFrameOf, Session, SessionId } from '@parleyhq/core';
import type { Client } from './client.ts';
import { frameOf } from './frame-batch.ts';

/** Changes of a session's row within this time are told once: lists need the latest only. */
const windowMs = 20;

type RowFrame = ServerFrameOf<'session_created' | 'session_updated' | 'session_deleted'>;

/** What lists of sessions show, told to all that may see the session. */
export class RowNews {
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

  changed(row: Session): void {
    this.#changed.set(row.id, row);
    this.#timer ??= setTimeout(() => this.#tellChanged(), windowMs);
  }

  /** The session is gone: what changed in it before is no news any more. */
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
