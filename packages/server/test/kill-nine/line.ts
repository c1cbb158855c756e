import type { ServerFrame, ServerFrameOf } from '@parleyhq/core';
import { WebSocket } from 'ws';

/** One link to the server, as long as it lasts. */
export class Line {
  readonly #socket: WebSocket;
  readonly closed: Promise<void>;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined); // a close follows
  }

  /** Connects and says hello. @throws Error where the server is gone */
  static async open(
    port: number,
    clientId: string,
    onFrame: (frame: ServerFrame) => void,
    isInteractive = true,
  ): Promise<{ line: Line; welcome: ServerFrameOf<'welcome'> }> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
    const line = new Line(socket);
    const interaction = isInteractive ? { interaction: { supported: true, enabled: true } } : {};
    const welcome = new Promise<ServerFrameOf<'welcome'>>((resolve, reject) => {
      socket.on('open', () => line.send({ type: 'hello', protocol: 1, clientId, ...interaction }));
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data)) as ServerFrame;
        if (frame.type === 'welcome') resolve(frame);
        onFrame(frame);
      });
      void line.closed.then(() => reject(new Error('the line broke')));
    });
    return { line, welcome: await welcome };
  }

  send(frame: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  close(): Promise<void> {
    this.#socket.close();
    return this.closed;
  }
}
