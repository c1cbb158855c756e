import {
  type AuditEntry,
  type Awaitable,
  type ChatEvent,
  type Command,
  decide,
  emptyHead,
  type Facts,
  foldHead,
  type Head,
  type Instant,
  type InteractionId,
  type JournalRecord,
  type Matches,
  type NewEvent,
  RefusalError,
  reduceHead,
  type Session,
  type SessionId,
  type SessionRecord,
  type ToolCallId,
} from '@parleyhq/core';
import type { Client } from '../tabs/client.ts';
import { SessionTabs, type StartingPoint } from '../tabs/session-tabs.ts';
import { Visibility } from '../tabs/visibility.ts';
import { type Change, type ChangedSession, makeChange, type News, type State } from './change.ts';
import { HeadCache } from './head-cache.ts';
import { MissedEvents } from './missed-events.ts';
import type { Effects, Performed, PerformOptions } from './perform-options.ts';
import { type PreparedAppend, prepareAppend } from './prepare-append.ts';
import type { SessionPorts } from './session-ports.ts';
import { SessionReader } from './session-reader.ts';
import { rowAfter } from './session-row.ts';
import { stamp } from './stamp.ts';
import { toRefusal } from './storage-refusal.ts';
import { answerOf } from './stored-answer.ts';
import { storedWith } from './stored-with.ts';
import { isOwnFault, levelOf, SupersededError } from './superseded.ts';
import {
  type Patience,
  type Prepare,
  type Transaction,
  toRecording,
  transact,
  transactUntilStored,
  type Writer,
} from './transact.ts';
import { unacknowledgedRecords } from './unacknowledged.ts';
import { UnderWay } from './under-way.ts';

/** Observes the session: receives each change once it is stored, and before any tab does (INT1). */
export interface SessionObserver {
  onChange(change: Change): void;
}

/**
 * A session's single writer. Commands are decided at once on the newest head, ahead of the commit; their effects are published
 * after it: events, replies, refusals, woken waiters (EVT2).
 */
export class SessionWriter implements ChangedSession, Writer {
  readonly id: SessionId;
  readonly tabs: SessionTabs;
  readonly visibility: Visibility;
  readonly reader: SessionReader;
  readonly #ports: SessionPorts;
  readonly #observers = new Set<SessionObserver>();
  #decided: State;
  #stored: State;
  /** Replaced at each fall back to the stored state, after which earlier decisions no longer matter. */
  #lineage = {};
  /** Whether the last fall back was caused by what one command rests on: commands based on it are decided again (SEC9, APR4). */
  #hasUndone = false;
  #tail: Promise<void> = Promise.resolve();
  #inFlight = 0;
  #hasEnded = false;
  readonly #headCache: HeadCache;
  readonly missed: MissedEvents;
  readonly underWay = new UnderWay();
  #inheritedFrom: string | undefined;
  #isAsleep: ((id: ToolCallId) => boolean) | undefined;

