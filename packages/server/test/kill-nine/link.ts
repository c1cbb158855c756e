import type { ServerFrame, ServerFrameOf } from '@parleyhq/core';
import { WebSocket } from 'ws';

/** A client's connection to a server. */
export interface ClientLink {
  readonly closed: Promise<void>;
  send(frame: object): void;
  close(): Promise<void>;
}

/** Connects and says hello. @throws Error if the server has ended */
export type OpenLink = (
  clientId: string,
  onFrame: (frame: ServerFrame) => void,
) => Promise<{ readonly link: ClientLink }>;

export interface LinkOptions {
  /** Whether it answers prompts. */
  readonly isInteractive?: boolean;
  /** In ms: interval of pings; it closes if there was no pong by the next one. */
  readonly beatMs?: number;
}

/** One WebSocket to the victim. */
export class Link implements ClientLink {
  readonly #socket: WebSocket;
  readonly closed: Promise<void>;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined); // a close follows
  }

  /** Connects and says hello. @throws Error if the server has ended */
  static async open(
    port: number,
    clientId: string,
    onFrame: (frame: ServerFrame) => void,
    { isInteractive = true, beatMs }: LinkOptions = {},
  ): Promise<{ link: Link; welcome: ServerFrameOf<'welcome'> }> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
    const link = new Link(socket);
    if (beatMs !== undefined) link.#endOnSilence(beatMs);
    const interaction = isInteractive ? { interaction: { supported: true, enabled: true } } : {};
    const welcome = new Promise<ServerFrameOf<'welcome'>>((resolve, reject) => {
      socket.on('open', () => link.send({ type: 'hello', protocol: 1, clientId, ...interaction }));
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data)) as ServerFrame;
        if (frame.type === 'welcome') resolve(frame);
        onFrame(frame);
      });
      void link.closed.then(() => reject(new Error('the connection was lost')));
    });
    return { link, welcome: await welcome };
  }

  send(frame: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  /** Closes the connection if the other side is silent, as behind a network that drops everything. */
  #endOnSilence(beatMs: number): void {
    let isAlive = true;
    this.#socket.on('pong', () => {
      isAlive = true;
    });
    const beat = setInterval(() => {
      if (!isAlive) this.#socket.terminate();
      isAlive = false;
      if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping();
    }, beatMs);
    void this.closed.then(() => clearInterval(beat));
  }

  close(): Promise<void> {
    this.#socket.close();
    return this.closed;
  }
}
