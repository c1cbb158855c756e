import type {
  Answer,
  ChatEvent,
  FormValues,
  Head,
  InteractionId,
  MessageId,
  ServerFrame,
  SessionId,
} from '@parleyhq/core';
import { type InteractionRequest, RefusalError } from '@parleyhq/core';
import { makeId } from './id.ts';
import { type AnswerFrame, KeptAnswers, type TabStorage } from './kept-answers.ts';
import { Listeners } from './listeners.ts';
import type { Request } from './outbox.ts';
import { addEarlierEvents, emptySessionState, foldSession, hasEarlier, type SessionState } from './session-state.ts';

/** How much of a log a first look takes. */
const tailLength = 100;

/** What became of an answer that was given here, until the log says it. */
export interface SentAnswer {
  readonly answer: Answer;
  readonly state: 'sending' | 'refused';
  readonly error?: Error;
}

interface Wire {
  request(frame: Request): Promise<unknown>;
  tell(frame: Request): void;
}

interface Owner {
  onHead(head: Head): void;
  onClose(): void;
}

/** One session looked into: its state, kept up over broken lines, and all that can be done in it. */
export class SessionClient {
  readonly sessionId: SessionId;
  readonly #wire: Wire;
  readonly #owner: Owner;
  readonly #listeners = new Listeners();
  readonly #draftListeners = new Listeners<[InteractionId, FormValues]>();
  readonly #returnListeners = new Listeners<[text: string, clientId: string]>();
  #state: SessionState = emptySessionState;
  #answers: ReadonlyMap<InteractionId, SentAnswer> = new Map();
  #earlier: Promise<void> | undefined;
  readonly #kept: KeptAnswers;
  #users = 1;

  /** Sends again, under the same `answerId`, what an earlier page of this tab did not see acknowledged (FRM6). */
  constructor(wire: Wire, sessionId: SessionId, owner: Owner, storage: TabStorage | undefined) {
    this.#wire = wire;
    this.sessionId = sessionId;
    this.#owner = owner;
    this.#kept = new KeptAnswers(storage, sessionId);
    for (const frame of this.#kept.frames) this.#deliver(frame).catch(() => undefined); // `answers` has the refusal
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Answers that are under way or were refused. */
  get answers(): ReadonlyMap<InteractionId, SentAnswer> {
    return this.#answers;
  }

  /** Told after each change. Returns how to stop. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** What another tab of the same person is typing (INT18). */
  onDraft(listener: (interactionId: InteractionId, values: FormValues) => void): () => void {
    return this.#draftListeners.add(listener);
  }

  /** A queued message was given back because its turn was stopped, with the client that had sent it (INT19). */
  onReturned(listener: (text: string, clientId: string) => void): () => void {
    return this.#returnListeners.add(listener);
  }

  /** One more user: `close` must be called once more. */
  retain(): this {
    this.#users += 1;
    return this;
  }

  close(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#owner.onClose();
  }

  /** The line is open: asks for the log from where this client stands. */
  resume(): void {
    const { epoch, lastSeq } = this.#state;
    const { sessionId } = this;
    const from = epoch !== undefined && lastSeq > 0 ? { cursor: { epoch, seq: lastSeq } } : { tail: tailLength };
    this.#wire.request({ type: 'subscribe', sessionId, ...from }).catch((error: unknown) => {
      const isGone = error instanceof RefusalError && (error.code === 'not_found' || error.code === 'forbidden');
      if (isGone) this.#set({ ...this.#state, phase: 'gone' });
    });
  }

