import {
  type ChatEvent,
  countVotes,
  type FrameBatch,
  findPrompt,
  type HeadChange,
  type InboxEntry,
  type Instant,
  type InteractionId,
  type InteractionRequest,
  mayAnswer,
  maySee,
  type OpenPrompt,
  ownerOf,
  ownVoteOf,
  type Principal,
  type PromptRef,
  RefusalError,
  type ServerFrameOf,
  type Session,
  type SessionId,
  sizeOfRequest,
  type ToolCallId,
  type Vote,
} from '@parleyhq/core';
import { type Client, frameOf, type Subscriptions, type Visibility } from '@parleyhq/runtime';

/** Maximum number of entries and approximate bytes of a page, so that a phone that reads slowly keeps its connection (SEC11). */
const pageEntries = 100;
const pageBytes = 256 * 1024;

interface Page {
  readonly before?: InteractionId | undefined;
  readonly limit?: number | undefined;
}

type InboxChange = HeadChange & {
  readonly session: { readonly visibility: Pick<Visibility, 'hides'> };
  readonly row: { readonly after: Pick<Session, 'title'> };
};
type PromptFrame =
  | ServerFrameOf<'interaction_opened'>
  | ServerFrameOf<'interaction_voted'>
  | ServerFrameOf<'interaction_settled'>;
type SettledStatus = ServerFrameOf<'interaction_settled'>['status'];

interface Opened {
  readonly entry: InboxEntry;
  readonly votes: readonly Vote[];
  /** When the prompt was opened, in ISO 8601. */
  readonly at: string;
}

/** A prompt that somebody may answer. */
export interface WaitingPrompt {
  readonly sessionId: SessionId;
  readonly sessionTitle: string;
  readonly interaction: InteractionRequest;
  /** When the prompt was opened. */
  readonly at: Instant;
}

/**
 * Every prompt that can be answered now, over all sessions; sent to the people who may answer it and do not follow its session
 * (TEAM1).
 */
export class Inbox {
  #opened: Map<string, Opened> = new Map();
  /** False if the start loaded a session after one whose prompts are newer. */
  #isInOrder = true;
  #newest = '';
  readonly #bySession = new Map<SessionId, Map<InteractionId, InboxEntry>>();
  /** Sessions that have entries. */
  readonly #sessions = new Map<SessionId, { readonly visibility: Pick<Visibility, 'hides'>; readonly title: string }>();
  /** Keys of the entries whose call was hidden after they were opened. */
  readonly #withdrawn = new Set<string>();
  readonly #clients: ReadonlySet<Client>;
  readonly #subscriptions: Subscriptions;

  constructor(clients: ReadonlySet<Client>, subscriptions: Subscriptions) {
    this.#clients = clients;
    this.#subscriptions = subscriptions;
  }

  get size(): number {
    return this.#opened.size;
  }

  /** Counts the prompts that a principal may answer. */
  count(principal: Principal): number {
    return this.#listFor(principal).length;
  }

  /**
   * Returns the newest entries that a principal may answer, in the order of their opening: as many as `limit` and a page's bytes
   * allow, but at least one. With `before`, an interactionId, those opened before that prompt.
   * @throws RefusalError `not_found` if no such prompt is open
   */
  page(principal: Principal, { before, limit = pageEntries }: Page = {}): InboxEntry[] {
    const own = this.#listFor(principal);
    const end = before === undefined ? own.length : own.findIndex((entry) => idOf(entry) === before);
    if (end < 0) throw new RefusalError('not_found');
    let start = end;
    for (let bytes = 0; start > 0 && end - start < limit; start -= 1) {
      bytes += sizeOfRequest((own[start - 1] as InboxEntry).interaction);
      if (bytes > pageBytes && start < end) break;
    }
    return own.slice(start, end).map((entry) => {
      const session = this.#sessions.get(entry.sessionId);
      const votes = this.#opened.get(keyOf(entry.sessionId, idOf(entry)))?.votes ?? [];
      return { ...entry, ...(session && { sessionTitle: session.title }), ...ownVoteOf(votes, ownerOf(principal)) };
    });
  }

  /** Whether a prompt can be answered now. */
  isOpen(sessionId: SessionId, interactionId: InteractionId): boolean {
    return this.#opened.has(keyOf(sessionId, interactionId));
  }

