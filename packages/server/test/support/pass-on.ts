import { type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** Forwards a request to a port of this machine, as a proxy does, with these headers instead of its own. */
export function passRequest(
  { incoming, response }: { incoming: IncomingMessage; response: ServerResponse },
  port: number,
  headers: OutgoingHttpHeaders,
): void {
  const { method, url: path } = incoming;
  const upstream = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  upstream.on('error', () => response.destroy());
  response.on('close', () => upstream.destroy());
  incoming.pipe(upstream);
}

/** Forwards a WebSocket; if one side ends, so does the other. */
export function passSocket(
  { url, socket }: { url: string | undefined; socket: Duplex },
  port: number,
  headers: OutgoingHttpHeaders,
): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const upstream = connect(port, '127.0.0.1', () => {
    upstream.write(`GET ${url} HTTP/1.1\r\n${lines.join('')}\r\n`);
    upstream.pipe(socket).pipe(upstream);
  });
  for (const [one, other] of [
    [socket, upstream],
    [upstream, socket],
  ] as const)
    one.on('error', () => one.destroy()).on('close', () => other.destroy());
}
