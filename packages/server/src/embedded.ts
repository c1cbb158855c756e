import type { Principal } from '@parleyhq/core';
import { makeToken } from './auth/auth.ts';
import type { Authenticate } from './auth/embedder.ts';
import type { DirectHandlers, DirectLink } from './connection/transport/direct.ts';
import type { HostServer } from './http/shared-server.ts';
import { ParleyServer } from './server.ts';
import type { ServerOptions } from './server-options.ts';

export interface EmbeddedOptions extends ServerOptions {
  /** Authenticates a request of the host application; besides it, only tokens from the store are accepted. */
  readonly authenticate: Authenticate;
}

/** A Parley server embedded in another process (TRN3). */
export interface EmbeddedServer {
  /**
   * Serves below a path of an HTTP server (plain Node, Express, Hono or others) and leaves all other requests to the listeners
   * that the server has at that time. Waits until that server listens.
   * @param path - default: `/parley`
   * @throws Error if a plugin cannot be set up, or the path does not begin with a slash
   */
  mount(server: HostServer, path?: string): Promise<void>;
  /** An in-process connection: the same frames without a socket (TRN1). */
  connect(handlers: DirectHandlers, principal?: Principal): DirectLink;
  /** Closes the connections of a principal, for example after a logout; a new connection calls `authenticate` again. */
  expel(principalId: string): void;
  /** Asks clients to reconnect later, lets running work finish, closes the store and detaches from the HTTP server. */
  close(): Promise<void>;
}

/**
 * Creates a Parley server embedded in this process.
 * @throws Error that names both plugins or agents if two of them conflict
 */
export function createServer(options: EmbeddedOptions): EmbeddedServer {
  if (typeof options.authenticate !== 'function') {
    throw new Error(
      'createServer: authenticate: must be a function of the request that returns { id, role } or undefined.',
    );
  }
  // without a token, everybody would be admitted
  const server = new ParleyServer({ ...options, token: options.token ?? makeToken() });
  return {
    mount: (http, path = '/parley') => server.mount(http, path),
    connect: (handlers, principal) => server.connect(handlers, principal),
    expel: (principalId) => server.expel(principalId),
    close: () => server.close(),
  };
}