  /** The line broke: what is shown stays, and may be old. */
  lose(): void {
    if (this.#state.phase === 'live') this.#set({ ...this.#state, phase: 'behind' });
  }

  receive(frame: ServerFrame): void {
    if (frame.type === 'draft') {
      this.#draftListeners.tell(frame.interactionId, frame.values as FormValues);
      return;
    }
    const last = this.#state;
    const next = foldSession(last, frame);
    if (next === last) return;
    this.#set(next);
    if (next.head !== last.head) this.#owner.onHead(next.head);
    if (last.phase !== 'loading') this.#giveBack(last, frame);
  }

  /** The page of log before what is here. */
  async loadEarlier(limit = tailLength): Promise<void> {
    if (!hasEarlier(this.#state)) return;
    this.#earlier ??= this.#readEarlier(limit).finally(() => {
      this.#earlier = undefined;
    });
    await this.#earlier;
  }

  /** Starts a turn, or waits in the queue while one runs. @returns its messageId once it is stored */
  async send(text: string): Promise<MessageId> {
    const messageId = makeId();
    await this.#wire.request({ type: 'user_message', sessionId: this.sessionId, messageId, text });
    return messageId;
  }

  async editQueued(messageId: MessageId, text: string): Promise<void> {
    await this.#wire.request({ type: 'edit_queued', sessionId: this.sessionId, messageId, text });
  }

  async removeQueued(messageId: MessageId): Promise<void> {
    await this.#wire.request({ type: 'remove_queued', sessionId: this.sessionId, messageId });
  }

  async cancelTurn(): Promise<void> {
    await this.#wire.request({ type: 'cancel_turn', sessionId: this.sessionId });
  }

  /**
   * Answers a prompt. One answer at a time: while one is under way another is not sent (WEB5). The outcome stands in
   * `answers` until the log has it.
   * @throws RefusalError as INT5 says
   */
  async respond(request: InteractionRequest, answer: Answer): Promise<void> {
    const { interactionId, toolCallId: callId, digest } = request;
    if (this.#answers.get(interactionId)?.state === 'sending') return;
    const ids = { sessionId: this.sessionId, callId, interactionId, answerId: makeId(), digest };
    const frame = { type: 'tool_interaction_response', ...ids, ...answer } as AnswerFrame;
    if (!request.inputSchema?.fields.some(({ type }) => type === 'secret')) this.#kept.keep(frame);
    await this.#deliver(frame);
  }

  /**
   * One answer to several prompts, each by a frame of its own with its own digest (APR5).
   * @returns why not, for each that it did not settle; in the order of the prompts
   */
  async respondAll(
    requests: readonly InteractionRequest[],
    answer: Answer,
  ): Promise<readonly { readonly request: InteractionRequest; readonly error: Error | undefined }[]> {
    return Promise.all(
      requests.map((request) =>
        this.respond(request, answer).then(
          () => ({ request, error: undefined }),
          (error: Error) => ({ request, error }),
        ),
      ),
    );
  }

  async #deliver(frame: AnswerFrame): Promise<void> {
    const { interactionId } = frame;
    const answer = frame as Answer;
    this.#setAnswer(interactionId, { answer, state: 'sending' });
    try {
      await this.#wire.request(frame);
      this.#kept.forget(frame);
      this.#setAnswer(interactionId, undefined);
    } catch (error) {
      if (error instanceof RefusalError) this.#kept.forget(frame); // the server has spoken; anything else is silence
      this.#setAnswer(interactionId, { answer, state: 'refused', error: error as Error });
      throw error;
    }
  }

  sendDraft(interactionId: InteractionId, values: FormValues): void {
    this.#wire.tell({ type: 'draft', sessionId: this.sessionId, interactionId, values: { ...values } });
  }

  async #readEarlier(limit: number): Promise<void> {
    const { firstSeq: before, epoch } = this.#state;
    const request: Request = { type: 'read_events', sessionId: this.sessionId, before, limit };
    const { events } = (await this.#wire.request(request)) as { events: ChatEvent[] };
    if (this.#state.epoch === epoch) this.#set(addEarlierEvents(this.#state, events));
  }

  /** Only what happens before this tab's eyes: a log that is read for the first time gives nothing back. */
  #giveBack(last: SessionState, frame: ServerFrame): void {
    const events = frame.type === 'chat_event' ? [frame.event] : frame.type === 'chat_events' ? frame.events : [];
    for (const event of events as ChatEvent[]) {
      if (event.type !== 'message_unqueued' || event.payload.reason !== 'returned' || event.seq <= last.lastSeq)
        continue;
      const item = this.#state.items.get(`message:${event.payload.messageId}`);
      const message = item?.kind === 'message' ? item.queued?.payload : undefined;
      if (message?.from) this.#returnListeners.tell(message.text, message.from.clientId);
    }
  }

  #setAnswer(interactionId: InteractionId, answer: SentAnswer | undefined): void {
    const answers = new Map(this.#answers);
    if (answer) answers.set(interactionId, answer);
    else answers.delete(interactionId);
    this.#answers = answers;
    this.#listeners.tell();
  }

  #set(state: SessionState): void {
    this.#state = state;
    this.#listeners.tell();
  }
}
