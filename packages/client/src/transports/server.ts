import { connectHttp } from './http.ts';
import { type Link, type LinkHandlers, lostCode, type Transport } from './transport.ts';
import { connectWebSocket, type WebSocketClass } from './ws.ts';

export interface ServerOptions {
  /** Default: the global `WebSocket`, which Node 20 does not have. */
  readonly WebSocket?: WebSocketClass;
  readonly fetch?: typeof globalThis.fetch;
  /** How long a WebSocket may take to open, in ms. */
  readonly patienceMs?: number;
}

/**
 * Connects over WebSocket, or over plain HTTP if WebSocket is blocked, for instance by a proxy that refuses upgrades (TRN1).
 * @param origin - such as `http://127.0.0.1:7420`, or `https://app.example.org/parley` if Parley is mounted on another server
 */
export function connectServer(origin: string, options: ServerOptions = {}): Transport {
  if (!(options.WebSocket ?? globalThis.WebSocket)) return connectHttp(origin, options);
  const way = new Way(origin, options);
  return (handlers) => new ServerLink(way, handlers);
}

/** Chooses the transport, from the results of earlier attempts. */
class Way {
  readonly patienceMs: number;
  readonly openSocket: Transport;
  readonly #origin: string;
  readonly #fetch: typeof globalThis.fetch;
  /** Number of consecutive attempts whose WebSocket failed silently although the server answered over HTTP. */
  #refused = 0;

  constructor(origin: string, { WebSocket, fetch = globalThis.fetch, patienceMs = 8000 }: ServerOptions) {
    const url = new URL(`${origin}/ws`);
    url.protocol = url.protocol.replace('http', 'ws');
    this.patienceMs = patienceMs;
    this.openSocket = connectWebSocket(url.href, WebSocket);
    this.#origin = origin;
    this.#fetch = fetch.bind(globalThis);
  }

  isOpen(): void {
    this.#refused = 0;
  }

  /** Returns plain HTTP after two failed attempts: a starting server refuses one WebSocket, a proxy refuses every one. */
  async findOther(): Promise<Transport | undefined> {
    const isThere = await this.#fetch(`${this.#origin}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    this.#refused = isThere ? this.#refused + 1 : 0;
    if (this.#refused < 2) return undefined;
    return connectHttp(this.#origin, { fetch: this.#fetch });
  }
}

/** One attempt: a WebSocket, and if that fails before the server sent anything, plain HTTP. */
class ServerLink implements Link {
  readonly #way: Way;
  readonly #handlers: LinkHandlers;
  readonly #patience: ReturnType<typeof setTimeout>;
  #link: Link;
  #isClosed = false;

  constructor(way: Way, handlers: LinkHandlers) {
    this.#way = way;
    this.#handlers = handlers;
    let isSilent = true;
    this.#link = way.openSocket({
      onOpen: () => {
        clearTimeout(this.#patience);
        handlers.onOpen();
      },
      onText: (text) => {
        if (isSilent) way.isOpen();
        isSilent = false;
        handlers.onText(text);
      },
      onClose: (code, reason) => {
        clearTimeout(this.#patience);
        if (this.#isClosed) return;
        if (isSilent && code === lostCode) void this.#turn(reason);
        else this.#end(code, reason);
      },
    });
    this.#patience = setTimeout(() => this.#link.close(), way.patienceMs);
  }

  send(text: string): void {
    this.#link.send(text);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#patience);
    this.#link.close();
  }

  async #turn(reason: string): Promise<void> {
    const open = await this.#way.findOther();
    if (this.#isClosed) return;
    if (open) this.#link = open(this.#handlers);
    else this.#end(lostCode, reason);
  }

  #end(code: number, reason: string): void {
    this.#isClosed = true;
    this.#handlers.onClose(code, reason);
  }
}
