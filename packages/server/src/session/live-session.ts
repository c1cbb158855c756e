import {
  auditOf,
  type ChatEvent,
  type Command,
  decide,
  emptyHead,
  eventVersion,
  type Grant,
  type Head,
  type Instant,
  type InteractionAnswer,
  type InteractionId,
  type JournalRecord,
  keyOf,
  type NewEvent,
  reduceHead,
  type Seq,
  type Session,
  type SessionId,
  type SessionRecord,
  type StoredEvent,
  type Witness,
} from '@parleyhq/core';
import type { Runtime } from '../runtime.ts';
import { Outbox } from '../tabs/broadcast.ts';
import type { Client } from '../tabs/client.ts';
import { chatEventsText } from '../tabs/frame-batch.ts';
import { SessionStream } from '../tabs/session-stream.ts';
import { Subscription } from '../tabs/subscription.ts';
import { limitsMet } from '../tools/limit-error.ts';
import { endedCalls, looksDifferent, rowAfter } from './session-row.ts';
import { toRefusal } from './storage-refusal.ts';

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
  /** Consent that the events give, and grants that they rest on (APR2, APR4). */
  readonly grants?: readonly Grant[];
  readonly usedGrants?: readonly Grant[];
  /** The answer with its secrets, which travels beside the log and never in it (INT17). */
  readonly answer?: InteractionAnswer;
  /** Whose doing it is, for the audit (SEC7). */
  readonly by?: Witness;
  /** Runs after the commit and before anybody hears: where waiters are armed (INT1). */
  readonly onStored?: (events: readonly ChatEvent[]) => void;
}

