import { expect, test } from 'vitest';
import { lostCode } from './transport.ts';
import { connectWebSocket } from './ws.ts';

type Listener = (event: never) => void;

/** A WebSocket whose events the test emits. */
class FakeSocket {
  static last: FakeSocket;
  readonly #listeners = new Map<string, Listener>();

  constructor() {
    FakeSocket.last = this;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  emit(type: string, event: object = {}): void {
    this.#listeners.get(type)?.(event as never);
  }

  send(): void {}
  close(): void {}
}

function connect() {
  const calls: unknown[] = [];
  const handlers = {
    onOpen: () => calls.push('open'),
    onText: (text: string) => calls.push(text),
    onClose: (code: number, reason: string) => calls.push([code, reason]),
  };
  connectWebSocket('ws://127.0.0.1:1/ws', FakeSocket)(handlers);
  return { calls, socket: FakeSocket.last };
}

test('[TRN1] a refused connection is reported as closed, although Node 22 emits only `error`', () => {
  const { calls, socket } = connect();
  socket.emit('error');
  expect(calls).toEqual([[lostCode, '']]);
  socket.emit('close', { code: lostCode, reason: '' }); // all other implementations emit this next
  expect(calls).toHaveLength(1);
});

test('[TRN1] a connection that was open is closed with the code of its `close` event', () => {
  const { calls, socket } = connect();
  socket.emit('open');
  socket.emit('error');
  socket.emit('close', { code: 1012, reason: 'restart' });
  expect(calls).toEqual(['open', [1012, 'restart']]);
});
