import { connect as connectSocket } from 'node:net';
import { WebSocket } from 'ws';
import type { Address } from './address.ts';

/** Limit of a message in bytes: a resumed session has all its turns in one. */
const maxMessageBytes = 512 * 1024 * 1024;

/** How long an app server may take to accept the connection, in ms. */
const openMs = 10_000;

export interface ConnectionHandlers {
  onOpen(send: (message: object) => void): void;
  onMessage(message: unknown): void;
}

/**
 * Speaks with an app server until the connection ends. Each text frame is one JSON message, without `jsonrpc`.
 * @param signal - closes the connection
 * @returns once it is closed, whether it was open, and what went wrong
 */
export async function runConnection(
  address: Address,
  signal: AbortSignal,
  { onOpen, onMessage }: ConnectionHandlers,
): Promise<{ readonly wasOpen: boolean; readonly fault: Error | undefined }> {
  const options = { handshakeTimeout: openMs, maxPayload: maxMessageBytes, perMessageDeflate: false };
  const socket =
    address.type === 'url'
      ? new WebSocket(address.url, options)
      : new WebSocket('ws://localhost/', { ...options, createConnection: () => connectSocket(address.path) });
  let wasOpen = false;
  let fault: Error | undefined;
  socket.on('open', () => {
    wasOpen = true;
    onOpen((message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    });
  });
  socket.on('message', (data, isBinary) => {
    const message = isBinary ? undefined : parse(String(data));
    if (message !== undefined) onMessage(message);
  });
  socket.on('error', (error) => {
    fault = error; // the end of the connection follows
  });
  const close = () => socket.terminate();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  await new Promise((resolve) => socket.once('close', resolve));
  signal.removeEventListener('abort', close);
  return { wasOpen, fault };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no message of an app server
  }
}
