import {
  type ChatEvent,
  type Command,
  decide,
  emptyHead,
  eventVersion,
  type FrameBatch,
  type Head,
  type InteractionAnswer,
  type InteractionId,
  type JournalRecord,
  keyOf,
  type NewEvent,
  RefusalError,
  reduceHead,
  type Seq,
  type Session,
  type SessionId,
  type SessionRecord,
  StoreError,
  statusOf,
  type ToolCallId,
  type WireErrorCode,
} from '@parley/core';
import type { Client } from './client.ts';
import { chatEventsText, chatEventText } from './frame-batch.ts';
import type { Runtime } from './runtime.ts';
import { SessionStream } from './stream.ts';
import { Subscription } from './subscription.ts';

/** What the session's own people hear of it, in this order, once it is stored and before any tab does. */
export interface SessionObserver {
  onStored(events: readonly ChatEvent[], answer: InteractionAnswer | undefined): void;
}

export interface Performed {
  /** Of the command's first event, or of the one that a repeat names. */
  readonly seq: Seq;
  readonly events: readonly ChatEvent[];
}

interface PerformOptions {
  readonly records?: readonly JournalRecord[];
  /** The answer with its secrets, which travels beside the log and never in it (INT17). */
  readonly answer?: InteractionAnswer;
  /** Runs after the commit and before anybody hears: where waiters are armed (INT1). */
  readonly onStored?: (events: readonly ChatEvent[]) => void;
}

/** How long what is open may differ from its cache in the session's row. */
const headCacheMs = 250;

/** A batch that still grows; once a connection has encoded it, the next one begins. */
type OpenBatch = FrameBatch & { readonly texts: string[] };

interface State {
  readonly head: Head;
  readonly row: Session;
}

/**
 * A session's single writer. Commands are decided on the newest head at once, ahead of the commit; whatever follows from
 * them leaves after it: events, replies, refusals, woken waiters (EVT2).
 */
export class LiveSession {
  readonly id: SessionId;
  readonly stream: SessionStream;
  readonly #runtime: Runtime;
  readonly #observers = new Set<SessionObserver>();
  readonly #subscriptions = new Set<Subscription>();
  #decided: State;
  #stored: State;
  /** Counts falls back to the stored state: what was decided before one no longer matters. */
  #generation = 0;
  #tail: Promise<void> = Promise.resolve();
  #inFlight = 0;
  #batch: OpenBatch | undefined;
  #headTimer: NodeJS.Timeout | undefined;

  private constructor(runtime: Runtime, state: State) {
    this.id = state.row.id;
    this.#runtime = runtime;
    this.#decided = state;
    this.#stored = state;
    this.stream = new SessionStream(
      this.id,
      (batch) => this.#broadcastNow(batch),
      () => this.#subscriptions.size,
    );
  }

  /** Folds the head: from its cache and what the log has after it. */
  static async load(runtime: Runtime, { session, head: cached }: SessionRecord): Promise<LiveSession> {
    let head = cached ?? emptyHead;
    for await (const texts of runtime.store.events.read(session.id, head.seq)) {
      for (const text of texts) head = reduceHead(head, JSON.parse(text));
    }
    return new LiveSession(runtime, { head, row: { ...session, seq: head.seq } });
  }

  /** The newest state; what is decided on it must not leave before `flushed`. */
  get head(): Head {
    return this.#decided.head;
  }

  /** The session's row, as stored. */
  get row(): Session {
    return this.#stored.row;
  }

  get storedHead(): Head {
    return this.#stored.head;
  }

  /** Nothing of it is needed in memory. */
  get isIdle(): boolean {
    return this.#subscriptions.size === 0 && this.#inFlight === 0 && this.head.turn === null;
  }

  observe(observer: SessionObserver): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /** Resolves when all that was decided so far is stored. @throws RefusalError where it could not be. */
  flushed(): Promise<void> {
    return this.#tail;
  }

