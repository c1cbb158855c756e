import {
  type AnswerId,
  type ChatEvent,
  escalateRequest,
  escalationKey,
  type InteractionId,
  type InteractionRequest,
  nameInteraction,
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

/** Reads single events of one session's log, once all that was decided is stored or given up. */
export class SessionReader {
  readonly #store: Pick<Store, 'events' | 'index'>;
  readonly #id: SessionId;
  readonly #settled: () => Promise<void>;

  /** @param flushed - resolves or rejects once all that was decided so far is stored or refused */
  constructor(store: Pick<Store, 'events' | 'index'>, id: SessionId, flushed: () => Promise<void>) {
    this.#store = store;
    this.#id = id;
    this.#settled = () => flushed().catch(() => undefined); // reading goes on (DUR8): who asked for the commit hears of its failure
  }

  /** The text of a stored event by its key: see `keyOf`. */
  async findEvent(key: string): Promise<string | undefined> {
    await this.#settled();
    return this.#find(key);
  }

  async #find(key: string): Promise<string | undefined> {
    return (await this.#store.index.find(this.#id, key))[0];
  }

  /** The stored texts of requests, in the order of the log. */
  async findRequests(ids: readonly InteractionId[]): Promise<readonly string[]> {
    await this.#settled();
    return this.#store.index.find(this.#id, ...ids.map(requestKey));
  }

  /** The stored texts of the last `limit` events before a seq, or fewer where they are large. */
  readBefore(before: Seq, limit: number): Promise<readonly string[]> {
    return readPage(this.#store.events, this.#id, { before, limit });
  }

  /** The answers to the prompts of a call, in the order of these. */
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

  /** The vote that is stored under an answerId (TEAM3). */
  async findVote(id: InteractionId, answerId: AnswerId): Promise<ChatEvent<'interaction_vote'> | undefined> {
    const text = await this.findEvent(voteKey(id, answerId));
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** Who was asked besides, step by step (TEAM5). */
  async #findEscalations({ interactionId, escalate = [] }: InteractionRequest) {
    const keys = escalate.map((_, n) => escalationKey(interactionId, n + 1));
    const texts = keys.length === 0 ? [] : await this.#store.index.find(this.#id, ...keys);
    return texts.map((text): ChatEvent<'interaction_escalated'> => JSON.parse(text));
  }

  /** A settled prompt that the head no longer holds, as it asked in the end, with its settlement. */
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
