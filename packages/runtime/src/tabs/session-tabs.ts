import {
  type ChatEvent,
  type Epoch,
  type EventStore,
  excerptHead,
  type Head,
  type InteractionId,
  type Json,
  mayAnswer,
  type Seq,
  type Session,
  type SessionId,
  type StreamPart,
} from '@parleyhq/core';
import type { PublishToPeers, SessionMessage } from '../node/peers.ts';
import { Broadcast } from './broadcast.ts';
import type { Client } from './client.ts';
import { frameOf } from './frame-batch.ts';
import { Subscription } from './subscription.ts';
import type { Subscriptions } from './subscriptions.ts';
import { TextStream } from './text-stream.ts';
import type { Visibility } from './visibility.ts';

/**
 * Maximum size of the head in a snapshot, as JSON: together with the first events it must fit into a slow reader's backlog (FRM5,
 * SEC11).
 */
const snapshotBytes = 512 * 1024;

/** The stored session that is shown in tabs. */
export interface SessionSource {
  readonly epoch: Epoch;
  readonly events: Pick<EventStore, 'read'>;
  /** Returns the stored state, without decisions that are not stored yet. */
  stored(): { readonly head: Head; readonly row: Session };
  /** Finds the stored texts of requests, in their order. */
  findRequests(ids: readonly InteractionId[]): Promise<readonly string[]>;
}

/** Position at which a tab begins to read. */
export interface StartingPoint {
  /** End of what the tab has already. */
  readonly cursor?: { readonly epoch: Epoch; readonly seq: Seq } | undefined;
  /** Maximum number of events, counted from the end. */
  readonly tail?: number | undefined;
}

/** What somebody has typed so far into the form of a prompt. */
interface Draft {
  readonly interactionId: InteractionId;
  readonly values: Readonly<Record<string, Json>>;
  /** Id of the principal, whose other tabs show it. */
  readonly principal: string;
}

export interface DraftMessage extends Draft, SessionMessage {
  readonly kind: 'draft';
}

/** The tabs that follow one session: they catch up, then get new events and streamed text. */
export class SessionTabs {
  readonly stream: TextStream;
  readonly #sessionId: SessionId;
  readonly #broadcast: Broadcast;
  readonly #subscriptions: Subscriptions;
  readonly #visibility: Visibility;
  readonly #publishToPeers: PublishToPeers;

  /** @param publishToPeers - adds this session to a message, and sends it to the tabs at other nodes */
  constructor(
    sessionId: SessionId,
    subscriptions: Subscriptions,
    visibility: Visibility,
    publishToPeers: PublishToPeers,
  ) {
    this.#sessionId = sessionId;
    this.#subscriptions = subscriptions;
    this.#visibility = visibility;
    this.#publishToPeers = publishToPeers;
    this.#broadcast = new Broadcast(sessionId, subscriptions);
    this.stream = new TextStream(sessionId, this.#broadcast, visibility, publishToPeers);
  }

  get isEmpty(): boolean {
    return this.#broadcast.size === 0;
  }

  /** Sends stored events, which supersede the text streamed before them (EVT4). */
  broadcast(events: readonly ChatEvent[], texts: readonly string[]): void {
    for (const event of events) this.stream.end(event);
    for (const [n, text] of texts.entries()) {
      const other = this.#visibility.hiddenForm(events[n] as ChatEvent);
      if (other) this.#broadcast.sendEither(text, other);
      else this.#broadcast.sendEvent(text);
    }
  }

  /**
   * Sends half-typed values to the other tabs of the same principal, at any node. @param from - undefined if they come from
   * another node
   */
  relayDraft(draft: Draft, from?: Client): void {
    const { principal, interactionId, values } = draft;
    const frame = frameOf({ type: 'draft', sessionId: this.#sessionId, interactionId, values });
    this.#broadcast.sendFrame(frame, (client) => client !== from && client.principal.id === principal);
    if (from) this.#publishToPeers({ kind: 'draft', ...draft });
  }

  /** Sends `snapshot`, then the log after the cursor, then new events (RPL1, RPL4). */
  async attach(client: Client, source: SessionSource, { cursor, tail }: StartingPoint): Promise<void> {
    const sessionId = this.#sessionId;
    const streams = this.stream.snapshot(client.principal); // flushes to the other tabs before this one is added
    const show = (texts: readonly string[]) => this.#visibility.show(client.principal, texts);
    const subscription = new Subscription(client, sessionId, show);
    this.#subscriptions.add(subscription);
    try {
      await this.#catchUp(subscription, source, { cursor, tail }, streams);
    } catch (error) {
      this.#subscriptions.drop(subscription); // it would never be caught up
      throw error;
    }
  }

  async #catchUp(
    subscription: Subscription,
    source: SessionSource,
    { cursor, tail }: StartingPoint,
    streams: StreamPart[],
  ): Promise<void> {
    const { epoch } = source;
    const { client, sessionId } = subscription;
    const { head, row } = source.stored();
    const isKnown = cursor !== undefined && cursor.epoch === epoch && cursor.seq <= head.seq;
    if (cursor && !isKnown) client.send({ type: 'reset', sessionId, epoch });
    const seen = this.#visibility.showHead(client.principal, head);
    const openCount = seen.prompts.filter(({ request }) => mayAnswer(client.principal, request)).length;
    const session = { ...row, openCount };
    const shown = excerptHead(seen, snapshotBytes);
    client.send({ type: 'snapshot', sessionId, epoch, seq: head.seq, session, head: shown, streams });
    const from = isKnown ? cursor.seq : tail === undefined ? 0 : Math.max(0, head.seq - tail);
    if (!isKnown && from > 0) {
      const older = head.prompts.filter(({ seq }) => seq <= from);
      const texts = await source.findRequests(older.map(({ request }) => request.interactionId));
      await subscription.send(texts);
    }
    const storedSeq = () => source.stored().head.seq;
    await subscription.catchUp(source.events, from, storedSeq, () => this.#broadcast.seal());
  }

  detach(client: Client): void {
    this.#subscriptions.remove(client, this.#sessionId);
  }

  /** Ends all subscriptions of a deleted session. */
  close(): void {
    this.#subscriptions.removeAllOf(this.#sessionId);
  }
}