  /**
   * Decides, stores, tells.
   * @throws RefusalError the law's refusal, or `storage_*` where nothing of it was stored
   */
  async perform(command: Command, options: PerformOptions = {}): Promise<Performed> {
    const decision = decide(this.#decided.head, command, this.#runtime.now());
    switch (decision.kind) {
      case 'refused':
        await this.#tail; // a refusal is news of the state it was decided on
        throw decision.refusal;
      case 'repeated':
        await this.#tail;
        return { seq: decision.seq, events: [] };
      case 'accepted':
        if (decision.events.length === 0) await this.#tail;
        return this.#append(decision.events, options);
      default:
        return decision satisfies never;
    }
  }

  /** Journal entries without an event: an outcome that nobody but the call needs to know (DUR2). */
  async record(records: readonly JournalRecord[]): Promise<void> {
    await this.#append([], { records });
  }

  /** Sends `snapshot`, then the log after the cursor, then the live tail (RPL1, RPL4). */
  async attach(
    client: Client,
    cursor: { epoch: string; seq: Seq } | undefined,
    tail: number | undefined,
  ): Promise<void> {
    const { epoch, events } = this.#runtime.store;
    this.detach(client);
    const subscription = new Subscription(client, this.id);
    client.subscriptions.set(this.id, subscription);
    this.#subscriptions.add(subscription);
    const { head, row } = this.#stored;
    const isKnown = cursor !== undefined && cursor.epoch === epoch && cursor.seq <= head.seq;
    if (cursor && !isKnown) client.send({ type: 'reset', sessionId: this.id, epoch });
    client.send({
      type: 'snapshot',
      sessionId: this.id,
      epoch,
      seq: head.seq,
      session: row,
      head,
      streams: this.stream.snapshot(),
    });
    const from = isKnown ? cursor.seq : tail === undefined ? 0 : Math.max(0, head.seq - tail);
    if (!isKnown && from > 0) await this.#sendOlderPrompts(subscription, head, from);
    await subscription.catchUp(
      events,
      from,
      () => this.#stored.head.seq,
      () => this.#sealBatch(),
    );
  }

  detach(client: Client): void {
    const subscription = client.subscriptions.get(this.id);
    if (!subscription) return;
    subscription.end();
    client.subscriptions.delete(this.id);
    this.#subscriptions.delete(subscription);
  }

  /** Everybody leaves: the session is gone. */
  detachAll(): void {
    for (const { client } of this.#subscriptions) this.detach(client);
    clearTimeout(this.#headTimer);
  }

  get subscriberCount(): number {
    return this.#subscriptions.size;
  }

  /** An ephemeral frame for whoever watches; `except` is the one who sent it. */
  broadcast(batch: FrameBatch, isMeant: (client: Client) => boolean = () => true): void {
    for (const { client } of this.#subscriptions) if (isMeant(client)) client.sendBatch(batch);
  }

  async #append(decided: readonly NewEvent[], options: PerformOptions): Promise<Performed> {
    const { records = [] } = options;
    const before = this.#decided;
    if (decided.length === 0 && records.length === 0) return { seq: before.head.seq, events: [] };
    const timestamp = new Date(this.#runtime.now()).toISOString();
    const events = decided.map((event, index) => this.#stamp(event, before.head.seq + 1 + index, timestamp));
    const head = events.reduce(reduceHead, before.head);
    const row = events.reduce(changeRow, {
      ...before.row,
      ...rowOf(head),
      ...(events.length > 0 && { updatedAt: timestamp }),
    });
    this.#decided = { head, row };
    for (const event of events) this.stream.end(event);
    const texts = events.map((event) => JSON.stringify(event));
    const generation = this.#generation;
    this.#inFlight += 1;
    const stored = this.#runtime.store.events.append({
      sessionId: this.id,
      expectedSeq: before.head.seq,
      events: events.map((event, index) => ({ seq: event.seq, key: keyOf(event), text: texts[index] as string })),
      records,
      endedCalls: endedCalls(events),
      session: row,
    });
    const told = stored.then(
      () => this.#tell({ head, row }, events, texts, options),
      (error: unknown) => this.#fallBack(error, generation),
    );
    this.#tail = told;
    told.catch(() => undefined); // whoever performed it, or waits for `flushed`, handles it
    await told;
    return { seq: events[0]?.seq ?? head.seq, events };
  }

  #stamp(event: NewEvent, seq: Seq, timestamp: string): ChatEvent {
    const { type, payload, turnId, responseId } = event;
    const origin = { ...(turnId !== undefined && { turnId }), ...(responseId !== undefined && { responseId }) };
    const id = this.#runtime.newId();
    return { seq, id, sessionId: this.id, timestamp, ...origin, v: eventVersion, type, payload } as ChatEvent;
  }

  /** After the commit: the deadline timer, the waiters, the tabs, the lists; in this order. */
  #tell(state: State, events: readonly ChatEvent[], texts: readonly string[], options: PerformOptions): void {
    const before = this.#stored;
    this.#inFlight -= 1;
    this.#stored = state;
    for (const event of events) this.#runtime.onEvent(event);
    options.onStored?.(events);
    for (const observer of this.#observers) observer.onStored(events, options.answer);
    for (const text of texts) this.#broadcast(chatEventText(this.id, text));
    if (hasVisibleChange(before.row, state.row)) this.#runtime.onRowChange(state.row);
    if (before.head.turn !== state.head.turn || before.head.prompts !== state.head.prompts) this.#cacheHeadSoon();
  }

  /** Nothing of a failed append happened: its session goes on from what is stored (DUR8). */
  #fallBack(error: unknown, generation: number): never {
    this.#inFlight -= 1;
    if (generation === this.#generation) {
      this.#generation += 1;
      this.#decided = this.#stored;
    }
    this.#runtime.log.error({ sessionId: this.id, error }, 'append failed');
    throw new RefusalError(storageRefusal(error), { cause: error });
  }

  /** All events of a tick leave as one batch; the connections write it at the end of the tick. */
  #broadcast(text: string): void {
    if (this.#batch && !this.#batch.encoded) {
      this.#batch.texts.push(text);
      return;
    }
    const batch: OpenBatch = { texts: [text] };
    this.#batch = batch;
    for (const subscription of this.#subscriptions) if (subscription.isLive) subscription.send(batch);
    process.nextTick(() => this.#batch === batch && this.#sealBatch());
  }

  /** Whoever becomes live now gets what comes next, and nothing of the batch that was begun without it. */
  #sealBatch(): void {
    this.#batch = undefined;
  }

  #broadcastNow(batch: FrameBatch): void {
    this.#sealBatch(); // keeps the order between streamed text and the events before it
    for (const subscription of this.#subscriptions) subscription.send(batch);
  }

  async #sendOlderPrompts(subscription: Subscription, head: Head, from: Seq): Promise<void> {
    const texts: string[] = [];
    for (const { request, seq } of head.prompts) {
      const text = seq <= from && (await this.findEvent(`request:${request.interactionId}`));
      if (text) texts.push(text);
    }
    if (texts.length > 0) {
      subscription.send({
        texts: texts.map((text) => chatEventsText(this.id, [text])),
      });
    }
  }

