import { type Link, lostCode, type Transport } from './transport.ts';

export interface HttpOptions {
  /** That of browsers and Node, unless the caller has another. */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Connects over plain HTTP, where WebSocket cannot pass: the server's frames come as server-sent events, the client's go as
 * requests. The token of the hello is sent as a bearer token, never in an address.
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
      () => close(lostCode, 'the code for plain HTTP could not be loaded'), // pages load it where they need it
    );
    return {
      send: (text) => link?.send(text),
      close: () => (link ? link.close() : close(1000, '')),
    };
  };
}
