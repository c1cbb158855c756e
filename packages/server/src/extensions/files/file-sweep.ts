import {
  type AuditEntry,
  type AuditStore,
  type FileStore,
  findCall,
  type Head,
  listFiles,
  type SessionId,
  type SessionStore,
  type ToolCallId,
  type Upload,
} from '@parleyhq/core';
import type { Change, SessionHub, SessionWriter } from '@parleyhq/runtime';
import type { Logger } from 'pino';
import { isForgotten, isSent, keptMs } from './message-files.ts';

interface FileSweepOptions {
  readonly store: FileStore | undefined;
  readonly sessions: Pick<SessionStore, 'get'>;
  readonly audit: AuditStore;
  readonly hub: () => Pick<SessionHub, 'open'>;
  readonly log: Logger;
}

/** In ms. */
const sweepMs = 3_600_000;

/** Events that may end a call or its last question. */
const endings = new Set(['tool_result', 'interaction_response', 'interaction_closed']);

/**
 * Deletes uploads that no answer names, once their call asks nobody any more, those of messages after a day, and the files of
 * sessions that were deleted (PLG13, REV6).
 */
export class FileSweep {
  readonly #options: FileSweepOptions;
  /** Sessions with uploads that an answer may still name. */
  readonly #unsettled = new Set<SessionId>();
  /** Sessions with files that the database neither knows nor deleted. */
  readonly #left = new Set<SessionId>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #sweeping: Promise<unknown> = Promise.resolve();

  constructor(options: FileSweepOptions) {
    this.#options = options;
  }

  /**
   * Sweeps at once and then regularly, because a process that died may have left uploads of ended calls. To be called after the
   * recovery.
   */
  start(): void {
    if (!this.#options.store || this.#isStopped) return;
    this.#run(() => this.#sweepAll());
    this.#timer = setTimeout(() => this.start(), sweepMs).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#sweeping;
  }

  /** Notes that a session has an upload. */
  meet(id: SessionId): void {
    this.#unsettled.add(id);
  }

  follow({ sessionId, events }: Change): void {
    if (this.#unsettled.has(sessionId) && events.some(({ type }) => endings.has(type)))
      this.#run(() => this.#sweep(sessionId));
  }

  /** Deletes the files of a session that was deleted from the database. */
  async forget(id: SessionId): Promise<void> {
    this.#unsettled.delete(id);
    await this.#options.store?.removeSession(id);
  }

  /** Runs one sweep after the other; a failed one is retried with the next. */
  #run(work: () => Promise<void>): void {
    this.#sweeping = this.#sweeping
      .then(() => (this.#isStopped ? undefined : work()))
      .catch((error: unknown) => this.#options.log.error({ error }, 'uploads could not be deleted: trying again'));
  }

  async #sweepAll(): Promise<void> {
    const { store, sessions } = this.#options;
    for (const id of (await store?.sessions()) ?? []) {
      if (this.#isStopped) return;
      if (await sessions.get(id)) await this.#sweep(id);
      else if (await this.#wasDeleted(id)) await this.forget(id);
      else this.#leave(id);
    }
  }

  async #wasDeleted(id: SessionId): Promise<boolean> {
    const last = (await this.#options.audit.read(id)).at(-1);
    return last !== undefined && (JSON.parse(last.text) as AuditEntry).event === 'session_deleted';
  }

  /**
   * Leaves the files of an unknown session alone: the folder may belong to another database, or this one was restored from before
   * the session.
   */
  #leave(id: SessionId): void {
    if (this.#left.has(id)) return;
    this.#left.add(id);
    this.#options.log.warn({ sessionId: id }, 'the database does not know the session of these files: they are kept');
  }

  async #sweep(id: SessionId): Promise<void> {
    const { store, hub } = this.#options;
    const unsettled = ((await store?.list(id)) ?? []).filter(({ isAnswered }) => !isAnswered);
    const calls = new Set(unsettled.flatMap(({ toolCallId }) => toolCallId ?? []));
    const forgotten = unsettled.filter((upload) => isForgotten(upload, keptMs + sweepMs));
    if (calls.size > 0) this.#unsettled.add(id);
    else this.#unsettled.delete(id);
    if (calls.size + forgotten.length === 0) return;
    const { session } = await hub().open(id);
    await session.missed.read();
    for (const upload of forgotten) {
      // it can no longer be sent, and whatever was to name it was stored or refused long ago
      if (await isSent(session, upload)) await store?.keep(id, { ...upload, isAnswered: true });
      else await store?.remove(id, upload.fileId);
    }
    for (const toolCallId of calls)
      if (!asksStill(session.head, toolCallId))
        await this.#settle(
          session,
          toolCallId,
          unsettled.filter((upload) => upload.toolCallId === toolCallId),
        );
  }

  async #settle(session: SessionWriter, toolCallId: ToolCallId, uploads: readonly Upload[]): Promise<void> {
    const answers = await session.reader.findAnswers(toolCallId);
    const files = answers.flatMap(({ payload: { input = {}, files = [] } }) => [
      ...Object.values(input).flatMap(listFiles),
      ...files,
    ]);
    const named = new Set(files.map(({ fileId }) => fileId));
    for (const upload of uploads) {
      if (named.has(upload.fileId)) await this.#options.store?.keep(session.id, { ...upload, isAnswered: true });
      else await this.#options.store?.remove(session.id, upload.fileId);
    }
  }
}

/** Whether an answer may still come: a running call may ask again. */
function asksStill(head: Head, toolCallId: ToolCallId): boolean {
  const isOpen = head.prompts.some(({ request }) => request.toolCallId === toolCallId);
  return isOpen || findCall(head, toolCallId) !== undefined;
}
