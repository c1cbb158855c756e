import { randomUUID } from 'node:crypto';
import {
  type ChatEvent,
  emptyHead,
  fillExcerpt,
  type Head,
  type MessageId,
  RefusalError,
  reduceHead,
  type ServerFrame,
  type Session,
  type StreamPart,
  showHidden,
} from '@parleyhq/core';
import { Deferred } from '../deferred.ts';
import type { SessionUpdate, StopReason } from '../sdk.ts';
import { AwaitedTurns } from './awaited-turns.ts';
import type { Request } from './frame-link.ts';
import { OpenQuestions, type QuestionHost } from './open-questions.ts';
import { RpcError, rpcCodes } from './rpc.ts';
import { Transcript } from './transcript.ts';

export type SessionHost = Omit<QuestionHost, 'sessionId' | 'report' | 'urlOf'> & { readonly pageUrl: string };

/** Whether the past is shown to the editor. */
export type Past = 'replayed' | 'known';

/** A session that an editor has opened: its updates, its questions, and the turns that the editor waits for. */
export class OpenSession {
  readonly sessionId: string;
  readonly #host: SessionHost;
  readonly #questions: OpenQuestions;
  readonly #turns = new AwaitedTurns();
  #transcript = new Transcript();
  #head: Head = emptyHead;
  #session: Session | undefined;
  #streams: StreamPart[] = [];
  /** The last event that was taken, from which a session that is opened once more goes on. */
  #last: { readonly epoch: string; readonly seq: number } | undefined;
  /** Whether the events before `live` are shown. */
  #isReplayed = false;
  #opening: Deferred<Session> | undefined;
  /** Frames before the first one of the current subscription belong to an earlier one. */
  #phase: 'asked' | 'past' | 'live' = 'asked';
  /** Whether the editor knows that the session is open, so that it can be asked. */
  #isShown = false;

