import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type CloseCode, limits } from '@parleyhq/core';
import { newId } from '@parleyhq/runtime';
import { WebSocket, WebSocketServer } from 'ws';
import { type Arrival, Gateway, type GatewayOptions } from '../gateway.ts';
import { type ConnectionDurations, SocketConnection, type SocketLink, shareEncoded } from './socket-connection.ts';
import { TranslatedSocket, type TranslatorOptions } from './translated-socket.ts';
import { encodeFrames } from './ws-frame.ts';

/** For clients on Node 20, which has no WebSocket of its own. */
export { WebSocket };

/** In characters, because the audit keeps the user agent forever. */
const maxAgentLength = 200;

/** Consecutive pings that may go unanswered (FRM4). */
const maxMissedPongs = 2;

/** The WebSocket transport: accepts upgraded sockets, sends heartbeats, limits unsent data. */
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
  readonly #slowReaderMs: number;
  readonly #unanswered = new WeakMap<WebSocket, number>();

  constructor(options: GatewayOptions, { heartbeatMs, slowReaderMs }: ConnectionDurations) {
    this.#options = options;
    this.#slowReaderMs = slowReaderMs;
    this.#heartbeat = setInterval(() => this.#ping(), heartbeatMs);
    this.#heartbeat.unref();
  }

  /**
   * Completes an upgrade whose Host, Origin and credentials were checked.
   * @param translator - the protocol of the client, if it is not Parley's own
   */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    known: Pick<Arrival, 'admission' | 'onAdmitted'>,
    translator?: TranslatorOptions,
  ): void {
    this.#server.handleUpgrade(request, socket, head, (ws) => {
      const address = request.socket.remoteAddress ?? '';
      const userAgent = request.headers['user-agent']?.slice(0, maxAgentLength);
      this.#accept(ws, socket, { transport: 'ws', address, userAgent, ...known }, translator);
    });
  }

  /**
   * Closes all connections.
   * @param code - close code for the clients; after `restart` they reconnect
   */
  async close(code: CloseCode): Promise<void> {
    clearInterval(this.#heartbeat);
    for (const ws of this.#server.clients) ws.close(code, 'the server stops');
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Cuts off connections whose clients do not acknowledge the close. */
  terminate(): void {
    for (const ws of this.#server.clients) ws.terminate();
  }

  #accept(ws: WebSocket, socket: Duplex, arrival: Arrival, translator: TranslatorOptions | undefined): void {
    const { metrics, log } = this.#options.watch;
    const onDrop = (reason: string) => metrics.connectionsDropped.inc({ reason });
    const slowReaderMs = this.#slowReaderMs;
    const connection = new SocketConnection({ id: newId(), stream: socket, link: linkOf(ws), slowReaderMs, onDrop });
    const { framesPerSecond } = this.#options.welcome.about;
    const receive = (frame: string) => void gateway.receive(frame);
    const translated =
      translator && new TranslatedSocket(translator, { client: connection, source: ws, framesPerSecond, receive });
    const ends = translated?.connection ?? connection;
    const gateway = new Gateway(this.#options, ends, { ...arrival, isPaced: translated !== undefined });
    this.#meter(socket, gateway);
    ws.on('pong', () => this.#unanswered.delete(ws));
    ws.on('message', (data, isBinary) => {
      this.#unanswered.delete(ws);
      if (translated) translated.take(isBinary ? '' : String(data));
      else void gateway.receive(data as Buffer, isBinary);
    });
    ws.on('ping', (data) => gateway.take() && ws.pong(data));
    ws.on('error', (error) => {
      if ('code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') metrics.reached('frameBytes');
      log.debug({ error: error.message }, 'connection failed');
    });
    ws.on('close', () => {
      connection.end();
      translated?.end();
      void gateway.disconnect();
    });
  }

  /** Limits the bytes before `hello`, so that not even the beginning of a large frame is buffered (SEC11). */
  #meter(socket: Duplex, gateway: Gateway): void {
    let bytes = 0;
    const count = (chunk: Buffer) => {
      bytes += chunk.length; // counted after `ws` has read complete frames
      if (!gateway.isSilent) socket.off('data', count);
      // twice the limit, because frame headers count too
      else if (bytes > 2 * limits.helloBytes) gateway.rejectUnauthenticated('helloBytes');
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

/** Encodes a batch once for all connections, because frames are neither compressed nor masked. */
const encodeBatch = shareEncoded(encodeFrames);

/** Frames bypass `ws` and go straight to the socket; `ws` itself only writes pings and the close. */
function linkOf(ws: WebSocket): SocketLink {
  return {
    get isOpen() {
      return ws.readyState === ws.OPEN;
    },
    encode: encodeBatch,
    close: (code, reason) => ws.close(code, reason),
    terminate: () => ws.terminate(),
  };
}
