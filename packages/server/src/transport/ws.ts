import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type CloseCode,
  type Connection,
  type ConnectionId,
  closeCodes,
  type FrameBatch,
  limits,
} from '@parleyhq/core';
import { WebSocket, WebSocketServer } from 'ws';
import { type Arrival, Gateway, type GatewayOptions } from '../entrance/gateway.ts';
import { newId } from '../node/new-id.ts';
import { encodeFrames } from './ws-frame.ts';

/** For clients on Node 20, which has no WebSocket of its own. */
export { WebSocket };

/** A reader that leaves this much unread for `patienceMs` loses its connection; nobody else is affected (FRM5). */
const maxBacklogBytes = 1024 * 1024;
const patienceMs = 1000;

/** A larger backlog is dropped at once. Below it, a few large results do not make a slow reader. */
const maxBurstBytes = 16 * 1024 * 1024;

/** In characters: the audit keeps the user agent for ever. */
const maxAgentLength = 200;

/** Consecutive pings that may go unanswered (FRM4). */
const maxMissedPongs = 2;

/** Batches of one tick are copied into one buffer up to this size. */
const joinedBytes = 16 * 1024;

/** The WebSocket transport: accepts upgraded sockets, sends heartbeats, limits what is unsent. */
export class WsTransport {
  readonly #options: GatewayOptions;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: limits.frameBytes,
    perMessageDeflate: false, // costs ten times the CPU, and connections could not share encoded frames
    maxFragments: 1024,
    autoPong: false, // pings count against the rate limit like other frames
  });
  readonly #heartbeat: NodeJS.Timeout;
  readonly #unanswered = new WeakMap<WebSocket, number>();

  /** @param heartbeatMs - between two pings */
  constructor(options: GatewayOptions, heartbeatMs: number) {
    this.#options = options;
    this.#heartbeat = setInterval(() => this.#ping(), heartbeatMs);
    this.#heartbeat.unref();
  }

  /** Completes an upgrade whose Host, Origin and credentials were checked. */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    known: Pick<Arrival, 'admission' | 'onAdmitted'>,
  ): void {
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      const address = request.socket.remoteAddress ?? '';
      const userAgent = request.headers['user-agent']?.slice(0, maxAgentLength);
      this.#accept(ws, socket, { transport: 'ws', address, userAgent, ...known });
    });
  }

  /** @param code what clients are told; after `restart` they reconnect */
  async close(code: CloseCode): Promise<void> {
    clearInterval(this.#heartbeat);
    for (const ws of this.#server.clients) ws.close(code, 'the server stops');
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Ends connections whose clients do not answer the close. */
  terminate(): void {
    for (const ws of this.#server.clients) ws.terminate();
  }

  #accept(ws: WebSocket, socket: Duplex, arrival: Arrival): void {
    const { metrics, log } = this.#options.watch;
    const connection = new WsConnection(newId(), ws, socket, (reason) => {
      metrics.connectionsDropped.inc({ reason });
    });
    const gateway = new Gateway(this.#options, connection, arrival);
    this.#meter(socket, gateway);
    ws.on('pong', () => this.#unanswered.delete(ws));
    ws.on('message', (data, isBinary) => {
      this.#unanswered.delete(ws);
      gateway.receive(data as Buffer, isBinary);
    });
    ws.on('ping', (data) => gateway.take() && ws.pong(data));
    ws.on('error', (error) => {
      if ('code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') metrics.reached('frameBytes');
      log.debug({ error: error.message }, 'connection failed');
    });
    ws.on('close', () => {
      connection.end();
      void gateway.disconnect();
    });
  }

  /** Before `hello` not even the beginning of a large frame is taken in (SEC11). */
  #meter(socket: Duplex, gateway: Gateway): void {
    let bytes = 0;
    const count = (chunk: Buffer) => {
      bytes += chunk.length; // after `ws` has taken whole frames out of it
      if (!gateway.isSilent) socket.off('data', count);
      else if (bytes > 2 * limits.helloBytes) gateway.refuseStranger('helloBytes'); // twice: with the frames' own bytes
    };
    socket.on('data', count);
  }

  #ping(): void {
    for (const ws of this.#server.clients) {
      const unanswered = this.#unanswered.get(ws) ?? 0;
      if (unanswered < maxMissedPongs) {
        this.#unanswered.set(ws, unanswered + 1);
        ws.ping();
      } else {
        this.#options.watch.metrics.connectionsDropped.inc({ reason: 'silent' });
        ws.terminate();
      }
    }
  }
}

/**
 * Writes once per tick. Frames bypass `ws` and go straight to the socket, encoded once for all connections: they are neither
 * compressed nor masked, and `ws` itself only writes pings and the close.
 */
class WsConnection implements Connection {
  readonly id: ConnectionId;
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  readonly #onDrop: (reason: string) => void;
  #queue: FrameBatch[] = [];
  #waiting: (() => void)[] = [];
  #release: NodeJS.Immediate | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(id: ConnectionId, ws: WebSocket, socket: Duplex, onDrop: (reason: string) => void) {
    this.id = id;
    this.#ws = ws;
    this.#socket = socket;
    this.#onDrop = onDrop;
    socket.on('drain', () => this.#catchUp());
  }

  send(batch: FrameBatch): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    if (this.#queue.push(batch) === 1) process.nextTick(() => this.#flush());
  }

  drained(): Promise<void> {
    this.#flush();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#releaseSoon();
    });
  }

  /** Who does not answer the close within its time is cut off. */
  close(code: CloseCode, reason = ''): void {
    this.#flush();
    this.#ws.close(code, reason);
    this.#terminateSoon();
  }

  end(): void {
    this.#queue = [];
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
    this.#catchUp();
  }

  #flush(): void {
    const queue = this.#queue;
    if (queue.length === 0) return;
    this.#queue = [];
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    const buffers = queue.map(encodeBatch);
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

  /** The close frame queues behind the backlog: the reader gets the code if it catches up within a second. */
  #drop(): void {
    this.#onDrop('slow'); // mutant: buffer-limit
    this.#ws.close(closeCodes.tooSlow, 'too slow');
    this.#terminateSoon();
    this.end();
  }

  #terminateSoon(): void {
    setTimeout(() => this.#ws.terminate(), patienceMs).unref();
  }

  /** The backlog is sent: the connection is no longer late. */
  #catchUp(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#releaseSoon();
  }

  /** Those who wait continue one by one, for what the first sends may be a backlog again. Others run in between. */
  #releaseSoon(): void {
    this.#release ??= setImmediate(() => {
      this.#release = undefined;
      if (this.#socket.writableNeedDrain) return;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#releaseSoon();
    });
  }
}

/** The bytes of batches, encoded by the first connection that writes them and shared by the others. */
const encodedBatches = new WeakMap<FrameBatch, Buffer>();

function encodeBatch(batch: FrameBatch): Buffer {
  let bytes = encodedBatches.get(batch);
  if (!bytes) {
    bytes = encodeFrames(batch.texts);
    encodedBatches.set(batch, bytes);
  }
  return bytes;
}

/** Small buffers are cheaper to copy than to write one by one. Large ones, shared between connections, are not copied. */
function joinSmall(buffers: readonly Uint8Array[]): readonly Uint8Array[] {
  const isSmall = buffers.reduce((sum, { length }) => sum + length, 0) <= joinedBytes;
  return isSmall && buffers.length > 1 ? [Buffer.concat(buffers)] : buffers;
}
