import {
  type AnswerId,
  type ChatEvent,
  commentKey,
  escalateRequest,
  escalationKey,
  type InteractionId,
  type InteractionRequest,
  nameInteraction,
  type OpenPrompt,
  type PastPrompt,
  requestKey,
  type Seq,
  type SessionId,
  type Store,
  settlementKey,
  type ToolCallId,
  voteKey,
} from '@parleyhq/core';
import { readPage } from './read-page.ts';

/** Reads single events of one session's log, once everything decided so far is stored or refused. */
export class SessionReader {
  readonly #store: Pick<Store, 'events' | 'index'>;
  readonly #id: SessionId;
  readonly #settled: () => Promise<void>;

  /** @param flushed - resolves or rejects once everything decided so far is stored or refused */
  constructor(store: Pick<Store, 'events' | 'index'>, id: SessionId, flushed: () => Promise<void>) {
    this.#store = store;
    this.#id = id;
    // reading continues (DUR8): whoever performed the command handles its failure
    this.#settled = () => flushed().catch(() => undefined);
  }

  /** Returns the text of a stored event by its key: see `keyOf`. */
  async findEvent(key: string): Promise<string | undefined> {
    await this.#settled();
    return this.#find(key);
  }

  async #find(key: string): Promise<string | undefined> {
    return (await this.#store.index.find(this.#id, key))[0];
  }

  /** Returns the stored texts of requests, in the order of the log. */
  async findRequests(ids: readonly InteractionId[]): Promise<readonly string[]> {
    await this.#settled();
    return this.#store.index.find(this.#id, ...ids.map(requestKey));
  }

  /** Reads the stored texts of the last `limit` events before a seq, or fewer if they are large. */
  readBefore(before: Seq, limit: number): Promise<readonly string[]> {
    return readPage(this.#store.events, this.#id, { before, limit });
  }

  /** Returns the answers to the prompts of a call, in the order of the prompts. */
  async findAnswers(toolCallId: ToolCallId): Promise<readonly ChatEvent<'interaction_response'>[]> {
    await this.#settled();
    const answers: ChatEvent<'interaction_response'>[] = [];
    for (let n = 0; ; n += 1) {
      const id = nameInteraction(toolCallId, n);
      const [request, settlement] = await Promise.all(
        [requestKey(id), settlementKey(id)].map((key) => this.#find(key)),
      );
      if (n > 0 && request === undefined) return answers; // the gate's prompt, number 0, may be missing
      const event: ChatEvent | undefined = settlement === undefined ? undefined : JSON.parse(settlement);
      if (event?.type === 'interaction_response') answers.push(event);
    }
  }

  /** Returns the call that asked a prompt, settled or not; undefined if there is no such prompt. */
  async findAsker(interactionId: InteractionId): Promise<ToolCallId | undefined> {
    const text = await this.findEvent(requestKey(interactionId));
    return text === undefined ? undefined : JSON.parse(text).payload.toolCallId;
  }

  /** Returns the newest prompt of a call, settled or not, that has this comment; undefined if none has. */
  async findCommented(toolCallId: ToolCallId, commentId: string): Promise<InteractionId | undefined> {
    await this.#settled();
    let found: InteractionId | undefined;
    for (let n = 0; ; n += 1) {
      const id = nameInteraction(toolCallId, n);
      const [request, comment] = await Promise.all(
        [requestKey(id), commentKey(id, commentId)].map((key) => this.#find(key)),
      );
      if (comment !== undefined) found = id;
      if (n > 0 && request === undefined) return found; // the gate's prompt, number 0, may be missing
    }
  }

  /** Returns what was said under an open prompt, in order (REV4). */
  async readComments({ request, seq, comments }: OpenPrompt): Promise<readonly ChatEvent<'interaction_comment'>[]> {
    const found: ChatEvent<'interaction_comment'>[] = [];
    if (!comments) return found;
    await this.#settled();
    for await (const texts of this.#store.events.read(this.#id, seq)) {
      for (const text of texts) {
        const event: ChatEvent = JSON.parse(text);
        if (event.type === 'interaction_comment' && event.payload.interactionId === request.interactionId)
          found.push(event);
      }
      if (found.length >= comments.count) break;
    }
    return found;
  }

  /** Returns the votes on a settled prompt, in order; only prompts that count them have some (TEAM3). */
  async readVotes(
    { payload: { interactionId, decide }, seq: from }: ChatEvent<'interaction_request'>,
    { seq: end }: Pick<ChatEvent, 'seq'>,
  ): Promise<readonly ChatEvent<'interaction_vote'>[]> {
    const found: ChatEvent<'interaction_vote'>[] = [];
    if (!decide) return found;
    for await (const texts of this.#store.events.read(this.#id, from)) {
      for (const text of texts) {
        const event: ChatEvent = JSON.parse(text);
        if (event.seq >= end) return found;
        if (event.type === 'interaction_vote' && event.payload.interactionId === interactionId) found.push(event);
      }
    }
    return found;
  }

  /** Returns the vote stored under an answerId (TEAM3). */
  async findVote(id: InteractionId, answerId: AnswerId): Promise<ChatEvent<'interaction_vote'> | undefined> {
    const text = await this.findEvent(voteKey(id, answerId));
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** Returns the escalations of a prompt, in order (TEAM5). */
  async #findEscalations({ interactionId, escalate = [] }: InteractionRequest) {
    const keys = escalate.map((_, n) => escalationKey(interactionId, n + 1));
    const texts = keys.length === 0 ? [] : await this.#store.index.find(this.#id, ...keys);
    return texts.map((text): ChatEvent<'interaction_escalated'> => JSON.parse(text));
  }

  /** Returns a settled prompt that the head no longer holds, with its escalated audience and its settlement. */
  async findPast(interactionId: InteractionId): Promise<PastPrompt | undefined> {
    const [request, settlement] = await Promise.all([
      this.findEvent(requestKey(interactionId)),
      this.findEvent(settlementKey(interactionId)),
    ]);
    if (!request || !settlement) return undefined;
    const asked: InteractionRequest = JSON.parse(request).payload;
    const widened = (await this.#findEscalations(asked)).reduce(
      (all, { payload }) => escalateRequest(all, payload),
      asked,
    );
    return { request: widened, settlement: JSON.parse(settlement) };
  }
}
