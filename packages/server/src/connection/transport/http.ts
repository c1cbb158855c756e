import { type CloseCode, type Connection, type ConnectionId, closeCodes, type FrameBatch } from '@parleyhq/core';
import { newId } from '@parleyhq/runtime';
import type { Admission } from '../../auth/auth.ts';
import { Gateway, type GatewayOptions } from '../gateway.ts';
import type { Connections, Opening, Refused } from './connections.ts';
import { encodeClose, encodeEvents, heartbeat } from './server-sent-events.ts';
import { type ConnectionDurations, SocketConnection, shareEncoded } from './socket-connection.ts';

/** An open connection, as its requests find it. */
interface OpenConnection {
  readonly gateway: Gateway;
  readonly connection: StreamConnection;
  readonly opening: Opening;
}

/** The HTTP transport: frames go out as server-sent events and come in as requests that name their connection (TRN1). */
export class HttpTransport implements Connections {
  readonly #options: GatewayOptions;
  readonly #encode: (batch: FrameBatch) => Buffer;
  readonly #open = new Map<ConnectionId, OpenConnection>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #slowReaderMs: number;
  #isStopping = false;

  constructor(options: GatewayOptions, { heartbeatMs, slowReaderMs }: ConnectionDurations) {
    this.#options = options;
    this.#slowReaderMs = slowReaderMs;
    const { epoch } = options.welcome.about;
    this.#encode = shareEncoded((texts) => encodeEvents(texts, epoch));
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();
  }

  /** Opens a connection. Resolves once its stream has begun, or with the reason for a refusal. */
  async open(opening: Opening): Promise<Refused | undefined> {
    if (this.#isStopping) return { status: 503, error: { code: 'retry_later', message: 'The server is stopping.' } };
    const { response, arrival, frames } = opening;
    if (response.closed) return undefined; // its client has already disconnected, which is reported only once
    const { metrics } = this.#options.watch;
    const onDrop = (reason: string) => metrics.connectionsDropped.inc({ reason });
    const sending = { encode: this.#encode, slowReaderMs: this.#slowReaderMs, onDrop };
    return new Promise((resolve) => {
      const connection = new StreamConnection(opening, { ...sending, onRefused: resolve });
      const onAdmitted = () => {
        connection.begin();
        this.#open.set(connection.id, { gateway, connection, opening });
        resolve(undefined);
      };
      const gateway = new Gateway(this.#options, connection, { ...arrival, onAdmitted });
      response.once('close', () => {
        this.#open.delete(connection.id);
        connection.end();
        gateway.disconnect();
        resolve(undefined);
      });
      for (const frame of frames) void gateway.receive(JSON.stringify(frame));
    });
  }

  find(id: ConnectionId, { principal, credential: { tokenId, loginHash } }: Admission): OpenConnection | undefined {
    const found = this.#open.get(id);
    const own = found?.opening.arrival.admission;
    const isSame = own?.credential.tokenId === tokenId && own?.credential.loginHash === loginHash;
    return isSame && own?.principal.id === principal.id ? found : undefined;
  }

  /**
   * Closes all connections.
   * @param code - close code for the clients; after `restart` they reconnect
   */
  close(code: CloseCode): void {
    this.#isStopping = true;
    clearInterval(this.#heartbeat);
    for (const { connection } of this.#open.values()) connection.close(code, 'the server stops');
  }

  #beat(): void {
    for (const { connection } of this.#open.values()) connection.beat();
  }
}

interface StreamConnectionOptions {
  readonly encode: (batch: FrameBatch) => Uint8Array;
  readonly slowReaderMs: number;
  readonly onDrop: (reason: string) => void;
  readonly onRefused: (refused: Refused) => void;
}

/** A connection whose response gets its status only when the hello is accepted, so that a refusal can set it. */
class StreamConnection implements Connection {
  readonly id = newId();
  readonly #opening: Opening;
  readonly #options: StreamConnectionOptions;
  /** Number of frames sent so far. */
  sent = 0;
  #said: string[] = [];
  #socket: SocketConnection | undefined;

  constructor(opening: Opening, options: StreamConnectionOptions) {
    this.#opening = opening;
    this.#options = options;
  }

  begin(): void {
    const { response: stream, begin } = this.#opening;
    const { encode, slowReaderMs, onDrop } = this.#options;
    begin();
    const link = {
      get isOpen() {
        return !stream.writableEnded && !stream.destroyed;
      },
      encode: (batch: FrameBatch) => {
        this.sent += batch.texts.length;
        return encode(batch);
      },
      close: (code: CloseCode, reason: string) => {
        if (!stream.writableEnded) stream.end(encodeClose(code, reason));
      },
      terminate: () => void stream.destroy(),
    };
    this.#socket = new SocketConnection({ id: this.id, stream, link, slowReaderMs, onDrop });
  }

  send(batch: FrameBatch): void {
    if (this.#socket) this.#socket.send(batch);
    else this.#said.push(...batch.texts);
  }

  drained(): Promise<void> {
    return this.#socket?.drained() ?? Promise.resolve();
  }

  close(code: CloseCode, reason = ''): void {
    if (this.#socket) this.#socket.close(code, reason);
    else this.#options.onRefused(toRefused(code, this.#said.at(-1)));
  }

  end(): void {
    this.#socket?.end();
  }

  beat(): void {
    const { response } = this.#opening;
    if (!response.writableEnded) response.write(heartbeat);
  }
}

/** Converts a close code, which is 4000 + the HTTP status. */
function toRefused(code: CloseCode, said: string | undefined): Refused {
  const { type: _, ...error } = said === undefined ? { code: 'internal', message: '' } : JSON.parse(said);
  return { status: code === closeCodes.restart ? 503 : ((code - 4000) as Refused['status']), error };
}
