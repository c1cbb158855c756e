import {
  type ChatEvent,
  countVotes,
  type FrameBatch,
  findPrompt,
  type InboxEntry,
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
} from '@parleyhq/core';
import { type Client, frameOf, type Subscriptions } from '@parleyhq/runtime';
import { type Entry, type InboxChange, InboxEntries, type Requests } from './inbox-entries.ts';

/** Maximum number of entries and approximate bytes of a page, so that a phone that reads slowly keeps its connection (SEC11). */
const pageEntries = 100;
const pageBytes = 256 * 1024;

interface Page {
  readonly before?: InteractionId | undefined;
  readonly limit?: number | undefined;
}

type PromptFrame =
  | ServerFrameOf<'interaction_opened'>
  | ServerFrameOf<'interaction_voted'>
  | ServerFrameOf<'interaction_commented'>
  | ServerFrameOf<'interaction_settled'>;
type Read = Awaited<ReturnType<InboxEntries['readRequests']>>;
type SettledStatus = ServerFrameOf<'interaction_settled'>['status'];

/**
 * Every prompt that can be answered now, over all sessions; sent to the people who may answer it and are not live in its session
 * (TEAM1).
 */
export class Inbox {
  readonly #entries: InboxEntries;
  /** Entries whose call was hidden after they were opened. */
  readonly #withdrawn = new WeakSet<Entry>();
  readonly #clients: ReadonlySet<Client>;
  readonly #subscriptions: Subscriptions;

  constructor(clients: ReadonlySet<Client>, subscriptions: Subscriptions, requests: Requests) {
    this.#clients = clients;
    this.#subscriptions = subscriptions;
    this.#entries = new InboxEntries(requests);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** When the oldest prompt was opened; undefined if none is open. */
  get oldest(): number | undefined {
    return this.#entries.inOrder[0]?.at;
  }

  /** Counts the prompts that a principal may answer. */
  count(principal: Principal): number {
    return this.waitingFor(principal).length;
  }

  /**
   * Prepares a page of the newest entries that a principal may answer, in the order of their opening: as many as `limit` and a
   * page's bytes allow, but at least one. With `before`, an interactionId, those opened before that prompt.
   * @returns a function that makes the page from the state at its call
   * @throws RefusalError `not_found` if no such prompt is open
   */
  async preparePage(principal: Principal, page: Page = {}): Promise<() => InboxEntry[]> {
    const read = await this.#entries.readRequests(this.#findPage(principal, page));
    return () => this.#makePage(principal, page, read);
  }

  #findPage(principal: Principal, { before, limit = pageEntries }: Page): readonly Entry[] {
    const own = this.waitingFor(principal);
    const end = before === undefined ? own.length : own.findIndex(({ interactionId }) => interactionId === before);
    if (end < 0) throw new RefusalError('not_found');
    return own.slice(Math.max(0, end - Math.min(limit, pageEntries)), end);
  }

