import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { ChatEvent, ClientFrame, InteractionRequest, ServerFrame, ServerFrameOf, Session } from '@parleyhq/core';
import { WebSocket } from 'ws';
import { assertFrame } from './assert-frame.ts';

export type Reply =
  | { ok: true; result?: unknown }
  | { ok: false; error: { code: string; message: string; details?: unknown } };

/** Frames without the members that a tab fills in. */
export type Sendable = ClientFrame extends infer Frame
  ? Frame extends ClientFrame
    ? Omit<Frame, 'requestId'>
    : never
  : never;

export interface TabOptions {
  readonly clientId?: string;
  /** More members of the hello; null if none should be sent. */
  readonly hello?: object | null;
  readonly label?: string;
  readonly headers?: Record<string, string>;
  /** Whether it answers prompts. Default: true */
  readonly enabled?: boolean;
}

/** How long a test waits for a frame, in ms. */
const patienceMs = Number(process.env.PATIENCE_MS ?? 30_000);

/** A raw WebSocket client that records every frame that it receives. */
export class Tab {
  readonly clientId: string;
  readonly frames: ServerFrame[] = [];
  readonly #socket: WebSocket;
  readonly #watchers = new Set<() => void>();
  closeCode: number | undefined;
  /** Number of pings of the server so far. */
  pings = 0;

