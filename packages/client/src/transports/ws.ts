import { lostCode, type Transport } from './transport.ts';

/** The part of the WebSocket interface that is used; the classes of browsers, Node and the `ws` package all have it. */
export type WebSocketClass = new (url: string) => WebSocketLike;

interface WebSocketLike {
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
  send(text: string): void;
  close(): void;
}

/** Connects over WebSocket. Node 20 has no global `WebSocket`: pass the class of the `ws` package there. */
export function connectWebSocket(url: string, WebSocket: WebSocketClass = globalThis.WebSocket): Transport {
  return (handlers) => {
    const socket = new WebSocket(url);
    let isOpen = false;
    let isOver = false;
    const end = (code: number, reason: string) => {
      if (!isOver) handlers.onClose(code, reason);
      isOver = true;
    };
    socket.addEventListener('open', () => {
      isOpen = true;
      handlers.onOpen();
    });
    socket.addEventListener('message', ({ data }) => handlers.onText(String(data)));
    socket.addEventListener('close', ({ code, reason }) => end(code, reason));
    socket.addEventListener('error', () => {
      if (!isOpen) end(lostCode, ''); // Node 22 emits no `close` if the connection was refused
    });
    return { send: (text) => socket.send(text), close: () => socket.close() };
  };
}
