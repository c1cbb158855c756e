import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type CloseCode,
  type Connection,
  type ConnectionId,
  closeCodes,
  type FrameBatch,
  limits,
  type Principal,
} from '@parleyhq/core';
import { WebSocket, WebSocketServer } from 'ws';
import { type Arrival, Gateway, type GatewayOptions } from '../entrance/gateway.ts';
import { encodeFrames } from './ws-frame.ts';

/** For who speaks to a server from Node 20, which has no WebSocket of its own. */
export { WebSocket };

/** A reader that leaves this much unread for a second costs its connection, and nobody else's (FRM5). */
const maxBacklogBytes = 1024 * 1024;
const patienceMs = 1000;

/** So much at once is waited for not even a second. Below it, a few large results are no sign of a slow reader. */
const maxBurstBytes = 16 * 1024 * 1024;

/** Characters of what a client's program calls itself: it stands in the audit for ever. */
const maxAgentLength = 200;

/** Pings that may stay unanswered, one after the other (FRM4). */
const maxMissedPongs = 2;

/** Parts of one tick are joined up to this size. */
const joinedBytes = 16 * 1024;

/** WebSocket: takes upgraded sockets in, heartbeats, bounds what is unsent. */
export class WsTransport {
  readonly #options: GatewayOptions;
  readonly #newId: () => ConnectionId;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: limits.frameBytes,
    perMessageDeflate: false, // ten times the CPU, and shared frames could not be shared
    maxFragments: 1024,
    autoPong: false, // its frames are counted like all others
  });
  readonly #heartbeat: NodeJS.Timeout;
  readonly #unanswered = new WeakMap<WebSocket, number>();

  constructor(options: GatewayOptions, newId: () => ConnectionId) {
    this.#options = options;
    this.#newId = newId;
    this.#heartbeat = setInterval(() => this.#ping(), options.hub.runtime.durations.heartbeatMs);
    this.#heartbeat.unref();
  }

  /** Finishes an upgrade that Host, Origin and credentials have passed. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, principal: Principal | undefined): void {
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      const address = request.socket.remoteAddress ?? '';
      const userAgent = request.headers['user-agent']?.slice(0, maxAgentLength);
      this.#accept(ws, socket, { transport: 'ws', address, userAgent, principal });
    });
  }

  /** @param code what clients are told: `restart` lets them come back */
  async close(code: CloseCode): Promise<void> {
    clearInterval(this.#heartbeat);
    for (const ws of this.#server.clients) ws.close(code, 'the server stops');
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** What is left of connections whose clients do not answer the close. */
  terminate(): void {
    for (const ws of this.#server.clients) ws.terminate();
  }

  #accept(ws: WebSocket, socket: Duplex, arrival: Arrival): void {
    const { hub, metrics } = this.#options;
    const connection = new WsConnection(this.#newId(), ws, socket, (reason) => {
      metrics.connectionsDropped.inc({ reason });
    });
    const gateway = new Gateway(this.#options, connection, arrival);
    ws.on('pong', () => this.#unanswered.delete(ws));
    ws.on('message', (data, isBinary) => {
      this.#unanswered.delete(ws);
      gateway.receive(isBinary ? '' : String(data));
    });
    ws.on('ping', (data) => gateway.take() && ws.pong(data));
    ws.on('error', (error) => {
      if ('code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') metrics.reached('frameBytes');
      hub.runtime.log.debug({ error: error.message }, 'connection failed');
    });
    ws.on('close', () => {
      connection.end();
      void gateway.leave();
    });
  }

  #ping(): void {
    for (const ws of this.#server.clients) {
      const unanswered = this.#unanswered.get(ws) ?? 0;
      if (unanswered < maxMissedPongs) {
        this.#unanswered.set(ws, unanswered + 1);
        ws.ping();
      } else {
        this.#options.metrics.connectionsDropped.inc({ reason: 'silent' });
        ws.terminate();
      }
    }
  }
}

/**
 * What is sent in one tick is written once. Frames go to the socket directly, encoded once for all connections: nothing
 * is compressed or masked on the way out, and `ws` itself writes only pings and the close.
 */
class WsConnection implements Connection {
  readonly id: ConnectionId;
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #onDrop: (reason: string) => void;
  #queue: FrameBatch[] = [];
  #waiting: (() => void)[] = [];
  #patience: NodeJS.Timeout | undefined;

  constructor(id: ConnectionId, ws: WebSocket, socket: Duplex, onDrop: (reason: string) => void) {
    this.id = id;
    this.#ws = ws;
    this.#socket = socket;
    this.#onDrop = onDrop;
    socket.on('drain', () => this.#release());
  }

  send(batch: FrameBatch): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    if (this.#queue.push(batch) === 1) process.nextTick(() => this.#flush());
  }

  drained(): Promise<void> {
    this.#flush();
    if (!this.#socket.writableNeedDrain) return new Promise((resolve) => setImmediate(resolve)); // others' turn
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  close(code: CloseCode, reason = ''): void {
    this.#flush();
    this.#ws.close(code, reason);
  }

  end(): void {
    this.#queue = [];
    this.#release();
  }

  #flush(): void {
    const queue = this.#queue;
    if (queue.length === 0) return;
    this.#queue = [];
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    const buffers = queue.map((batch) => (batch.encoded ??= encodeFrames(batch.texts)));
    const parts = joinSmall(buffers);
    if (parts.length > 1) this.#socket.cork();
    for (const part of parts) this.#socket.write(part);
    if (parts.length > 1) this.#socket.uncork();
    if (this.#socket.writableLength > maxBurstBytes) this.#drop();
    else if (this.#isBehind) this.#patience ??= setTimeout(() => this.#losePatience(), patienceMs).unref();
  }

  #losePatience(): void {
    this.#patience = undefined;
    if (this.#isBehind) this.#drop();
  }

  get #isBehind(): boolean {
    return this.#socket.writableLength > maxBacklogBytes;
  }

  /** The close frame would wait behind what is unread: the reader learns the code if it reads on within a second. */
  #drop(): void {
    this.#onDrop('slow'); // mutant: buffer-limit
    this.#ws.close(closeCodes.tooSlow, 'too slow');
    setTimeout(() => this.#ws.terminate(), 1000).unref();
    this.end();
  }

  /** All is sent: whoever waited goes on, and what was late is forgiven. */
  #release(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** Many small parts cost more to write than to copy; what is large, and shared with other connections, is not copied. */
function joinSmall(buffers: readonly Uint8Array[]): readonly Uint8Array[] {
  const isSmall = buffers.reduce((sum, { length }) => sum + length, 0) <= joinedBytes;
  return isSmall && buffers.length > 1 ? [Buffer.concat(buffers)] : buffers;
}
