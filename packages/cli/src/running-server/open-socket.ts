import { Duplex } from 'node:stream';
import type { FoundServer, ServerSocket } from '@parleyhq/core';
import { streamWebSocket, WebSocket } from '@parleyhq/server';
import { addressHint, tokenHint } from './running-server.ts';

const refusals: Readonly<Record<number, string>> = {
  401: `A valid token is needed. ${tokenHint}`,
  403: 'This token may only ask: a token of a person is needed.',
  404: 'This server has no such socket: it is of an older release.',
  429: 'Too many wrong tokens: wait a little.',
};

/** Opens a WebSocket of a running server. @throws Error that says why there is none */
export async function openSocket({ url, token }: FoundServer, path: string): Promise<ServerSocket> {
  const address = new URL(`${url}${path}`);
  address.protocol = address.protocol.replace('http', 'ws');
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(address, { headers, perMessageDeflate: false });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  const stream = streamWebSocket(socket);
  stream.on('error', () => undefined); // `closed` says why
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('unexpected-response', (_, { statusCode = 0 }) => {
      socket.terminate();
      reject(new Error(refusals[statusCode] ?? `The server refused the connection with status ${statusCode}.`));
    });
    socket.once('error', (cause) =>
      reject(new Error(`No server answers at ${address.host}. ${addressHint}`, { cause })),
    );
  });
  const { readable, writable } = Duplex.toWeb(stream);
  return { readable, writable, closed } as ServerSocket;
}
