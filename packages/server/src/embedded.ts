import type { Principal } from '@parleyhq/core';
import { makeToken } from './auth/auth.ts';
import type { Authenticate } from './auth/embedder.ts';
import type { HostServer } from './http/shared-server.ts';
import { ParleyServer } from './server.ts';
import type { ServerOptions } from './server-options.ts';
import type { DirectHandlers, DirectLink } from './transport/direct.ts';

export interface EmbeddedOptions extends ServerOptions {
  /** Tokens of the store let in as well, and nobody else does. */
  readonly authenticate: Authenticate;
}

/** A Parley server within another's process (TRN3). */
export interface EmbeddedServer {
  /**
   * Serves below a path of an HTTP server, plain, of Express, Hono or others, and leaves the rest to the listeners that it has by then.
   * Waits until that server listens.
   * @param path - `/parley` unless it says otherwise
   * @throws Error where a plugin cannot be set up, or the path does not begin with a slash
   */
  mount(server: HostServer, path?: string): Promise<void>;
  /** An in-process connection: the same frames without a socket (TRN1). */
  connect(handlers: DirectHandlers, principal?: Principal): DirectLink;
  /** Ends the connections of a principal, as when it logged out; a new one asks `authenticate`. */
  expel(principalId: string): void;
  /** Lets clients come back later and running work finish, closes the store, and gives the HTTP server back. */
  close(): Promise<void>;
}

/**
 * Makes a Parley server that is part of another's process.
 * @throws Error where plugins or agents do not go together, naming both
 */
export function createServer(options: EmbeddedOptions): EmbeddedServer {
  if (typeof options.authenticate !== 'function') {
    throw new Error(
      'createServer: authenticate: must be a function of the request that returns { id, role } or undefined.',
    );
  }
  const server = new ParleyServer({ ...options, token: options.token ?? makeToken() }); // without one everybody would be let in
  return {
    mount: (http, path = '/parley') => server.mount(http, path),
    connect: (handlers, principal) => server.connect(handlers, principal),
    expel: (principalId) => server.expel(principalId),
    close: () => server.close(),
  };
}
