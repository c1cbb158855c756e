import type { Transport } from './transport.ts';

/** The part of the WebSocket interface that is used; that of browsers, Node and the `ws` package all fit. */
export type WebSocketClass = new (url: string) => WebSocketLike;

interface WebSocketLike {
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
  send(text: string): void;
  close(): void;
}

/** Connects over WebSocket. Node 20 has none built in: pass that of the `ws` package there. */
export function connectWebSocket(url: string, WebSocket: WebSocketClass = globalThis.WebSocket): Transport {
  return (handlers) => {
    const socket = new WebSocket(url);
    socket.addEventListener('open', () => handlers.onOpen());
    socket.addEventListener('message', ({ data }) => handlers.onText(String(data)));
    socket.addEventListener('close', ({ code, reason }) => handlers.onClose(code, reason));
    socket.addEventListener('error', () => {}); // `close` always follows, with the code
    return { send: (text) => socket.send(text), close: () => socket.close() };
  };
}
