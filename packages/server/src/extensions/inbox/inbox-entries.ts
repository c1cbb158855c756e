import {
  type Asked,
  type ChatEvent,
  type CommentSummary,
  countVotes,
  type EventIndex,
  findPrompt,
  type HeadChange,
  type InboxEntry,
  type Instant,
  type InteractionId,
  type InteractionRequest,
  type OpenPrompt,
  type PromptRef,
  requestKey,
  type Session,
  type SessionId,
  type ToolCallId,
  type Vote,
} from '@parleyhq/core';
import { mayBeCovered, type Visibility } from '@parleyhq/runtime';

export type InboxChange = HeadChange & {
  readonly session: { readonly visibility: Pick<Visibility, 'hides' | 'isEmpty'> };
  readonly row: { readonly after: Pick<Session, 'title'> };
};

/** Finds the stored requests of prompts. */
export type Requests = Pick<EventIndex, 'find'>;

type StoredRequest = Pick<ChatEvent<'interaction_request'>, 'payload' | 'timestamp'>;

/** The parts of a request that determine who may answer it, and who is notified of it. */
export type AskedPeople = Asked & Pick<InteractionRequest, 'escalate'>;

const everybody: AskedPeople = {};

/**
 * A prompt that can be answered now. It is small, because a hundred thousand may be open: its request is read from the log when
 * somebody looks at it (DUR10).
 */
export class Entry implements PromptRef {
  readonly sessionId: SessionId;
  readonly interactionId: InteractionId;
  /** When the prompt was opened. */
  readonly at: Instant;
  /** Whether a lasting grant may answer it (APR4). */
  readonly isCoverable: boolean;
  sessionTitle = '';
  asked: AskedPeople = everybody;
  /** Undefined if they are not counted. */
  votes: readonly Vote[] | undefined = undefined;
  comments: CommentSummary | undefined = undefined;
  isPending = false;
  /** Its call, if its session has hidden calls (TEAM1). */
  hidden: HiddenEntry | undefined = undefined;

  constructor(sessionId: SessionId, { request, timestamp }: OpenPrompt) {
    this.sessionId = sessionId;
    this.interactionId = request.interactionId;
    this.at = Date.parse(timestamp);
    this.isCoverable = mayBeCovered(request);
  }

  /** Applies a change of the prompt. */
  update({ request, state, votes, comments }: OpenPrompt): void {
    this.asked = askedOf(request);
    this.votes = votes;
    this.comments = comments;
    this.isPending = state === 'pending';
  }

  /** Applies a change of the session. */
  place({ session: { visibility }, row }: InboxChange, { request: { toolCallId } }: OpenPrompt): void {
    this.sessionTitle = row.after.title;
    if (!visibility.isEmpty) this.hidden = { visibility, toolCallId };
  }
}

interface HiddenEntry {
  readonly visibility: Pick<Visibility, 'hides'>;
  readonly toolCallId: ToolCallId;
}

/** Number of the newest requests that are kept in memory: what opens while a page is being read is never missing from it. */
const keptRequests = 100;

/** The open prompts of all sessions, in the order of their opening. */
export class InboxEntries {
  readonly #requests: Requests;
  readonly #bySession = new Map<SessionId, Entry[]>();
  #all = new Set<Entry>();
  /** False if a prompt was added after one that is newer, as at the start. */
  #isInOrder = true;
  #latest = 0;
  /** Requests of the prompts that were added last. */
  readonly #kept = new Map<Entry, StoredRequest>();

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  get size(): number {
    return this.#all.size;
  }

  /** All entries, oldest first. */
  get inOrder(): Entry[] {
    if (!this.#isInOrder) this.#all = new Set([...this.#all].sort((a, b) => a.at - b.at));
    this.#isInOrder = true;
    return [...this.#all];
  }

  ofSession(id: SessionId): readonly Entry[] {
    return this.#bySession.get(id) ?? [];
  }

  find(sessionId: SessionId, interactionId: InteractionId): Entry | undefined {
    return this.ofSession(sessionId).find((entry) => entry.interactionId === interactionId);
  }

  /** Applies what may change in the entries of a session although its prompts do not. */
  update(change: InboxChange): void {
    for (const entry of this.ofSession(change.sessionId)) {
      const prompt = findPrompt(change.after, entry.interactionId);
      if (prompt) entry.place(change, prompt);
    }
  }

  /** Adds a prompt, or changes its entry. */
  put(change: InboxChange, prompt: OpenPrompt): void {
    const { sessionId } = change;
    const { request, timestamp } = prompt;
    const known = this.find(sessionId, request.interactionId);
    const entry = known ?? new Entry(sessionId, prompt);
    entry.update(prompt);
    entry.place(change, prompt);
    this.#keep(entry, { payload: request, timestamp });
    if (known) return;
    if (entry.at < this.#latest) this.#isInOrder = false;
    else this.#latest = entry.at;
    this.#all.add(entry);
    const ofSession = this.#bySession.get(sessionId);
    if (ofSession) ofSession.push(entry);
    else this.#bySession.set(sessionId, [entry]);
  }

  #keep(entry: Entry, request: StoredRequest): void {
    this.#kept.set(entry, request);
    if (this.#kept.size <= keptRequests) return;
    const [oldest] = this.#kept.keys();
    if (oldest) this.#kept.delete(oldest);
  }

  remove(sessionId: SessionId, interactionId: InteractionId): void {
    const entry = this.find(sessionId, interactionId);
    if (!entry) return;
    this.#all.delete(entry);
    this.#kept.delete(entry);
    const left = this.ofSession(sessionId).filter((each) => each !== entry);
    if (left.length > 0) this.#bySession.set(sessionId, left);
    else this.#bySession.delete(sessionId);
  }

  /** Reads the requests that are not in memory. @throws StoreError */
  async readRequests(entries: readonly Entry[]): Promise<ReadonlyMap<Entry, StoredRequest>> {
    const read = new Map<Entry, StoredRequest>();
    for (const entry of entries) {
      if (this.#kept.has(entry)) continue;
      const [text] = await this.#requests.find(entry.sessionId, requestKey(entry.interactionId));
      if (text !== undefined) read.set(entry, JSON.parse(text));
    }
    return read;
  }

  /** Completes an entry with its request, in memory or as it was read; undefined if it is in neither. */
  complete(entry: Entry, read: StoredRequest | undefined): InboxEntry | undefined {
    const found = this.#kept.get(entry) ?? read;
    if (!found) return undefined;
    const { sessionId, asked, isPending, votes, comments } = entry;
    return {
      sessionId,
      interaction: { ...found.payload, ...(asked.audience && { audience: asked.audience }) }, // an escalation may have widened it
      askedAt: found.timestamp,
      ...(isPending && { pending: true }),
      ...(votes && { votes: countVotes(votes) }),
      ...(comments && { comments }),
    };
  }
}

/** Keeps no object for the usual prompt, which anybody may answer: the risk matters only to its requesters (TEAM2). */
function askedOf({ audience, risk, requesters, escalate }: InteractionRequest): AskedPeople {
  if (!audience && !escalate && !(requesters && risk === 'high')) return everybody;
  return {
    ...(audience && { audience }),
    ...(risk && { risk }),
    ...(requesters && { requesters }),
    ...(escalate && { escalate }),
  };
}
