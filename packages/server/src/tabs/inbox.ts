import {
  type ChatEvent,
  comparePrompts,
  type FrameBatch,
  type HeadChange,
  type InboxEntry,
  type InteractionId,
  type OpenPrompt,
  type ServerFrameOf,
  type SessionId,
} from '@parleyhq/core';
import type { Client } from './client.ts';
import { frameOf } from './frame-batch.ts';
import type { Subscriptions } from './subscriptions.ts';

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

  /** In the order of their opening. */
  list(): readonly InboxEntry[] {
    return [...this.#entries.values()];
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
