import type { FoundServer, ServerSocket } from '@parleyhq/core';
import { WebSocket } from '@parleyhq/server';
import { addressHint, tokenHint } from './running-server.ts';

const refusals: Readonly<Record<number, string>> = {
  401: `A valid token is needed. ${tokenHint}`,
  403: 'This token may only ask: a token of a person is needed.',
  404: 'This server has no such socket: it is of an older release.',
  429: 'Too many wrong tokens: wait a little.',
};

/** Close code of a WebSocket that ends because it is no longer needed (RFC 6455). */
const normalClosure = 1000;

/** Opens a WebSocket of a running server. @throws Error that says why there is none */
export async function openSocket({ url, token }: FoundServer, path: string): Promise<ServerSocket> {
  const address = new URL(`${url}${path}`);
  address.protocol = address.protocol.replace('http', 'ws');
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(address, { headers, perMessageDeflate: false });
  const closed: ServerSocket['closed'] = new Promise((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  const streams = { readable: readFrom(socket), writable: writeTo(socket) };
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('unexpected-response', (_, { statusCode = 0 }) => {
      reject(new Error(refusals[statusCode] ?? `The server refused the connection with status ${statusCode}.`));
      socket.terminate();
    });
    // a later error is followed by the close
    socket.on('error', (cause) => reject(new Error(`No server answers at ${address.host}. ${addressHint}`, { cause })));
  });
  return { ...streams, closed };
}

/** Reads from the socket no faster than its messages are taken. */
function readFrom(socket: WebSocket): ReadableStream<string> {
  let isOver = false;
  return new ReadableStream({
    start(controller) {
      socket.on('message', (data) => {
        if (isOver) return;
        controller.enqueue(String(data));
        if ((controller.desiredSize ?? 0) <= 0) socket.pause();
      });
      socket.once('close', () => {
        if (!isOver) controller.close();
        isOver = true;
      });
    },
    pull: () => socket.resume(),
    cancel() {
      isOver = true;
      socket.terminate();
    },
  });
}

function writeTo(socket: WebSocket): WritableStream<string> {
  return new WritableStream({
    write: (text) =>
      new Promise((resolve, reject) => {
        socket.send(text, (error) => (error ? reject(error) : resolve()));
      }),
    close: () => socket.close(normalClosure),
    abort: () => socket.terminate(),
  });
}