  /** The text of a stored event by its key (see `keyOf`), after all that was decided is stored. */
  async findEvent(key: string): Promise<string | undefined> {
    await this.#tail;
    return this.#runtime.store.index.find(this.id, key);
  }

  #cacheHeadSoon(): void {
    this.#headTimer ??= setTimeout(() => void this.cacheHead(), headCacheMs).unref();
  }

  /** The cache may lag or miss: loading folds what the log has after it. */
  async cacheHead(): Promise<void> {
    clearTimeout(this.#headTimer);
    this.#headTimer = undefined;
    const { head, row } = this.#decided;
    const change = { sessionId: this.id, expectedSeq: head.seq, events: [], session: row, head };
    await this.#runtime.store.events.append(change).catch((error: unknown) => {
      this.#runtime.log.warn({ sessionId: this.id, error }, 'head not cached');
    });
  }

  /** The settlement that a prompt of the past had, if there was such a prompt. */
  async findPast(interactionId: InteractionId) {
    const [request, settlement] = await Promise.all([
      this.findEvent(`request:${interactionId}`),
      this.findEvent(`settlement:${interactionId}`),
    ]);
    if (!request || !settlement) return undefined;
    return { request: JSON.parse(request).payload, settlement: JSON.parse(settlement) };
  }
}

function rowOf(head: Head): Pick<Session, 'seq' | 'status' | 'openCount'> {
  return { seq: head.seq, status: statusOf(head), openCount: head.prompts.length };
}

function changeRow(row: Session, event: ChatEvent): Session {
  if (event.type !== 'session_changed') return row;
  const { title = row.title, agent = row.agent, permissionMode = row.permissionMode } = event.payload;
  return { ...row, title, agent, permissionMode };
}

function hasVisibleChange(a: Session, b: Session): boolean {
  return (
    a.status !== b.status ||
    a.openCount !== b.openCount ||
    a.title !== b.title ||
    a.agent !== b.agent ||
    a.permissionMode !== b.permissionMode
  );
}

function endedCalls(events: readonly ChatEvent[]): readonly ToolCallId[] {
  return events.flatMap((event) => (event.type === 'tool_result' ? [event.payload.toolCallId] : []));
}

const storageRefusals: Record<StoreError['code'], WireErrorCode> = {
  conflict: 'retry_later',
  full: 'storage_full',
  busy: 'storage_busy',
  failed: 'storage_failed',
};

function storageRefusal(error: unknown): WireErrorCode {
  return error instanceof StoreError ? storageRefusals[error.code] : 'internal';
}
