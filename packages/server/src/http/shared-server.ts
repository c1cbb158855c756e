import type { IncomingMessage, Server as PlainServer, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { refuse } from './unadmitted-sockets.ts';

/** An HTTP server that the host application created and listens with. */
export type HostServer = PlainServer | TlsServer;

/** Handlers for Parley's part of the requests. */
export interface Tenant {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

type Listener = (...args: unknown[]) => void;

/**
 * Takes the requests below a path of another's HTTP server, with that path removed, and leaves all others to the listeners that
 * it has (TRN3).
 * @param path - such as `/parley`, or empty for all requests
 * @returns a function that restores the server's listeners
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
 * Replaces the listeners of an event by one.
 * @returns a function that restores them, once; if somebody else has replaced the listener the same way since, it does nothing
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
    if (!server.listeners(event).includes(own as Listener)) return; // restored before, or replaced by somebody else
    server.off(event, own);
    for (const listener of others) server.on(event, listener);
  };
}

/** Whether the request is below the path, which is then removed from its URL. */
function takePath(request: IncomingMessage, path: string): boolean {
  const { url = '/' } = request;
  const rest = url.slice(path.length);
  if (!url.startsWith(path) || !(rest === '' || /^[/?]/.test(rest))) return false;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return true;
}