  /** Session and id of every open prompt. */
  get places(): readonly PromptRef[] {
    return Array.from(this.#opened.values(), ({ entry: { sessionId, interaction } }) => ({
      sessionId,
      interactionId: interaction.interactionId,
    }));
  }

  /** Returns the prompts that a principal may answer, with the time of their opening. */
  waitingFor(principal: Principal): readonly WaitingPrompt[] {
    return Array.from(this.#opened.values(), ({ entry: { sessionId, interaction }, at }) => ({
      sessionId,
      sessionTitle: this.#sessions.get(sessionId)?.title ?? '',
      interaction,
      at: Date.parse(at),
    })).filter(({ sessionId, interaction }) => this.isFor(principal, sessionId, interaction));
  }

  /** Lists the entries that a principal may answer. */
  #listFor(principal: Principal): readonly InboxEntry[] {
    if (!this.#isInOrder) this.#order();
    const entries = Array.from(this.#opened.values(), ({ entry }) => entry);
    return entries.filter(({ sessionId, interaction }) => this.isFor(principal, sessionId, interaction));
  }

  #order(): void {
    this.#opened = new Map([...this.#opened].sort(([, a], [, b]) => Number(a.at > b.at) - Number(a.at < b.at)));
    this.#isInOrder = true;
  }

  /** Returns a session's row for a principal: `openCount` counts the prompts that this one may answer. */
  rowFor(principal: Principal, row: Session): Session {
    const entries = [...(this.#bySession.get(row.id)?.values() ?? [])];
    const own = entries.filter(({ interaction }) => this.isFor(principal, row.id, interaction));
    return { ...row, openCount: own.length };
  }

  follow(change: InboxChange): void {
    const { sessionId, events, session, row } = change;
    const { opened, moved, settled } = change.prompts;
    const { title } = row.after;
    if (opened.length + moved.length > 0 || this.#sessions.has(sessionId))
      this.#sessions.set(sessionId, { visibility: session.visibility, title });
    for (const { request } of opened) if (request.visibility) this.#withdraw(sessionId, request.toolCallId);
    const widened = moved.filter(({ request }) => this.#isWider(sessionId, request));
    const counted = moved.filter((prompt) => this.#isCountedAnew(sessionId, prompt));
    for (const prompt of [...opened, ...moved]) this.#put(sessionId, prompt);
    for (const prompt of opened) this.#tell(prompt.request, toOpened(sessionId, title, prompt));
    for (const prompt of widened) this.#tellMore(change, prompt);
    for (const prompt of counted) this.#tellVotes(sessionId, prompt);
    for (const { request } of settled) {
      const { interactionId } = request;
      const status = findStatus(events, interactionId);
      if (status) this.#tell(request, { type: 'interaction_settled', sessionId, interactionId, status });
      this.#remove(sessionId, interactionId);
    }
  }

  /** Whether more people are asked now than when the entry was made (TEAM5). */
  #isWider(sessionId: SessionId, request: InteractionRequest): boolean {
    const known = this.#opened.get(keyOf(sessionId, request.interactionId));
    return known?.entry.interaction.audience?.also?.length !== request.audience?.also?.length;
  }

  /** Whether the votes differ from those in the entry (TEAM3). */
  #isCountedAnew(sessionId: SessionId, { request, votes = [] }: OpenPrompt): boolean {
    const known = this.#opened.get(keyOf(sessionId, request.interactionId))?.votes ?? [];
    return known.length !== votes.length || known.some(({ seq }, n) => seq !== votes[n]?.seq);
  }

  /** Publishes the tally, with each person's own vote to that person only. */
  #tellVotes(sessionId: SessionId, { request, votes = [] }: OpenPrompt): void {
    const { interactionId } = request;
    const frame = { type: 'interaction_voted', sessionId, interactionId, votes: countVotes(votes) } as const;
    for (const own of [{}, { ownVote: 'approve' }, { ownVote: 'deny' }] as const) {
      const isMeant = (principal: Principal) => ownVoteOf(votes, ownerOf(principal)).ownVote === own.ownVote;
      this.#tellThose({ ...frame, ...own }, (one) => isMeant(one) && this.isFor(one, sessionId, request));
    }
  }

  /**
   * Sends a prompt to the people who were not asked before. Followers of the session get it from the log, unless the call was
   * hidden from them.
   */
  #tellMore({ sessionId, before, row }: InboxChange, prompt: OpenPrompt): void {
    const { request } = prompt;
    const earlier = findPrompt(before, request.interactionId)?.request;
    const isNew = (principal: Principal) =>
      this.isFor(principal, sessionId, request) && !(earlier && mayAnswer(principal, earlier));
    const frame = toOpened(sessionId, row.after.title, prompt);
    this.#tellThose(frame, isNew, request.visibility !== undefined);
  }

  /**
   * Handles a call that becomes hidden: its earlier prompts end for those who could answer them and may not see it any more
   * (TEAM1).
   */
  #withdraw(sessionId: SessionId, toolCallId: ToolCallId): void {
    for (const { interaction } of this.#bySession.get(sessionId)?.values() ?? []) {
      const { interactionId } = interaction;
      const key = keyOf(sessionId, interactionId);
      if (interaction.toolCallId !== toolCallId || this.#withdrawn.has(key)) continue;
      this.#withdrawn.add(key);
      const frame = { type: 'interaction_settled', sessionId, interactionId, status: 'cancelled' } as const;
      this.#tellThose(frame, (principal) => {
        const couldAnswer = maySee(principal, sessionId) && mayAnswer(principal, interaction);
        return couldAnswer && !this.isFor(principal, sessionId, interaction);
      });
    }
  }

  #put(sessionId: SessionId, prompt: OpenPrompt): void {
    const { timestamp: at, votes = [] } = prompt;
    const entry = toEntry(sessionId, prompt);
    const { interaction } = entry;
    const key = keyOf(sessionId, interaction.interactionId);
    if (at < this.#newest && !this.#opened.has(key)) this.#isInOrder = false;
    if (at > this.#newest) this.#newest = at;
    this.#opened.set(key, { entry, votes, at });
    const ofSession = this.#bySession.get(sessionId) ?? new Map<InteractionId, InboxEntry>();
    this.#bySession.set(sessionId, ofSession.set(interaction.interactionId, entry));
  }

  #remove(sessionId: SessionId, interactionId: InteractionId): void {
    this.#opened.delete(keyOf(sessionId, interactionId));
    this.#withdrawn.delete(keyOf(sessionId, interactionId));
    const ofSession = this.#bySession.get(sessionId);
    if (!ofSession?.delete(interactionId) || ofSession.size > 0) return;
    this.#bySession.delete(sessionId);
    this.#sessions.delete(sessionId);
  }

  #tell(request: InteractionRequest, frame: PromptFrame): void {
    this.#tellThose(frame, (principal) => this.isFor(principal, frame.sessionId, request));
  }

  #tellThose(frame: PromptFrame, isMeant: (principal: Principal) => boolean, isForFollowers = false): void {
    let batch: FrameBatch | undefined; // made on demand, because usually every client follows the session
    for (const client of this.#clients) {
      if (!isForFollowers && this.#subscriptions.sessionsOf(client).has(frame.sessionId)) continue;
      if (!isMeant(client.principal)) continue;
      batch ??= frameOf(frame);
      client.sendBatch(batch);
    }
  }

  /**
   * Whether a principal may answer a prompt. Prompts of a hidden call can be answered only by people who can see the call, even
   * if it was addressed to others before.
   */
  isFor(principal: Principal, sessionId: SessionId, request: InteractionRequest): boolean {
    if (!maySee(principal, sessionId) || !mayAnswer(principal, request)) return false;
    return !this.#sessions.get(sessionId)?.visibility.hides(principal, request.toolCallId);
  }
}