  private constructor(socket: WebSocket, clientId: string) {
    this.#socket = socket;
    this.clientId = clientId;
    socket.on('message', (data) => {
      const frame: unknown = JSON.parse(String(data));
      assertFrame(frame);
      this.frames.push(frame);
      this.#wake();
    });
    socket.on('ping', () => {
      this.pings += 1;
      this.#wake();
    });
    socket.on('close', (code) => {
      this.closeCode = code;
      this.#wake();
    });
    socket.on('error', () => this.#wake());
  }

  /** Connects and says hello, unless `hello` is null. */
  static async open(url: string, options: TabOptions = {}): Promise<Tab> {
    const clientId = options.clientId ?? randomUUID();
    const socket = new WebSocket(url, { headers: options.headers });
    const tab = new Tab(socket, clientId);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    if (options.hello === null) return tab;
    const interaction = { supported: true, enabled: options.enabled ?? true };
    tab.send({
      type: 'hello',
      protocol: 1,
      clientId,
      interaction,
      ...(options.label && { label: options.label }),
      ...options.hello,
    });
    await tab.waitFor('welcome');
    return tab;
  }

  send(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  /** Sends frames in one packet, so that the server reads them together. */
  sendTogether(frames: readonly object[]): void {
    const raw = Reflect.get(this.#socket, '_socket') as Duplex;
    raw.cork();
    for (const frame of frames) this.send(frame);
    raw.uncork();
  }

  /** Sends a WebSocket ping. */
  ping(): void {
    this.#socket.ping();
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  /** Sends the first fragment of a message that does not end. */
  sendPart(text: string): void {
    this.#socket.send(text, { fin: false });
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes, { binary: true });
  }

  /** Sends a request and waits for its reply. */
  async request(frame: Sendable): Promise<Reply> {
    const requestId = randomUUID();
    this.send({ ...frame, requestId });
    const reply = await this.until((candidate) => candidate.type === 'reply' && candidate.requestId === requestId);
    return reply as unknown as Reply;
  }

  /** Like `request`. @throws Error if it is refused */
  async ask<T = Record<string, unknown>>(frame: Sendable): Promise<T> {
    const reply = await this.request(frame);
    if (!reply.ok) throw new Error(`${frame.type} was refused: ${JSON.stringify(reply.error)}`);
    return reply.result as T;
  }

  async createSession(): Promise<string> {
    const { session } = await this.ask<{ session: Session }>({ type: 'create_session' });
    return session.id;
  }

  /** Subscribes and waits until it is live. */
  async follow(
    sessionId: string,
    options: { cursor?: { epoch: string; seq: number }; tail?: number } = {},
  ): Promise<ServerFrameOf<'snapshot'>> {
    const before = this.frames.length;
    await this.ask({ type: 'subscribe', sessionId, ...options });
    await this.until((frame) => frame.type === 'live' && frame.sessionId === sessionId, before);
    return (await this.until((frame) => frame.type === 'snapshot' && frame.sessionId === sessionId, before)) as never;
  }

  async say(
    sessionId: string,
    text: string,
    messageId: string = randomUUID(),
  ): Promise<{ seq: number; queued?: boolean }> {
    return this.ask({ type: 'user_message', sessionId, messageId, text });
  }

  /** Calls `listener` on every frame. */
  onFrame(listener: () => void): void {
    this.#watchers.add(listener);
  }

  /** Answers a prompt. */
  answer(sessionId: string, prompt: InteractionRequest, answer: object): Promise<Reply> {
    const { toolCallId: callId, interactionId, digest } = prompt;
    const isMore = 'approvalScope' in answer || 'editedArgs' in answer;
    const shown = isMore ? { digest } : {};
    const ids = { sessionId, callId, interactionId };
    return this.request({ type: 'tool_interaction_response', ...ids, ...shown, ...answer } as Sendable);
  }

  /** Returns every event of a session that this tab received, in order of arrival. */
  events(sessionId: string): ChatEvent[] {
    return eventsOf(this.frames, sessionId);
  }

  /** Returns the events since the newest snapshot of a session: what a client that began there has folded. */
  eventsSinceSnapshot(sessionId: string): ChatEvent[] {
    const isStart = (frame: ServerFrame) => frame.type === 'snapshot' && frame.sessionId === sessionId;
    return eventsOf(this.frames.slice(this.frames.findLastIndex(isStart)), sessionId);
  }

  /** Waits for the first event of a type, after `after`, that a test accepts. */
  async event<Type extends ChatEvent['type']>(
    sessionId: string,
    type: Type,
    accepts: (event: ChatEvent<Type>) => boolean = () => true,
    after = 0,
  ): Promise<ChatEvent<Type>> {
    const find = () =>
      this.events(sessionId).find(
        (event): event is ChatEvent<Type> =>
          event.type === type && event.seq > after && accepts(event as ChatEvent<Type>),
      );
    return this.#poll(find, `event ${type}`);
  }

  /** Waits for the newest prompt after `after`. @returns its request */
  async prompt(sessionId: string, after = 0): Promise<InteractionRequest> {
    return (await this.event(sessionId, 'interaction_request', undefined, after)).payload;
  }

  waitFor<Type extends ServerFrame['type']>(type: Type): Promise<ServerFrameOf<Type>> {
    return this.until((frame) => frame.type === type) as Promise<ServerFrameOf<Type>>;
  }

  /** Waits for the first frame from index `from` on that a test accepts. */
  until(accepts: (frame: ServerFrame) => boolean, from = 0): Promise<ServerFrame> {
    let next = from; // each frame is checked once, however many arrive
    const find = () => {
      for (; next < this.frames.length; next += 1) {
        const frame = this.frames[next] as ServerFrame;
        if (accepts(frame)) return frame;
      }
      return undefined;
    };
    return this.#poll(find, 'frame');
  }

  /** Waits until the server has pinged this often. */
  pinged(times: number): Promise<number> {
    return this.#poll(() => (this.pings >= times ? this.pings : undefined), `ping ${times}`);
  }

  /** Waits until the connection is closed, and returns the close code. */
  closed(): Promise<number> {
    return this.#poll(() => this.closeCode, 'close');
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.closed();
  }

  /** Drops the connection without a close frame. */
  terminate(): void {
    this.#socket.terminate();
  }

  /** Stops reading, as a tab on a sleeping machine does. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  #wake(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  #poll<T>(find: () => T | undefined, what: string): Promise<T> {
    const found = find();
    if (found !== undefined) return Promise.resolve(found);
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(
        () => end(() => reject(new Error(`no ${what} came; last frames: ${this.#describe()}`))),
        patienceMs,
      );
      const watcher = () => {
        const hit = find();
        if (hit !== undefined) end(() => resolve(hit));
      };
      const end = (settle: () => void) => {
        clearTimeout(timer);
        this.#watchers.delete(watcher);
        settle();
      };
      this.#watchers.add(watcher);
    });
  }

  #describe(): string {
    return this.frames
      .slice(-6)
      .map((frame) => JSON.stringify(frame).slice(0, 300))
      .join('\n');
  }
}

function eventsOf(frames: readonly ServerFrame[], sessionId: string): ChatEvent[] {
  return frames.flatMap((frame) => {
    if (frame.type === 'chat_event' && frame.sessionId === sessionId) return [frame.event];
    return frame.type === 'chat_events' && frame.sessionId === sessionId ? frame.events : [];
  });
}
