import { type Link, lostCode, type Transport } from './transport.ts';

export interface HttpOptions {
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Connects over plain HTTP, for networks that block WebSocket: the server's frames arrive as server-sent events, the client's are
 * sent as requests. The token of the hello is sent as a bearer token, never in a URL.
 * @param origin - such as `http://127.0.0.1:7420`
 */
export function connectHttp(origin: string, { fetch = globalThis.fetch }: HttpOptions = {}): Transport {
  return (handlers) => {
    let link: Link | undefined;
    let isClosed = false;
    const close = (code: number, reason: string) => {
      if (isClosed) return;
      isClosed = true;
      handlers.onClose(code, reason);
    };
    import('./http-link.ts').then(
      ({ openHttp }) => {
        if (!isClosed) link = openHttp(origin, fetch.bind(globalThis), handlers);
      },
      () => close(lostCode, 'the code for plain HTTP could not be loaded'),
    );
    return {
      send: (text) => link?.send(text),
      close: () => (link ? link.close() : close(1000, '')),
    };
  };
}
