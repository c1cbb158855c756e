import type { ServerFrame, ServerFrameOf } from '@parleyhq/core';
import { afterEach, describe, expect, test } from 'vitest';

/** The client's end of a transport: sends and receives texts, ends with a code. */
export interface ClientLink {
  send(text: string): void;
  close(): void;
}

export interface LinkHandlers {
  onMessage(text: string): void;
  onClose(code: number): void;
}

/** Connects to a server that runs the demo agent with a tool `ask_user` and accepts this client. */
export type OpenLink = (handlers: LinkHandlers) => Promise<ClientLink>;

/** Tests the contract of every transport: the same frames, complete and in order (TRN1). */
export function testTransport(name: string, open: OpenLink): void {
  const peers: Peer[] = [];
  const connect = async () => {
    const peer = await Peer.connect(open);
    peers.push(peer);
    return peer;
  };
  const greet = async () => {
    const peer = await connect();
    peer.send({ type: 'hello', protocol: 1, interaction: { supported: true, enabled: true } });
    await peer.next('welcome');
    return peer;
  };
  const follow = async (peer: Peer) => {
    const { session } = (await peer.ask({ type: 'create_session' })) as { session: { id: string } };
    await peer.ask({ type: 'subscribe', sessionId: session.id });
    await peer.next('live');
    return session.id;
  };
  afterEach(() => {
    for (const peer of peers.splice(0)) peer.close();
  });

  describe(`transport contract: ${name}`, () => {
    test('[TRN1, FRM2] nothing is answered before hello; then welcome comes first', async () => {
      const peer = await connect();
      peer.send({ type: 'ping' });
      peer.send({ type: 'hello', protocol: 1 });
      peer.send({ type: 'ping' });
      await peer.next('pong');
      expect(peer.frames.map(({ type }) => type)).toEqual(['welcome', 'pong']);
    });

    test('[TRN1, FRM3] a close by the server carries its code', async () => {
      const peer = await connect();
      peer.send({ type: 'hello', protocol: 99 });
      expect(await peer.next('error')).toMatchObject({ code: 'unsupported_protocol' });
      expect(await peer.closed()).toBe(4426);
    });

    test('[TRN1, FRM1] a text that is not a frame is refused, and the connection stays open', async () => {
      const peer = await greet();
      peer.sendText('{');
      expect(await peer.next('error')).toMatchObject({ code: 'bad_frame' });
      peer.send({ type: 'ping' });
      await peer.next('pong');
    });

    test('[TRN1, RPL1] a message, its turn and its text arrive in order, once', async () => {
      const peer = await greet();
      const sessionId = await follow(peer);
      const result = await peer.ask({ type: 'user_message', sessionId, messageId: 'm', text: '/stream 5 1' });
      expect(result).toEqual({ seq: 1 });
      await peer.until(() => peer.types(sessionId).includes('turn_end'));
      expect(peer.types(sessionId)).toEqual(['user_message', 'turn_start', 'assistant_done', 'turn_end']);
    });

    test('[TRN1, INT4] a prompt is shown to both ends and answered by one', async () => {
      const [asker, other] = [await greet(), await greet()];
      const sessionId = await follow(asker);
      await other.ask({ type: 'subscribe', sessionId });
      await asker.ask({ type: 'user_message', sessionId, messageId: 'm', text: '/call ask_user {"question":"Well?"}' });
      for (const peer of [asker, other]) await peer.until(() => peer.types(sessionId).includes('interaction_request'));
      const { toolCallId: callId, interactionId } = other.payload(sessionId, 'interaction_request') as Record<
        string,
        string
      >;
      const answer = { type: 'tool_interaction_response', sessionId, callId, interactionId, action: 'submit' };
      await other.ask({ ...answer, input: { answer: 'yes' } });
      await asker.until(() => asker.types(sessionId).includes('turn_end'));
      expect(asker.payload(sessionId, 'interaction_response')).toMatchObject({ input: { answer: 'yes' } });
    });

    test('[TRN1] large frames arrive whole, among small ones, in their order', async () => {
      const peer = await greet();
      const sessionId = await follow(peer);
      const text = '\u{1F600}e\u0301'.repeat(20_000);
      for (let n = 0; n < 4; n += 1) {
        peer.send({ type: 'user_message', sessionId, messageId: `m${n}`, text: n % 2 ? 'small' : text });
      }
      const messages = () => peer.events(sessionId).filter(({ type }) => type === 'user_message');
      await peer.until(() => messages().length === 4);
      expect(messages().map(({ payload }) => payload)).toMatchObject([
        { messageId: 'm0', text },
        { messageId: 'm1', text: 'small' },
        { messageId: 'm2', text },
        { messageId: 'm3', text: 'small' },
      ]);
    });

    test('[TRN1] a closed connection no longer counts for the others', async () => {
      const [watcher, leaver] = [await greet(), await greet()];
      const sessionId = await follow(watcher);
      await leaver.ask({ type: 'subscribe', sessionId });
      const hasCount = (count: number) => () => {
        const told = watcher.frames.findLast((frame): frame is ServerFrameOf<'presence'> => frame.type === 'presence');
        return told?.connections === count;
      };
      await watcher.until(hasCount(2));
      leaver.close();
      await watcher.until(hasCount(1));
    });
  });
}