  constructor(sessionId: string, host: SessionHost) {
    this.sessionId = sessionId;
    this.#host = host;
    this.#questions = new OpenQuestions({
      ...host,
      sessionId,
      urlOf: (interactionId) => `${host.pageUrl}/s/${sessionId}/${encodeURIComponent(interactionId)}`,
      report: (text) => this.#think(text),
    });
  }

  /** Reads the session from its beginning, or joins it at its end. Resolves once it is live. @throws RefusalError, RpcError */
  async open(past: Past): Promise<Session> {
    this.#opening?.reject(new RpcError(rpcCodes.cancelled, 'The session was opened once more meanwhile.'));
    this.#questions.takeBackAll();
    const opening = new Deferred<Session>();
    opening.promise.catch(() => undefined);
    if (past === 'replayed') this.#last = undefined;
    const cursor = this.#last; // what happens meanwhile comes after it, such as the end of a turn that is waited for
    this.#opening = opening;
    this.#isReplayed = past === 'replayed' || cursor !== undefined;
    this.#phase = 'asked';
    this.#isShown = false;
    const { sessionId } = this;
    const from = cursor ? { cursor } : past === 'known' ? { tail: 0 } : {};
    await this.#host.frames.request({ type: 'subscribe', sessionId, ...from });
    return opening.promise;
  }

  /** Asks what is open, now that the editor knows the session. */
  show(): void {
    this.#isShown = this.#phase === 'live';
    this.#ask();
  }

  receive(frame: ServerFrame): void {
    if (frame.type === 'snapshot') {
      this.#phase = 'past';
      this.#head = frame.head;
      this.#session = frame.session;
      if (!this.#last) this.#transcript = new Transcript(frame.head.calls);
      this.#last ??= { epoch: frame.epoch, seq: this.#isReplayed ? 0 : frame.seq };
      this.#streams = [...frame.streams];
    } else if (frame.type === 'session_deleted') this.end(new RpcError(rpcCodes.notFound, 'The session was deleted.'));
    else if (this.#phase !== 'asked') this.#follow(frame);
  }

  /** Sends a message. @returns why its turn stopped @throws RefusalError, RpcError */
  async prompt(text: string, signal: AbortSignal): Promise<StopReason> {
    const { sessionId } = this;
    const messageId = randomUUID();
    const ended = this.#turns.expect(messageId);
    ended.catch(() => undefined); // thrown below
    try {
      await this.#host.frames.request({ type: 'user_message', sessionId, messageId, text });
    } catch (error) {
      this.#turns.forget(messageId);
      throw error;
    }
    const stop = () => void this.#stop(messageId);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    return ended.finally(() => signal.removeEventListener('abort', stop));
  }

  /** Stops the running turn, whoever began it. @returns why the server refuses */
  cancel(): Promise<RefusalError | undefined> {
    return this.#try({ type: 'cancel_turn', sessionId: this.sessionId });
  }

  /** The replay has failed. */
  fail(error: Error): void {
    this.#opening?.reject(error);
  }

  end(error: RpcError): void {
    this.fail(error);
    this.#turns.fail(error);
    this.#questions.takeBackAll();
    this.#phase = 'asked';
  }

  /** Stops the turn of a message, or takes the message back if it waits for another turn. */
  #stop(messageId: MessageId): Promise<RefusalError | undefined> {
    const isQueued = this.#head.queue.some((message) => message.messageId === messageId);
    return isQueued ? this.#try({ type: 'remove_queued', sessionId: this.sessionId, messageId }) : this.cancel();
  }

  async #try(request: Request): Promise<RefusalError | undefined> {
    try {
      await this.#host.frames.request(request);
      return undefined;
    } catch (error) {
      if (error instanceof RefusalError) return error;
      throw error;
    }
  }

  #follow(frame: ServerFrame): void {
    switch (frame.type) {
      case 'chat_events':
        for (const event of frame.events) this.#take(event);
        break;
      case 'chat_event':
        this.#take(frame.event);
        break;
      case 'stream':
        if (this.#phase === 'past') this.#streams.push(frame);
        else this.#update(this.#transcript.stream(frame));
        break;
      case 'live':
        this.#begin();
        break;
      case 'session_updated':
        this.#setSession(frame.session);
        break;
      case 'interaction_opened':
        // it was hidden from this person until now, and so was its call (TEAM5)
        if (this.#head.hidden?.some(({ interactionId }) => interactionId === frame.interaction.interactionId))
          this.#openAgain();
        break;
      default: // nothing of the others is for an editor
    }
  }

  #begin(): void {
    this.#phase = 'live';
    for (const part of this.#streams.splice(0)) this.#update(this.#transcript.stream(part));
    const session = this.#session as Session;
    if (this.#isReplayed) this.#update([describeTitle(session)]);
    this.#opening?.resolve(session);
    this.#opening = undefined;
  }

  #openAgain(): void {
    this.open('known').then(
      () => this.show(),
      (error: unknown) =>
        this.#think(`The session could not be read: ${error instanceof Error ? error.message : error}`),
    );
  }

  #take(event: ChatEvent): void {
    const { epoch, seq } = this.#last as { epoch: string; seq: number };
    this.#last = { epoch, seq: Math.max(seq, event.seq) };
    const head = this.#head;
    if (event.seq > head.seq) this.#head = reduceHead(head, event);
    else if (head.isExcerpt) this.#head = fillExcerpt(head, event);
    const isLive = this.#phase === 'live';
    const isKnown = isLive && event.type === 'user_message' && this.#turns.has(event.payload.messageId);
    const updates = this.#transcript.follow(event);
    if (!isKnown && (isLive || this.#isReplayed)) this.#update(updates);
    this.#ask(); // before the end of a turn is said, so that no question outlives its turn
    this.#turns.follow(event);
  }

  #ask(): void {
    if (this.#isShown) this.#questions.follow(this.#head.prompts);
  }

  #setSession(session: Session): void {
    const last = this.#session;
    this.#session = session;
    if (last?.title !== session.title) this.#update([describeTitle(session)]);
    if (last?.permissionMode !== session.permissionMode)
      this.#update([{ sessionUpdate: 'current_mode_update', currentModeId: session.permissionMode }]);
  }

  #think(text: string): void {
    const content = { type: 'text' as const, text: showHidden(text) };
    this.#update([{ sessionUpdate: 'agent_thought_chunk', content, messageId: randomUUID() }]);
  }

  #update(updates: readonly SessionUpdate[]): void {
    for (const update of updates) this.#host.rpc.notify('session/update', { sessionId: this.sessionId, update });
  }
}

function describeTitle({ title, updatedAt }: Session): SessionUpdate {
  return { sessionUpdate: 'session_info_update', title: showHidden(title), updatedAt };
}
