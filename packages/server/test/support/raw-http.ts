import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Sends a byte-exact request: headers that no client library would send, or would send twice. */
export function rawRequest(
  port: number,
  lines: readonly string[],
  body = '',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const finish = () => {
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text });
    };
    socket.on('error', reject);
    socket.on('end', finish);
    socket.on('data', (chunk) => {
      text += chunk;
      // these responses do not end
      if (/^HTTP\/1\.1 (101|200 [\s\S]*content-type: text\/event-stream[\s\S]*\r\n\r\n)/i.test(text)) finish();
    });
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  });
}

/** Returns the lines of a WebSocket upgrade with these headers. */
export function upgradeLines(headers: readonly string[]): string[] {
  return [
    'GET /ws HTTP/1.1',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  ];
}

/** Opens sockets that send nothing. */
export function openSockets(port: number, count: number): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    }),
  );
}

/** Closes a socket, and waits until the server has closed its end. */
export async function leave(socket: Socket): Promise<void> {
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume().end();
  await closed;
}
