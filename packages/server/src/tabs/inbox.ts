import {
  type ChatEvent,
  comparePrompts,
  type FrameBatch,
  type HeadChange,
  type InboxEntry,
  type InteractionId,
  maySee,
  type OpenPrompt,
  type Principal,
  RefusalError,
  type ServerFrameOf,
  type SessionId,
  sizeOfRequest,
} from '@parleyhq/core';
import type { Client } from './client.ts';
import { frameOf } from './frame-batch.ts';
import type { Subscriptions } from './subscriptions.ts';

/** How many entries a page holds, and about how many bytes: a phone that reads slowly keeps its connection (SEC11). */
const pageEntries = 100;
const pageBytes = 256 * 1024;

interface Page {
  readonly before?: InteractionId | undefined;
  readonly limit?: number | undefined;
}

type SettledStatus = ServerFrameOf<'interaction_settled'>['status'];

/** Every prompt that can be answered now, over all sessions; told to the clients that do not follow its session. */
export class Inbox {
  readonly #entries = new Map<string, InboxEntry>();
  readonly #clients: ReadonlySet<Client>;
  readonly #subscriptions: Subscriptions;

  constructor(clients: ReadonlySet<Client>, subscriptions: Subscriptions) {
    this.#clients = clients;
    this.#subscriptions = subscriptions;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** How many prompts a principal may see. */
  count(principal: Principal): number {
    if (principal.sessions === undefined) return this.size;
    return this.#visibleTo(principal).length;
  }

  /**
   * The newest entries that a principal may see, in the order of their opening: as many as `limit` and a page's bytes allow,
   * and at least one. With `before`, an interactionId, those that were opened before that prompt.
   * @throws RefusalError `not_found` where no such prompt is open
   */
  page(principal: Principal, { before, limit = pageEntries }: Page = {}): InboxEntry[] {
    const visible = this.#visibleTo(principal);
    const end = before === undefined ? visible.length : visible.findIndex((entry) => idOf(entry) === before);
    if (end < 0) throw new RefusalError('not_found');
    let start = end;
    for (let bytes = 0; start > 0 && end - start < limit; start -= 1) {
      bytes += sizeOfRequest((visible[start - 1] as InboxEntry).interaction);
      if (bytes > pageBytes && start < end) break;
    }
    return visible.slice(start, end);
  }

  #visibleTo(principal: Principal): readonly InboxEntry[] {
    return [...this.#entries.values()].filter(({ sessionId }) => maySee(principal, sessionId));
  }

  follow(change: HeadChange): void {
    const { sessionId, events } = change;
    const { opened, moved, settled } = comparePrompts(change);
    for (const prompt of [...opened, ...moved]) this.#entries.set(keyOf(sessionId, prompt), toEntry(sessionId, prompt));
    for (const { request } of opened) this.#tell({ type: 'interaction_opened', sessionId, interaction: request });
    for (const prompt of settled) {
      this.#entries.delete(keyOf(sessionId, prompt));
      const { interactionId } = prompt.request;
      const status = findStatus(events, interactionId);
      if (status) this.#tell({ type: 'interaction_settled', sessionId, interactionId, status });
    }
  }

  #tell(frame: ServerFrameOf<'interaction_opened'> | ServerFrameOf<'interaction_settled'>): void {
    let batch: FrameBatch | undefined; // mostly every client follows the session, and none needs it
    for (const client of this.#clients) {
      if (this.#subscriptions.sessionsOf(client).has(frame.sessionId) || !client.maySee(frame.sessionId)) continue;
      batch ??= frameOf(frame);
      client.sendBatch(batch);
    }
  }
}

function idOf({ interaction }: InboxEntry): InteractionId {
  return interaction.interactionId;
}

function keyOf(sessionId: SessionId, { request }: OpenPrompt): string {
  return `${sessionId} ${request.interactionId}`;
}

function toEntry(sessionId: SessionId, { request, state }: OpenPrompt): InboxEntry {
  return { sessionId, interaction: request, ...(state === 'pending' && { pending: true }) };
}

/** How a prompt was settled. One whose handler failed needs nobody any more, like a cancelled one. */
function findStatus(events: readonly ChatEvent[], id: InteractionId): SettledStatus | undefined {
  for (const { type, payload } of events) {
    if (type === 'interaction_response' && payload.interactionId === id) return 'answered';
    if (type !== 'interaction_closed' || payload.interactionId !== id) continue;
    return payload.reason === 'handler_error' ? 'cancelled' : payload.reason;
  }
  return undefined;
}
