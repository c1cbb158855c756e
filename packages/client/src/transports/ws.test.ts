import { expect, test } from 'vitest';
import { lostCode } from './transport.ts';
import { connectWebSocket } from './ws.ts';

type Listener = (event: never) => void;

/** A WebSocket whose events the test tells. */
class ToldSocket {
  static last: ToldSocket;
  readonly #listeners = new Map<string, Listener>();

  constructor() {
    ToldSocket.last = this;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  tell(type: string, event: object = {}): void {
    this.#listeners.get(type)?.(event as never);
  }

  send(): void {}
  close(): void {}
}

function connect() {
  const told: unknown[] = [];
  const handlers = {
    onOpen: () => told.push('open'),
    onText: (text: string) => told.push(text),
    onClose: (code: number, reason: string) => told.push([code, reason]),
  };
  connectWebSocket('ws://127.0.0.1:1/ws', ToldSocket)(handlers);
  return { told, socket: ToldSocket.last };
}

test('[TRN1] a connection that is refused is closed, though Node 22 says `error` alone', () => {
  const { told, socket } = connect();
  socket.tell('error');
  expect(told).toEqual([[lostCode, '']]);
  socket.tell('close', { code: lostCode, reason: '' }); // as all others say next
  expect(told).toHaveLength(1);
});

test('[TRN1] one that was open is closed with the code that its end has', () => {
  const { told, socket } = connect();
  socket.tell('open');
  socket.tell('error');
  socket.tell('close', { code: 1012, reason: 'restart' });
  expect(told).toEqual(['open', [1012, 'restart']]);
});
