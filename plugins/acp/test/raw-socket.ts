import { once } from 'node:events';
import { WebSocket } from '@parleyhq/server';
import { onTestFinished } from 'vitest';

type Message = Readonly<Record<string, unknown>>;

/** A client at `/acp` that sends whatever a test wants. */
export class RawSocket {
  readonly messages: Message[] = [];
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once('close', resolve);
    });
    socket.on('message', (data) => {
      this.messages.push(JSON.parse(String(data)) as Message);
    });
    socket.on('error', () => undefined); // its close follows
    onTestFinished(() => socket.terminate());
  }

  /** @returns the status with which the upgrade was refused, or the open socket */
  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<RawSocket | number> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/acp`, { headers });
    const self = new RawSocket(socket);
    const refused = once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode as number);
    const result = await Promise.race([once(socket, 'open'), refused]);
    return typeof result === 'number' ? result : self;
  }

  send(message: string | object): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Waits for the next message that a test accepts, and takes it. */
  async next(accepts: (message: Message) => boolean = () => true): Promise<Message> {
    for (;;) {
      const at = this.messages.findIndex(accepts);
      if (at >= 0) return this.messages.splice(at, 1)[0] as Message;
      await once(this.#socket, 'message');
    }
  }

  /** Sends a request. @returns its response */
  call(id: unknown, method: string, params: object = {}): Promise<Message> {
    this.send({ jsonrpc: '2.0', id, method, params });
    return this.next((message) => message.id === id && !('method' in message));
  }
}
