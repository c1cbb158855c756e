import type { IncomingMessage, Server as PlainServer, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { refuse } from './unadmitted-sockets.ts';

/** An HTTP server that somebody else made and listens with. */
export type HostServer = PlainServer | TlsServer;

/** What Parley does with its part of the requests. */
export interface Tenant {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

type Listener = (...args: unknown[]) => void;

/**
 * Takes the requests below a path of another's HTTP server, without that path, and leaves all others to the listeners that it has (TRN3).
 * @param path - such as `/parley`, or empty for all of it
 * @returns gives the server back to its listeners
 */
export function shareServer(server: HostServer, path: string, tenant: Tenant): () => void {
  let isOver = false;
  const isOurs = (request: IncomingMessage) => !isOver && takePath(request, path);
  const stopRequests = divert(server, 'request', (others, request, ...rest) => {
    if (isOurs(request)) tenant.request(request, rest[0] as ServerResponse);
    else for (const listener of others) listener.call(server, request, ...rest);
  });
  const stopUpgrades = divert(server, 'upgrade', (others, request, ...rest) => {
    const [socket, head] = rest as [Duplex, Buffer];
    if (isOurs(request)) tenant.upgrade(request, socket, head);
    else if (others.length === 0) refuse(socket, 404, 'Not Found');
    else for (const listener of others) listener.call(server, request, ...rest);
  });
  return () => {
    isOver = true;
    stopRequests();
    stopUpgrades();
  };
}

/**
 * Puts one listener in place of those that an event has.
 * @returns puts them back, once; where another has taken its place the same way, it stays with that one
 */
function divert(
  server: HostServer,
  event: 'request' | 'upgrade',
  listen: (others: readonly Listener[], request: IncomingMessage, ...rest: unknown[]) => void,
): () => void {
  const others = server.listeners(event) as Listener[];
  const own = (request: IncomingMessage, ...rest: unknown[]) => listen(others, request, ...rest);
  server.removeAllListeners(event);
  server.on(event, own);
  return () => {
    if (!server.listeners(event).includes(own as Listener)) return; // given back before, or taken along
    server.off(event, own);
    for (const listener of others) server.on(event, listener);
  };
}

/** Whether the request is for below the path, which is taken off its address then. */
function takePath(request: IncomingMessage, path: string): boolean {
  const { url = '/' } = request;
  const rest = url.slice(path.length);
  if (!url.startsWith(path) || !(rest === '' || /^[/?]/.test(rest))) return false;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return true;
}
