import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What is wrong with a proxy. */
export interface ProxyFaults {
  /** Passes upgrades on as plain requests. */
  readonly noUpgrade?: boolean;
  /** Passes this on instead of the name under which it was called. */
  readonly host?: string;
  /** Keeps answers back until they are complete. */
  readonly buffers?: boolean;
  /** In ms: how far its clock is ahead. */
  readonly aheadMs?: number;
  /** Answers pages with this status. */
  readonly pageStatus?: number;
}

/** A proxy in front of a server, as people set them up by mistake. */
export class FaultyProxy {
  faults: ProxyFaults = {};
  /** Port of the server behind it. */
  target = 1;
  readonly #server: Server = createServer((incoming, outgoing) => this.#forward(incoming, outgoing));

  async start(): Promise<void> {
    this.#server.on('upgrade', (incoming, socket: Socket) => this.#upgrade(incoming, socket));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async remove(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { buffers, aheadMs = 0, pageStatus } = this.faults;
    if (pageStatus !== undefined && incoming.url === '/') {
      outgoing.writeHead(pageStatus).end();
      return;
    }
    const { method, url } = incoming;
    const headers = this.#headersOf(incoming);
    const forwarded = request({ port: this.target, host: '127.0.0.1', method, path: url, headers }, async (answer) => {
      const date = new Date(Date.now() + aheadMs).toUTCString();
      const head = { ...answer.headers, date };
      if (buffers) {
        outgoing.writeHead(answer.statusCode ?? 200, head).end(await buffer(answer).catch(() => ''));
      } else answer.pipe(outgoing.writeHead(answer.statusCode ?? 200, head));
    });
    forwarded.on('error', () => outgoing.headersSent || outgoing.writeHead(502).end('Bad Gateway')); // or it was cut off
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  }

  #headersOf({ headers }: IncomingMessage): IncomingMessage['headers'] {
    const { host = headers.host } = this.faults;
    return { ...headers, host };
  }

  #upgrade(incoming: IncomingMessage, socket: Socket): void {
    const { method, url } = incoming;
    const { upgrade, connection, ...plain } = this.#headersOf(incoming);
    const headers = this.faults.noUpgrade ? plain : { ...plain, upgrade, connection };
    const forwarded = request({ port: this.target, host: '127.0.0.1', method, path: url, headers });
    forwarded.on('response', async (answer) => {
      const body = await buffer(answer);
      const { statusCode, statusMessage } = answer;
      socket.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.end(body);
    });
    forwarded.on('upgrade', (answer, behind) => {
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
      behind.pipe(socket).pipe(behind);
      behind.on('error', () => socket.destroy());
    });
    forwarded.on('error', () => socket.destroy());
    socket.on('error', () => forwarded.destroy());
    forwarded.end();
  }
}
