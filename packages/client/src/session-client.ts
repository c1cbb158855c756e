import type {
  Actor,
  Answer,
  AnswerReply,
  ChatEvent,
  FileReference,
  FormValues,
  Head,
  InteractionId,
  MessageId,
  ServerFrame,
  SessionId,
} from '@parleyhq/core';
import { type InteractionRequest, needsStepUp, RefusalError, type WireErrorCode } from '@parleyhq/core';
import type { SignAnswer } from './client-options.ts';
import { makeId } from './id.ts';
import { type AnswerFrame, KeptAnswers, type TabStorage } from './kept-answers.ts';
import { Listeners } from './listeners.ts';
import { OtherPrincipalError, type Request } from './request-queue.ts';
import { addEarlierEvents, emptySessionState, foldSession, hasEarlier, type SessionState } from './session-state.ts';

/** How many events to load at first, usually more than a hundred rows, and per earlier page. */
const [tailLength, pageLength] = [200, 100];

/** Refusals because of the database, after which a subscription is tried again. */
const passing: ReadonlySet<WireErrorCode> = new Set(['storage_failed', 'storage_busy', 'storage_full']);
const resumeAgainMs = 1000;

/** An answer given here that is being sent or was refused. Once accepted it is in the log instead. */
export interface SentAnswer {
  readonly answer: Answer;
  readonly status: 'sending' | 'refused';
  readonly error?: Error;
}

interface Wire {
  /** @param by - the id of the principal whose request it is, if somebody else may be logged in now */
  request(frame: Request, by?: string): Promise<unknown>;
  whoAmI(): string | undefined;
  /** The person who is logged in: see `ownerOf`. */
  person(): string;
  readonly sign: SignAnswer | undefined;
  tell(frame: Request): void;
}

interface Owner {
  onHead(head: Head): void;
  onClose(): void;
}

/** An opened session: its state, which survives reconnects, and everything that can be done in it. */
export class SessionClient {
  readonly sessionId: SessionId;
  readonly #wire: Wire;
  readonly #owner: Owner;
  readonly #listeners = new Listeners();
  readonly #draftListeners = new Listeners<[InteractionId, FormValues]>();
  readonly #returnListeners = new Listeners<[text: string, from: Actor, files: readonly FileReference[]]>();
  readonly #eventListeners = new Listeners<[readonly ChatEvent[]]>();
  #state: SessionState = emptySessionState;
  #answers: ReadonlyMap<InteractionId, SentAnswer> = new Map();
  #earlier: Promise<void> | undefined;
  readonly #kept: KeptAnswers;
  #users = 1;
  /** The last event that was reported to `onEvents` listeners. */
  #told: Pick<SessionState, 'epoch'> & { readonly seq: number } = { epoch: undefined, seq: 0 };
  /** Whether frames are ignored until the current subscription's first one, because they belong to an abandoned one. */
  #isForgetting = true;
  #resumeTimer: ReturnType<typeof setTimeout> | undefined;