/** How long what is open may differ from its cache in the session's row. */
const headCacheMs = 250;

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
  readonly outbox: Outbox;
  readonly #runtime: Runtime;
  readonly #observers = new Set<SessionObserver>();
  #decided: State;
  #stored: State;
  /** Counts falls back to the stored state: what was decided before one no longer matters. */
  #generation = 0;
  #tail: Promise<void> = Promise.resolve();
  #inFlight = 0;
  #headTimer: NodeJS.Timeout | undefined;
  readonly #underWay = new Map<string, Promise<unknown>>();

  private constructor(runtime: Runtime, state: State) {
    this.id = state.row.id;
    this.#runtime = runtime;
    this.#decided = state;
    this.#stored = state;
    this.outbox = new Outbox(this.id);
    this.stream = new SessionStream(this.id, this.outbox);
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

  /** Nothing of it is needed in memory. */
  get isIdle(): boolean {
    const { turn, lateAnswers } = this.head;
    return this.outbox.size === 0 && this.#inFlight === 0 && turn === null && lateAnswers.length === 0;
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
    const now = this.#runtime.now();
    const decision = decide(this.#decided.head, command, now);
    switch (decision.kind) {
      case 'refused':
        await this.#tail; // a refusal is news of the state it was decided on
        for (const limit of limitsMet(decision.refusal)) this.#runtime.onLimit(limit);
        throw decision.refusal;
      case 'repeated':
        await this.#tail;
        return { seq: decision.seq, events: [] };
      case 'accepted':
        if (decision.events.length === 0) await this.#tail;
        return this.#append(decision.events, now, options);
      default:
        return decision satisfies never;
    }
  }

  /** Repeats of what is under way share its outcome; later ones find it in the log (FRM6). */
  once<T>(key: string, work: () => Promise<T>): Promise<T> {
    const known = this.#underWay.get(key);
    if (known) return known as Promise<T>;
    const begun = work().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, begun);
    return begun;
  }

  /** Journal entries without an event: an outcome that nobody but the call needs to know (DUR2). */
  async record(records: readonly JournalRecord[]): Promise<void> {
    await this.#append([], this.#runtime.now(), { records });
  }

  /** Sends `snapshot`, then the log after the cursor, then the live tail (RPL1, RPL4). */
  async attach(
    client: Client,
    cursor: { epoch: string; seq: Seq } | undefined,
    tail: number | undefined,
  ): Promise<void> {
    const { epoch, events } = this.#runtime.store;
    const streams = this.stream.snapshot(); // sends what others lack: before this client is one of them
    const subscription = new Subscription(client, this.id);
    this.outbox.add(subscription);
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
      streams,
    });
    const from = isKnown ? cursor.seq : tail === undefined ? 0 : Math.max(0, head.seq - tail);
    if (!isKnown && from > 0) await this.#sendOlderPrompts(subscription, head, from);
    await subscription.catchUp(
      events,
      from,
      () => this.#stored.head.seq,
      () => this.outbox.seal(),
    );
  }

  async #append(decided: readonly NewEvent[], now: Instant, options: PerformOptions): Promise<Performed> {
    const { records = [], grants = [], usedGrants = [] } = options;
    const before = this.#decided;
    if (decided.length === 0 && records.length === 0) return { seq: before.head.seq, events: [] };
    const timestamp = new Date(now).toISOString(); // of the decision: what it reckons from now on is so long
    const events = decided.map((event, index) => this.#stamp(event, before.head.seq + 1 + index, timestamp));
    const audit = auditOf(before.head, events, options.by);
    const head = events.reduce(reduceHead, before.head);
    const row = rowAfter(before.row, head, events);
    this.#decided = { head, row };
    const stored = events.map((event) => ({ seq: event.seq, key: keyOf(event), text: JSON.stringify(event) }));
    const generation = this.#generation;
    this.#inFlight += 1;
    const decidedAt = performance.now();
    const appended = this.#runtime.store.events.append({
      sessionId: this.id,
      expectedSeq: before.head.seq,
      events: stored,
      records,
      grants,
      usedGrants: usedGrants.map(({ id }) => id),
      endedCalls: endedCalls(events),
      audit,
      session: row,
    });
    const told = appended.then(
      () => {
        this.#runtime.onAppend((performance.now() - decidedAt) / 1000);
        this.#tell({ head, row }, events, stored, options);
      },
      (error: unknown) => this.#fallBack(error, generation),
    );
    this.#tail = told;
    told.catch(() => undefined); // whoever performed it, or waits for `flushed`, handles it
    await told; // mutant: early-reply
    return { seq: events[0]?.seq ?? head.seq, events };
  }

  #stamp(event: NewEvent, seq: Seq, timestamp: string): ChatEvent {
    const { type, payload, turnId, responseId } = event;
    const id = this.#runtime.newId();
    return { seq, id, sessionId: this.id, timestamp, turnId, responseId, v: eventVersion, type, payload } as ChatEvent;
  }

  /** After the commit: the deadline timer, the waiters, the tabs, the lists; in this order. */
  #tell(state: State, events: readonly ChatEvent[], stored: readonly StoredEvent[], options: PerformOptions): void {
    const before = this.#stored;
    this.#inFlight -= 1;
    this.#stored = state;
    for (const event of events) {
      this.stream.end(event);
      this.#runtime.onEvent(event);
    }
    options.onStored?.(events);
    for (const observer of this.#observers) observer.onStored(events, options.answer);
    for (const { text } of stored) this.outbox.sendEvent(text);
    for (const { sessionId } of options.grants ?? []) this.#runtime.onGrant(sessionId);
    for (const { sessionId } of [...(options.grants ?? []), ...(options.usedGrants ?? [])])
      this.#runtime.onGrantsChange(sessionId);
    if (looksDifferent(before.row, state.row)) this.#runtime.onRowChange(state.row);
    if (before.head.turn !== state.head.turn || before.head.prompts !== state.head.prompts) this.#cacheHeadSoon();
  }

  /** Nothing of a failed append happened: its session goes on from what is stored (DUR8). */
  #fallBack(error: unknown, generation: number): never {
    this.#inFlight -= 1;
    if (generation === this.#generation) {
      this.#generation += 1;
      this.#decided = this.#stored;
    }
    if (this.#inFlight === 0) this.#tail = Promise.resolve(); // what failed is told to those who asked for it only
    this.#runtime.log.error({ sessionId: this.id, error }, 'append failed');
    throw toRefusal(error);
  }

  async #sendOlderPrompts(subscription: Subscription, head: Head, from: Seq): Promise<void> {
    const texts: string[] = [];
    for (const { request, seq } of head.prompts) {
      const text = seq <= from && (await this.findEvent(`request:${request.interactionId}`));
      if (text) texts.push(text);
    }
    if (texts.length > 0) subscription.send({ texts: [chatEventsText(this.id, texts)] });
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