  #makePage(principal: Principal, page: Page, read: Read): InboxEntry[] {
    const made: InboxEntry[] = [];
    let bytes = 0;
    for (const entry of this.#findPage(principal, page).toReversed()) {
      const found = this.#entries.complete(entry, read.get(entry));
      if (!found) continue; // its session was deleted meanwhile
      bytes += sizeOfRequest(found.interaction);
      if (bytes > pageBytes && made.length > 0) break;
      made.push({ ...found, sessionTitle: entry.sessionTitle, ...ownVoteOf(entry.votes ?? [], ownerOf(principal)) });
    }
    return made.reverse();
  }

  /** Whether a prompt can be answered now. */
  isOpen(sessionId: SessionId, interactionId: InteractionId): boolean {
    return this.#entries.find(sessionId, interactionId) !== undefined;
  }

  /** Returns the request of an open prompt; undefined if its session was deleted. @throws StoreError */
  async readRequest(entry: Entry): Promise<InteractionRequest | undefined> {
    const read = await this.#entries.readRequests([entry]);
    return this.#entries.complete(entry, read.get(entry))?.interaction;
  }

  /** Session and id of every open prompt. */
  get places(): readonly PromptRef[] {
    return this.#entries.inOrder;
  }

  /** Returns the sessions with a prompt that a lasting grant may answer, or only the one with this id if it has one (APR4). */
  findCoverable(id?: SessionId): Iterable<SessionId> {
    const entries = id === undefined ? this.#entries.inOrder : this.#entries.ofSession(id);
    return new Set(entries.filter(({ isCoverable }) => isCoverable).map(({ sessionId }) => sessionId));
  }

  /** Returns the prompts that a principal may answer, in the order of their opening. */
  waitingFor(principal: Principal): readonly Entry[] {
    return this.#entries.inOrder.filter((entry) => this.#isFor(principal, entry));
  }

  /** Returns a session's row for a principal: `openCount` counts the prompts that this one may answer. */
  rowFor(principal: Principal, row: Session): Session {
    const own = this.#entries.ofSession(row.id).filter((entry) => this.#isFor(principal, entry));
    return { ...row, openCount: own.length };
  }

  follow(change: InboxChange): void {
    const { sessionId, events, row } = change;
    const { opened, moved, settled } = change.prompts;
    this.#entries.update(change);
    for (const { request } of opened) if (request.visibility) this.#withdraw(change, request);
    const widened = moved.filter(({ request }) => this.#isWider(sessionId, request));
    const counted = moved.filter((prompt) => this.#isCountedAnew(sessionId, prompt));
    const commented = moved.filter((prompt) => this.#isCommentedAnew(sessionId, prompt));
    for (const prompt of [...opened, ...moved]) this.#entries.put(change, prompt);
    for (const prompt of opened) this.#tell(prompt.request, toOpened(sessionId, row.after.title, prompt));
    for (const prompt of widened) this.#tellMore(change, prompt);
    for (const prompt of counted) this.#tellVotes(sessionId, prompt);
    for (const { request, comments } of commented) {
      const { interactionId } = request;
      if (comments) this.#tell(request, { type: 'interaction_commented', sessionId, interactionId, comments });
    }
    for (const { request } of settled) {
      const { interactionId } = request;
      const status = findStatus(events, interactionId);
      if (status) this.#tell(request, { type: 'interaction_settled', sessionId, interactionId, status });
      this.#entries.remove(sessionId, interactionId);
    }
  }

  /** Whether more people are asked now than when the entry was made (TEAM5). */
  #isWider(sessionId: SessionId, request: InteractionRequest): boolean {
    const known = this.#entries.find(sessionId, request.interactionId);
    return known?.asked.audience?.also?.length !== request.audience?.also?.length;
  }

  /** Whether the votes differ from those in the entry (TEAM3). */
  #isCountedAnew(sessionId: SessionId, { request, votes = [] }: OpenPrompt): boolean {
    const known = this.#entries.find(sessionId, request.interactionId)?.votes ?? [];
    return known.length !== votes.length || known.some(({ seq }, n) => seq !== votes[n]?.seq);
  }

  /** Whether there are more comments than in the entry (REV4). */
  #isCommentedAnew(sessionId: SessionId, { request, comments }: OpenPrompt): boolean {
    return this.#entries.find(sessionId, request.interactionId)?.comments?.count !== comments?.count;
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
  #withdraw({ sessionId, after }: InboxChange, { toolCallId }: InteractionRequest): void {
    for (const { request } of after.prompts) {
      const { interactionId } = request;
      const entry = this.#entries.find(sessionId, interactionId);
      if (!entry || request.toolCallId !== toolCallId || this.#withdrawn.has(entry)) continue;
      this.#withdrawn.add(entry);
      const frame = { type: 'interaction_settled', sessionId, interactionId, status: 'cancelled' } as const;
      this.#tellThose(frame, (principal) => {
        const couldAnswer = maySee(principal, sessionId) && mayAnswer(principal, entry.asked);
        return couldAnswer && !this.#isFor(principal, entry);
      });
    }
  }

  #tell(request: InteractionRequest, frame: PromptFrame): void {
    this.#tellThose(frame, (principal) => this.isFor(principal, frame.sessionId, request));
  }

  #tellThose(frame: PromptFrame, isMeant: (principal: Principal) => boolean, isForFollowers = false): void {
    let batch: FrameBatch | undefined; // made on demand, because usually every client follows the session
    for (const client of this.#clients) {
      // one that still catches up is sent it, too: it may leave before it has read so far
      if (!isForFollowers && this.#subscriptions.isLive(client, frame.sessionId)) continue;
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
    const entry = this.#entries.find(sessionId, request.interactionId);
    return !entry?.hidden?.visibility.hides(principal, entry.hidden.toolCallId);
  }

  #isFor(principal: Principal, { sessionId, asked, hidden }: Entry): boolean {
    if (!maySee(principal, sessionId) || !mayAnswer(principal, asked)) return false;
    return !hidden?.visibility.hides(principal, hidden.toolCallId);
  }
}

function toOpened(
  sessionId: SessionId,
  sessionTitle: string,
  { request, timestamp: askedAt, votes, comments }: OpenPrompt,
): ServerFrameOf<'interaction_opened'> {
  const counted = votes && { votes: countVotes(votes) };
  return {
    type: 'interaction_opened',
    sessionId,
    sessionTitle,
    interaction: request,
    askedAt,
    ...counted,
    ...(comments && { comments }),
  };
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
