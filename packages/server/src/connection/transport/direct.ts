import type { CloseCode, Connection, ConnectionId, FrameBatch, Principal } from '@parleyhq/core';
import { Gateway, type GatewayOptions } from '../gateway.ts';

/** The client's end of an in-process link. */
export interface DirectLink {
  send(text: string): void;
  close(): void;
}

export interface DirectHandlers {
  onMessage(text: string): void;
  onClose(code: number, reason: string): void;
}

/** Connects in process: the same frames without a socket, for embedders and tests (TRN1). */
export function connectDirect(
  options: GatewayOptions,
  id: ConnectionId,
  handlers: DirectHandlers,
  principal?: Principal,
): DirectLink {
  let isOpen = true;
  const end = (code: number, reason: string) => {
    if (!isOpen) return;
    isOpen = false;
    void gateway.disconnect();
    setImmediate(() => handlers.onClose(code, reason));
  };
  const connection: Connection = {
    id,
    send: (batch: FrameBatch) =>
      setImmediate(() => {
        if (isOpen) for (const text of batch.texts) handlers.onMessage(text);
      }),
    drained: () => new Promise((resolve) => setImmediate(resolve)),
    close: (code: CloseCode, reason = '') => setImmediate(() => end(code, reason)),
  };
  const gateway = new Gateway(options, connection, {
    transport: 'direct',
    address: 'direct',
    admission: principal && { principal, credential: {} }, // the embedding application vouches for it
  });
  return {
    send: (text) => setImmediate(() => isOpen && gateway.receive(text)),
    close: () => end(1000, ''),
  };
}