  private constructor(ports: SessionPorts, state: State, visibility: Visibility, saved: Head | undefined) {
    this.id = state.row.id;
    this.#ports = ports;
    this.#decided = state;
    this.#stored = state;
    const { subscriptions, publishToPeers } = ports.publishing;
    const { id: sessionId } = this;
    this.tabs = new SessionTabs(sessionId, subscriptions, visibility, (message) =>
      publishToPeers({ ...message, sessionId, seq: this.row.seq }),
    );
    this.visibility = visibility;
    const log = {
      id: sessionId,
      stored: () => this.#stored,
      isAppending: () => this.#inFlight > 0,
      flushed: () => this.#tail,
      takeOver: (event: ChatEvent, text: string) => this.#takeOver(event, text),
    };
    this.missed = new MissedEvents(log, ports.store.shared && ports.store.events);
    this.#headCache = new HeadCache(this.id, () => this.#stored.head, {
      ...{ heads: ports.store.heads, log: ports.log, saved },
    });
    this.reader = new SessionReader(ports.store, this.id, () => this.#tail);
  }

  /** Loads a session by folding the events after its cached head. */
  static async load(ports: SessionPorts, { session, head: cached }: SessionRecord): Promise<SessionWriter> {
    const head = await foldHead(ports.store.events.read(session.id, cached?.seq ?? 0), cached);
    const visibility = await Visibility.read(ports.store.events, session.id, head.hiddenSince);
    return new SessionWriter(ports, { head, row: { ...session, seq: head.seq } }, visibility, cached);
  }

  /** The newest state; results of decisions on it must not be published before `flushed`. */
  get head(): Head {
    return this.#decided.head;
  }

  /** The newest stored state. */
  get storedHead(): Head {
    return this.#stored.head;
  }

  /** Whether everything decided so far is stored. */
  get isSettled(): boolean {
    return this.#inFlight === 0;
  }

  /** The session's stored row. */
  get row(): Session {
    return this.#stored.row;
  }

  /** Whether its turn, if there is one, runs here, or would if any of its calls were awake. */
  get isOwned(): boolean {
    return this.isRunHere || this.head.turn?.owner === this.#inheritedFrom;
  }

  /** Whether its turn, if there is one, runs here. */
  get isRunHere(): boolean {
    const { turn } = this.head;
    return turn === null || turn.owner === this.#facts().plan.owner;
  }

  /**
   * Takes over the turn of a process that has ended, though nothing of it is awake yet.
   * @param owner - undefined if that process is alive after all
   * @param isAsleep - whether a call has run no code since then: the end of its waits is then stored as not acted on (DUR2)
   */
  inherit(owner: string | undefined, isAsleep?: (id: ToolCallId) => boolean): void {
    this.#inheritedFrom = owner;
    this.#isAsleep = isAsleep;
  }

  /** Whether nothing of it is needed in memory, unless its turn is running. */
  get isUnused(): boolean {
    const { turn, prompts, lateAnswers } = this.head;
    if (this.missed.arePossible && (prompts.length > 0 || turn)) return false; // their end is published here, whoever stores it
    return this.tabs.isEmpty && this.#inFlight === 0 && lateAnswers.length === 0;
  }

  /** Adds an observer. Returns a function that removes it. */
  observe(observer: SessionObserver): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  wake(change: Change): void {
    for (const observer of this.#observers) observer.onChange(change);
  }

  broadcast({ events, texts }: Change): void {
    this.tabs.broadcast(events, texts);
  }

  /** Publishes the loaded state as one change, because no follower knows of it. */
  announce({ isRecovered = true } = {}): void {
    const before = { head: emptyHead, row: this.row };
    const news = { events: [], texts: [], isRecovered, isForeign: false, grants: [], answer: undefined };
    this.#publish(before, this.#stored, news);
  }

  /** Identifies the current run of decisions; a new object after a fall back to the stored state and after each missed event. */
  get lineage(): object {
    return this.#lineage;
  }

  #takeOver(event: ChatEvent, text: string): void {
    const before = this.#stored;
    const head = reduceHead(before.head, event);
    this.#stored = { head, row: rowAfter(before.row, head, [event]) };
    this.#decided = this.#stored;
    this.#lineage = {};
    this.visibility.add(event);
    const answer = event.type === 'interaction_response' ? answerOf(event.payload, event.timestamp) : undefined;
    const news = { events: [event], texts: [text], isRecovered: false, isForeign: true, grants: [], answer };
    this.#publish(before, this.#stored, news);
  }

  /** Resolves when everything decided so far is stored. @throws RefusalError if it could not be */
  flushed(): Promise<void> {
    return this.#tail;
  }

  /** Decides, stores and publishes what `prepare` returns; undefined if it returns nothing. @throws RefusalError see `transact` */
  transact(prepare: () => Awaitable<Transaction>): Promise<Performed>;
  transact(prepare: Prepare): Promise<Performed | undefined>;
  transact(prepare: Prepare): Promise<Performed | undefined> {
    return transact(this, prepare);
  }

  /** Performs one command. @throws RefusalError as `transact` */
  perform(command: Command, options: PerformOptions = {}): Promise<Performed> {
    const transaction = { ...options, command };
    return transact(this, () => transaction);
  }

  /** Performs what must not be lost, retrying until it is stored or `signal` aborts. See `transactUntilStored`. */
  persist(command: Command, options?: PerformOptions & Patience): Promise<void>;
  persist(prepare: Prepare, patience?: Patience): Promise<void>;
  persist(work: Command | Prepare, { signal, ...options }: PerformOptions & Patience = {}): Promise<void> {
    const prepare = typeof work === 'function' ? work : () => ({ ...options, command: work });
    return transactUntilStored(this, prepare, { log: this.#ports.log, signal });
  }

  /** Stores records of calls without an event: outcomes that only the call needs to know (DUR2). */
  async record(records: readonly JournalRecord[], audit?: readonly AuditEntry[]): Promise<void> {
    await this.transact(() => toRecording(records, audit));
  }

  /** Stores records that must not be lost, retrying until they are stored. An ended call keeps none. */
  keep(records: readonly JournalRecord[]): Promise<void> {
    return this.persist(() => toRecording(records));
  }

  /** Decides a command on the newest state, stores and publishes it: one attempt of `transact`. @throws as it rejects */
  commit(transaction: Transaction): Promise<Performed> {
    const facts = this.#facts(transaction.matches);
    const decision = decide(this.head, transaction.command, facts);
    switch (decision.kind) {
      case 'refused': // a refusal reveals the state it was decided on, which must be stored first
        return this.#tail.then(() => {
          this.#ports.publishing.refused(decision.refusal);
          throw decision.refusal;
        });
      case 'repeated':
        return this.#tail.then(() => ({ seq: decision.seq, events: [], votes: decision.votes }));
      case 'accepted': {
        const { events } = decision;
        if (events.length === 0 && !transaction.records?.length)
          return this.#tail.then(() => ({ seq: this.head.seq, events: [] }));
        const effects = storedWith(decision, this, transaction, facts.now, this.#ports);
        return this.#append(events, facts.now, transaction, effects);
      }
      default:
        return decision satisfies never;
    }
  }

  /** Settles everything that is open and then has the session removed; from now on it accepts nothing (OPS5). */
  async end(options: Pick<PerformOptions, 'by' | 'credential'>, remove: () => Promise<void>): Promise<void> {
    const ending = this.perform({ type: 'end_session' }, options);
    this.#hasEnded = true;
    try {
      await ending;
      await this.flushed();
      await remove();
    } catch (error) {
      this.#hasEnded = false;
      throw error;
    }
    this.#close();
  }

  /** Publishes that everything open is closed, because the session was deleted from the store (OPS5). */
  endDeleted(): void {
    const facts = this.#facts();
    const { head } = this.#stored;
    const decision = decide(head, { type: 'end_session' }, facts);
    const over = decision.kind === 'accepted' ? decision.events : [];
    const place = { sessionId: this.id, seq: head.seq, timestamp: new Date(facts.now).toISOString() };
    for (const event of stamp(over, place)) this.missed.add(event, JSON.stringify(event));
    this.#hasEnded = true;
    this.#close();
  }

  #close(): void {
    this.#headCache.end();
    this.tabs.close();
  }

  /** Stops accepting commands because the process stops; what is open stays open in the store (OPS3). */
  async retire(): Promise<void> {
    await this.#tail.catch(() => undefined); // whoever performed it handles its failure
    await this.cacheHead();
    this.#headCache.end();
    this.#hasEnded = true;
  }

  /** @throws RefusalError `not_found` after the end */
  requireLife(): void {
    if (this.#hasEnded) throw new RefusalError('not_found');
  }

  /** Attaches a tab. Resolves when it has caught up or left. @throws RefusalError if the log could not be read */
  async attach(client: Client, from: StartingPoint): Promise<void> {
    this.requireLife();
    const { epoch, events } = this.#ports.store;
    const stored = () => this.#stored;
    const findRequests = (ids: readonly InteractionId[]) => this.reader.findRequests(ids);
    const source = { epoch, events, stored, findRequests };
    try {
      await this.missed.read(); // a tab that moved here from another node may know more
      await this.tabs.attach(client, source, from);
    } catch (error) {
      this.#ports.log.error({ sessionId: this.id, error }, 'catch-up failed');
      throw new RefusalError('storage_failed', { cause: error });
    }
  }

  #facts(matches?: Matches): Facts {
    return this.#ports.facts(this.#decided.row.agent, matches);
  }

  #append(decided: readonly NewEvent[], now: Instant, options: PerformOptions, effects: Effects): Promise<Performed> {
    const before = this.#decided;
    const lineage = this.#lineage;
    const { freshLoginMs, store } = this.#ports;
    const unacknowledged = unacknowledgedRecords(before.head, decided, this.#isAsleep);
    const facts = { now, freshLoginMs, lineage, unacknowledged };
    const prepared = prepareAppend(before, decided, options, effects, facts);
    const { state, events, texts, append } = prepared;
    options.spend?.(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
    this.#decided = state;
    this.#inFlight += 1;
    const performed = { seq: events[0]?.seq ?? state.head.seq, events };
    const published = store.events.append(append).then(
      () => {
        this.#follow(prepared, options, effects);
        return performed;
      },
      (error: unknown) => this.#fallBack(error, lineage),
    );
    this.#tail = published.then(
      () => undefined,
      (error: unknown) => {
        throw isOwnFault(error) ? new SupersededError('predecessor') : error; // one command was refused: later ones are not refused for it
      },
    );
    this.#tail.catch(() => undefined); // whoever performed it or waits for `flushed` handles it
    return published; // mutant: early-reply
  }

  /** Runs after the commit: first `onStored` of the command, then everybody is notified. */
  #follow({ state, events, texts }: PreparedAppend, options: PerformOptions, { grants, answer }: Effects): void {
    const before = this.#stored;
    this.#inFlight -= 1;
    this.#stored = state;
    for (const event of events) this.visibility.add(event);
    options.onStored?.(events);
    const news = { events, texts, isRecovered: false, isForeign: false, grants, answer };
    if (events.length > 0) this.#publish(before, state, news, options);
    if (before.head.turn !== state.head.turn || before.head.prompts !== state.head.prompts) this.#headCache.saveSoon();
  }

  #publish(before: State, after: State, news: News, options: PerformOptions = {}): void {
    this.#ports.publishing.publish(makeChange(this, before, after, news, options));
  }

  /** Returns to the stored state, because nothing of a failed append happened (DUR8). */
  #fallBack(error: unknown, lineage: object): never {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#tail = Promise.resolve(); // only the callers that performed it get the failure
    const refusal = toRefusal(error);
    if (lineage === this.#lineage) {
      this.#lineage = {};
      this.#decided = this.#stored;
      this.#hasUndone = isOwnFault(refusal);
    } else if (this.#hasUndone && refusal.code === 'retry_later') throw new SupersededError('predecessor');
    const what = isOwnFault(refusal)
      ? 'a command whose credential, grant, vote or passkey is no longer valid'
      : 'append failed';
    this.#ports.log[levelOf(refusal)]({ sessionId: this.id, error }, what);
    throw refusal;
  }

  /** Saves the head now, so that a session that leaves memory need not fold it again. */
  cacheHead(): Promise<void> {
    return this.#headCache.save();
  }
}
