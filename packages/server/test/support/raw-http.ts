import { connect } from 'node:net';

/** A request as a byte-exact text: headers that no client library would send, or send twice. */
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
      if (text.startsWith('HTTP/1.1 101')) finish();
    });
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  });
}

/** The lines of a WebSocket upgrade with these headers. */
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