const patienceMs = 5000;

/** One end of a link, with everything that it received. */
class Peer {
  readonly frames: ServerFrame[] = [];
  #link: ClientLink | undefined;
  #code: number | undefined;
  #requests = 0;
  #wake = () => {};

  static async connect(open: OpenLink): Promise<Peer> {
    const peer = new Peer();
    peer.#link = await open({
      onMessage: (text) => {
        peer.frames.push(JSON.parse(text));
        peer.#wake();
      },
      onClose: (code) => {
        peer.#code = code;
        peer.#wake();
      },
    });
    return peer;
  }

  send(frame: object): void {
    this.sendText(JSON.stringify(frame));
  }

  sendText(text: string): void {
    this.#link?.send(text);
  }

  close(): void {
    this.#link?.close();
  }

  async ask(frame: object): Promise<unknown> {
    this.#requests += 1;
    const requestId = `r${this.#requests}`;
    this.send({ ...frame, requestId });
    const isReply = (candidate: ServerFrame) => candidate.type === 'reply' && candidate.requestId === requestId;
    await this.until(() => this.frames.some(isReply));
    const reply = this.frames.find(isReply);
    expect(reply).toMatchObject({ ok: true });
    return (reply as { result?: unknown }).result;
  }

  async next<Type extends ServerFrame['type']>(type: Type): Promise<ServerFrameOf<Type>> {
    await this.until(() => this.frames.some((frame) => frame.type === type));
    return this.frames.find((frame) => frame.type === type) as ServerFrameOf<Type>;
  }

  async closed(): Promise<number | undefined> {
    await this.until(() => this.#code !== undefined);
    return this.#code;
  }

  events(sessionId: string): ServerFrameOf<'chat_event'>['event'][] {
    return this.frames.flatMap((frame) => {
      if (frame.type === 'chat_events' && frame.sessionId === sessionId) return [...frame.events];
      return frame.type === 'chat_event' && frame.sessionId === sessionId ? [frame.event] : [];
    });
  }

  types(sessionId: string): string[] {
    return this.events(sessionId).map(({ type }) => type);
  }

  payload(sessionId: string, type: string): unknown {
    return this.events(sessionId).find((event) => event.type === type)?.payload;
  }

  until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const types = () => this.frames.map(({ type }) => type).join(' ');
      const timer = setTimeout(() => reject(new Error(`it did not arrive; received: ${types()}`)), patienceMs);
      this.#wake = () => {
        if (!holds()) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
