import {
  type ChatEvent,
  type Epoch,
  type EventStore,
  excerptHead,
  type Head,
  type InteractionId,
  mayAnswer,
  type Seq,
  type Session,
  type SessionId,
  type StreamPart,
} from '@parleyhq/core';
import { Broadcast } from './broadcast.ts';
import type { Client } from './client.ts';
import { frameOf } from './frame-batch.ts';
import type { DraftMessage, NodeMessage } from './node-message.ts';
import { Subscription } from './subscription.ts';
import type { Subscriptions } from './subscriptions.ts';
import { type StreamOutlet, TextStream } from './text-stream.ts';
import type { Visibility } from './visibility.ts';

/** Of the head in a snapshot, as JSON: what a slow reader may have unsent, with the first events behind it (FRM5, SEC11). */
const snapshotBytes = 512 * 1024;

/** The stored session that tabs are shown. */
export interface SessionSource {
  readonly epoch: Epoch;
  readonly events: Pick<EventStore, 'read'>;
  /** As of now: what was decided and is not stored yet is not in it. */
  stored(): { readonly head: Head; readonly row: Session };
  /** The stored texts of requests, in their order. */
  findRequests(ids: readonly InteractionId[]): Promise<readonly string[]>;
}

/** Where a tab begins to read. */
export interface StartingPoint {
  /** What the tab has already. */
  readonly cursor?: { readonly epoch: Epoch; readonly seq: Seq } | undefined;
  /** No more than so many of the last events. */
  readonly tail?: number | undefined;
}

type Draft = Pick<DraftMessage, 'interactionId' | 'values' | 'principal'>;

type WithoutPlace<Message> = Message extends unknown ? Omit<Message, 'sessionId' | 'seq'> : never;

/** What one session tells the other nodes. */
export type OwnMessage = WithoutPlace<
  Exclude<NodeMessage, { kind: 'followers' | 'claim' | 'spent' | 'result_wanted' | 'result_told' }>
>;

/** The tabs that follow one session: their catching up, the live events, the text that streams. */
export class SessionTabs {
  readonly stream: TextStream;
  readonly #sessionId: SessionId;
  readonly #broadcast: Broadcast;
  readonly #subscriptions: Subscriptions;
  readonly #visibility: Visibility;
  readonly #tellNodes: ((message: OwnMessage) => void) | undefined;

  /** @param tellNodes - the other nodes, whose tabs see what is never stored, too (OPS4) */
  constructor(
    sessionId: SessionId,
    subscriptions: Subscriptions,
    visibility: Visibility,
    tellNodes?: (message: OwnMessage) => void,
  ) {
    this.#sessionId = sessionId;
    this.#subscriptions = subscriptions;
    this.#visibility = visibility;
    this.#tellNodes = tellNodes;
    this.#broadcast = new Broadcast(sessionId, subscriptions);
    this.stream = new TextStream(sessionId, this.#broadcast, visibility, tellNodes && outletTo(tellNodes));
  }

  get isEmpty(): boolean {
    return this.#broadcast.size === 0;
  }

  /** Stored events: what streamed ahead of them is superseded (EVT4). */
  tell(events: readonly ChatEvent[], texts: readonly string[]): void {
    for (const event of events) this.stream.end(event);
    for (const [n, text] of texts.entries()) {
      const other = this.#visibility.hiddenForm(events[n] as ChatEvent);
      if (other) this.#broadcast.sendEither(text, other);
      else this.#broadcast.sendEvent(text);
    }
  }

  /** Half-typed values, for the other tabs of the same principal, at whichever node. @param from - absent where another node has it */
  relayDraft(draft: Draft, from?: Client): void {
    const { principal, interactionId, values } = draft;
    const frame = frameOf({ type: 'draft', sessionId: this.#sessionId, interactionId, values });
    this.#broadcast.sendFrame(frame, (client) => client !== from && client.principal.id === principal);
    if (from) this.#tellNodes?.({ kind: 'draft', ...draft });
  }

  /** Sends `snapshot`, then the log after the cursor, then the live tail (RPL1, RPL4). */
  async attach(client: Client, source: SessionSource, { cursor, tail }: StartingPoint): Promise<void> {
    const sessionId = this.#sessionId;
    const streams = this.stream.snapshot(client.principal); // flushes to the other tabs before this one is among them
    const show = (texts: readonly string[]) => this.#visibility.show(client.principal, texts);
    const subscription = new Subscription(client, sessionId, show);
    this.#subscriptions.add(subscription);
    try {
      await this.#catchUp(subscription, source, { cursor, tail }, streams);
    } catch (error) {
      this.#subscriptions.drop(subscription); // it would never be live
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

  /** The session is gone. */
  close(): void {
    this.#subscriptions.removeAllOf(this.#sessionId);
  }
}

function outletTo(tellNodes: (message: OwnMessage) => void): StreamOutlet {
  return {
    tell: (message) => tellNodes({ kind: 'stream', ...message }),
    discard: (responseId) => tellNodes({ kind: 'stream_discarded', responseId }),
    ask: () => tellNodes({ kind: 'streams_wanted' }),
  };
}