function idOf({ interaction }: InboxEntry): InteractionId {
  return interaction.interactionId;
}

function keyOf(sessionId: SessionId, interactionId: InteractionId): string {
  return `${sessionId} ${interactionId}`;
}

function toEntry(sessionId: SessionId, { request, state, timestamp, votes }: OpenPrompt): InboxEntry {
  return {
    sessionId,
    interaction: request,
    askedAt: timestamp,
    ...(state === 'pending' && { pending: true }),
    ...(votes && { votes: countVotes(votes) }),
  };
}

function toOpened(
  sessionId: SessionId,
  sessionTitle: string,
  { request, timestamp: askedAt, votes }: OpenPrompt,
): ServerFrameOf<'interaction_opened'> {
  const counted = votes && { votes: countVotes(votes) };
  return { type: 'interaction_opened', sessionId, sessionTitle, interaction: request, askedAt, ...counted };
}

/** Returns how a prompt was settled. If its handler failed, nobody needs to answer any more, as if it was cancelled. */
function findStatus(events: readonly ChatEvent[], id: InteractionId): SettledStatus | undefined {
  for (const { type, payload } of events) {
    if (type === 'interaction_response' && payload.interactionId === id) return 'answered';
    if (type !== 'interaction_closed' || payload.interactionId !== id) continue;
    return payload.reason === 'handler_error' ? 'cancelled' : payload.reason;
  }
  return undefined;
}