  /** Resends the answers that were given before a reload and not acknowledged, with the same `answerId` (FRM6). */
  constructor(wire: Wire, sessionId: SessionId, owner: Owner, storage: TabStorage | undefined) {
    this.#wire = wire;
    this.sessionId = sessionId;
    this.#owner = owner;
    this.#kept = new KeptAnswers(storage, sessionId);
    for (const { frame, by } of this.#kept.entries) this.#deliver(frame, by).catch(() => undefined); // `answers` has the error
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Answers that are being sent or were refused, by prompt. */
  get answers(): ReadonlyMap<InteractionId, SentAnswer> {
    return this.#answers;
  }

  /** Calls `listener` after each change of `state` or `answers`. @returns a function that stops it */
  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Calls `listener` with what another tab of the same person is typing (INT18). @returns a function that stops it */
  onDraft(listener: (interactionId: InteractionId, values: FormValues) => void): () => void {
    return this.#draftListeners.add(listener);
  }

  /** Calls `listener` when a stop returns a queued message to its client (INT19). @returns a function that removes it */
  onReturned(listener: (text: string, from: Actor, files: readonly FileReference[]) => void): () => void {
    return this.#returnListeners.add(listener);
  }

  /**
   * Calls `listener` with new events at the end of the log, each once and in order, after `state` includes them. The first call
   * has the last existing events; a new epoch starts over (RPL1). @returns a function that stops it
   */
  onEvents(listener: (events: readonly ChatEvent[]) => void): () => void {
    return this.#eventListeners.add(listener);
  }

  /** Counts one more user: `close` must then be called once more. */
  retain(): this {
    this.#users += 1;
    return this;
  }

  close(): void {
    this.#users -= 1;
    if (this.#users !== 0) return;
    clearTimeout(this.#resumeTimer);
    this.#owner.onClose();
  }

  /** Call when the connection is open: subscribes from the last known event (RPL1). */
  resume(): void {
    clearTimeout(this.#resumeTimer);
    const { epoch, lastSeq } = this.#state;
    const { sessionId } = this;
    const from = epoch !== undefined && lastSeq > 0 ? { cursor: { epoch, seq: lastSeq } } : { tail: tailLength };
    this.#wire.request({ type: 'subscribe', sessionId, ...from }).catch((error: unknown) => {
      if (!(error instanceof RefusalError)) return; // the next connection resumes
      const { code } = error;
      if (code === 'not_found' || code === 'forbidden') this.#set({ ...this.#state, phase: 'gone' });
      else if (passing.has(code) && this.#users > 0) this.#resumeTimer = setTimeout(() => this.resume(), resumeAgainMs);
    });
  }

  /** Discards the state and subscribes again, because a frame that could not be read may have changed any part of it (FRM1). */
  reread(): void {
    this.#isForgetting = true;
    this.#set({ ...emptySessionState, session: this.#state.session });
    this.resume();
  }

  /** Discards the state and the answers, because another principal is logged in (SEC4). Call before `resume`. */
  forget(): void {
    this.#isForgetting = true;
    this.#answers = new Map();
    this.#told = { epoch: undefined, seq: 0 };
    this.#set(emptySessionState);
  }

  /** Call when the connection broke: the state stays, and may be out of date. */
  lose(): void {
    clearTimeout(this.#resumeTimer);
    if (this.#state.phase === 'live') this.#set({ ...this.#state, phase: 'behind' });
  }

  /** Folds a frame of this session. */
  receive(frame: ServerFrame): void {
    if (frame.type === 'draft') {
      this.#draftListeners.notify(frame.interactionId, frame.values as FormValues);
      return;
    }
    const isStart = frame.type === 'snapshot' || frame.type === 'reset';
    const isShown = frame.type === 'interaction_opened';
    if (
      isShown &&
      this.#state.head.hidden?.some((prompt) => prompt.interactionId === frame.interaction.interactionId)
    ) {
      this.reread(); // the prompt was hidden from this person until now, and so was its call (TEAM5)
      return;
    }
    if (this.#isForgetting && !isStart) return; // belongs to the abandoned subscription
    this.#isForgetting = false;
    const last = this.#state;
    const next = foldSession(last, frame);
    if (next === last) return;
    this.#set(next);
    const isNew = next.head !== last.head || last.phase !== 'live';
    if (next.phase === 'live' && isNew) this.#owner.onHead(next.head); // until then there are frames of the inbox
    const events = this.#takeNew(frame, next);
    if (events.length > 0) this.#eventListeners.notify(events);
    if (last.phase !== 'loading') this.#reportReturned(events);
  }

  /** Returns the frame's events that were not yet reported: a session that is read again has the same events again. */
  #takeNew(frame: ServerFrame, { epoch, lastSeq }: SessionState): readonly ChatEvent[] {
    const told = this.#told.epoch === epoch ? this.#told.seq : 0;
    this.#told = { epoch, seq: Math.max(told, lastSeq) };
    return eventsOf(frame).filter(({ seq }) => seq > told);
  }

  /** Loads the `limit` events before the first loaded one; does nothing at the beginning of the log. */
  async loadEarlier(limit = pageLength): Promise<void> {
    if (!hasEarlier(this.#state)) return;
    this.#earlier ??= this.#readEarlier(limit).finally(() => {
      this.#earlier = undefined;
    });
    await this.#earlier;
  }

  /**
   * Sends a message, which starts a turn or is queued while one runs.
   * @param files - uploaded for messages of this session
   * @returns its messageId once it is stored
   */
  async send(text: string, files?: readonly FileReference[]): Promise<MessageId> {
    const messageId = makeId();
    const { sessionId } = this;
    await this.#wire.request({ type: 'user_message', sessionId, messageId, text, ...nameFiles(files) });
    return messageId;
  }

  /**
   * Denies every open prompt of the running turn with these words, and sends them as the next message (REV5). If that turn has ended
   * when they arrive, nothing is sent.
   * @returns the messageId
   */
  async denyOpen(text: string, files?: readonly FileReference[]): Promise<MessageId> {
    const messageId = makeId();
    const { turnId } = this.#state.head.turn ?? {};
    const { sessionId } = this;
    await this.#wire.request({ type: 'deny_open', sessionId, turnId, messageId, text, ...nameFiles(files) });
    return messageId;
  }

  /**
   * Says something under an open prompt, which settles nothing (REV4).
   * @throws RefusalError `closed` if the prompt is settled, `invalid` if the text is blank or too long
   */
  async comment(interactionId: InteractionId, text: string): Promise<void> {
    const { sessionId } = this;
    await this.#wire.request({ type: 'comment_interaction', sessionId, interactionId, commentId: makeId(), text });
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
   * Answers a prompt. Does nothing while another answer to it is being sent (WEB5). `answers` has the answer until the log does.
   * @throws RefusalError with a code of INT5
   */
  async respond(request: InteractionRequest, answer: Answer): Promise<AnswerReply | undefined> {
    const { interactionId, toolCallId: callId, digest } = request;
    if (this.#answers.get(interactionId)?.status === 'sending') return undefined;
    const ids = { sessionId: this.sessionId, callId, interactionId, answerId: makeId(), digest };
    const frame = { type: 'tool_interaction_response', ...ids, ...answer } as AnswerFrame;
    const { sign } = this.#wire;
    if (!sign || !needsStepUp(request, answer.action)) return this.#deliver(this.#keep(request, frame));
    const signing = { ...ids, request, answer, person: this.#wire.person() };
    return this.#deliver(frame, undefined, async () =>
      this.#keep(request, { ...frame, assertion: await sign(signing) }),
    );
  }

  /** Keeps an answer until the server has acknowledged it, unless it has a secret. */
  #keep(request: InteractionRequest, frame: AnswerFrame): AnswerFrame {
    if (!request.inputSchema?.fields.some(({ type }) => type === 'secret')) this.#kept.keep(frame, this.#wire.whoAmI());
    return frame;
  }

  /**
   * Gives several prompts the same answer, each in its own frame with its own digest (APR5).
   * @returns the error of each prompt that this did not settle, in the order of the prompts
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

  /** @param sign - signs the frame; meanwhile it counts as being sent */
  async #deliver(frame: AnswerFrame, by?: string, sign?: () => Promise<AnswerFrame>): Promise<AnswerReply> {
    const { interactionId } = frame;
    const answer = frame as Answer;
    this.#setAnswer(interactionId, { answer, status: 'sending' });
    try {
      const reply = await this.#wire.request(sign ? await sign() : frame, by);
      this.#kept.forget(frame);
      this.#setAnswer(interactionId, undefined);
      return reply as AnswerReply;
    } catch (error) {
      if (error instanceof RefusalError) this.#kept.forget(frame); // after any other error it may still be sent
      const isOfOther = error instanceof OtherPrincipalError; // whoever is logged in now must not see it
      this.#setAnswer(interactionId, isOfOther ? undefined : { answer, status: 'refused', error: error as Error });
      throw error;
    }
  }

  /** Relays a half-typed form to the person's other tabs, without waiting for a reply (INT18). */
  sendDraft(interactionId: InteractionId, values: FormValues): void {
    this.#wire.tell({ type: 'draft', sessionId: this.sessionId, interactionId, values: { ...values } });
  }

  async #readEarlier(limit: number): Promise<void> {
    const { firstSeq: before, epoch } = this.#state;
    const request: Request = { type: 'read_events', sessionId: this.sessionId, before, limit };
    const { events } = (await this.#wire.request(request)) as { events: ChatEvent[] };
    if (this.#state.epoch === epoch) this.#set(addEarlierEvents(this.#state, events));
  }

  /** Reports messages that a stop has just returned. Call it only for new events: those of the first load are old. */
  #reportReturned(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if (event.type !== 'message_unqueued' || event.payload.reason !== 'returned') continue;
      const item = this.#state.items.get(`message:${event.payload.messageId}`);
      const message = item?.kind === 'message' ? item.queued?.payload : undefined;
      if (message?.from) this.#returnListeners.notify(message.text, message.from, message.files ?? []);
    }
  }

  #setAnswer(interactionId: InteractionId, answer: SentAnswer | undefined): void {
    const answers = new Map(this.#answers);
    if (answer) answers.set(interactionId, answer);
    else answers.delete(interactionId);
    this.#answers = answers;
    this.#listeners.notify();
  }

  #set(state: SessionState): void {
    this.#state = state;
    this.#listeners.notify();
  }
}

function nameFiles(files: readonly FileReference[] = []) {
  return files.length > 0 && { files: files.map(({ fileId }) => ({ fileId })) };
}

function eventsOf(frame: ServerFrame): readonly ChatEvent[] {
  if (frame.type === 'chat_event') return [frame.event];
  return frame.type === 'chat_events' ? frame.events : [];
}
