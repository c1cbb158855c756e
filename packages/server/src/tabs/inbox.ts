import type { ChatEvent, FrameBatch, InboxEntry, InteractionId, ServerFrameOf } from '@parleyhq/core';
import type { Client } from './client.ts';
import { frameOf } from './frame-batch.ts';

type SettledStatus = ServerFrameOf<'interaction_settled'>['status'];

/** Every prompt that can be answered now, over all sessions; told to clients that do not follow its session anyway. */
export class Inbox {
  readonly #entries = new Map<InteractionId, InboxEntry>();
  readonly #clients: ReadonlySet<Client>;

  constructor(clients: ReadonlySet<Client>) {
    this.#clients = clients;
  }

  list(): readonly InboxEntry[] {
    return [...this.#entries.values()];
  }

  add(entry: InboxEntry): void {
    this.#entries.set(keyOf(entry.sessionId, entry.interaction.interactionId), entry);
  }

  observe(event: ChatEvent): void {
    const { sessionId } = event;
    switch (event.type) {
      case 'interaction_request':
        this.add({ sessionId, interaction: event.payload });
        this.#tell({ type: 'interaction_opened', sessionId, interaction: event.payload });
        break;
      case 'interaction_pending':
        this.#markPending(sessionId, event.payload.interactionId);
        break;
      case 'interaction_response':
        this.#settle(sessionId, event.payload.interactionId, 'answered');
        break;
      case 'interaction_closed':
        this.#settle(sessionId, event.payload.interactionId, statusOf(event.payload.reason));
        break;
      default:
    }
  }

  #markPending(sessionId: string, interactionId: InteractionId): void {
    const entry = this.#entries.get(keyOf(sessionId, interactionId));
    if (entry) this.add({ ...entry, pending: true });
  }

  #settle(sessionId: string, interactionId: InteractionId, status: SettledStatus): void {
    this.#entries.delete(keyOf(sessionId, interactionId));
    this.#tell({ type: 'interaction_settled', sessionId, interactionId, status });
  }

  #tell(frame: ServerFrameOf<'interaction_opened'> | ServerFrameOf<'interaction_settled'>): void {
    let batch: FrameBatch | undefined; // mostly everybody follows the session, and nobody needs one
    for (const client of this.#clients) {
      if (client.subscriptions.has(frame.sessionId) || !client.maySee(frame.sessionId)) continue;
      batch ??= frameOf(frame);
      client.sendBatch(batch);
    }
  }
}

function keyOf(sessionId: string, interactionId: InteractionId): string {
  return `${sessionId} ${interactionId}`;
}

/** A prompt whose handler failed needs nobody any more, like a cancelled one. */
function statusOf(reason: ChatEvent<'interaction_closed'>['payload']['reason']): SettledStatus {
  return reason === 'handler_error' ? 'cancelled' : reason;
}
