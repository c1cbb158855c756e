import { makeToken } from '@parleyhq/server';
import { addToken, type TokenOptions, useInFile, useInTest } from '@parleyhq/server/testing';
import { type LocalOptions, LocalServer } from './local-server.ts';
import type { Tab, TabOptions } from './tab.ts';

/** A server that requires a token. */
export class GuardedServer {
  readonly local: LocalServer;
  /** The owner's token. */
  readonly token = makeToken();

  constructor(options: LocalOptions = {}) {
    this.local = new LocalServer({ ...options, token: this.token });
  }

  start(): Promise<void> {
    return this.local.start();
  }

  get origin(): string {
    return this.local.httpUrl;
  }

  /** Creates a token in addition to the server's own, as `parley token create` does. */
  makeToken(part: TokenOptions): Promise<{ id: string; token: string }> {
    return addToken(this.local, part);
  }

  /** Opens a tab with a new token of this kind, or with the server's own. */
  async enter(part?: TokenOptions, options: TabOptions = {}): Promise<Tab> {
    const token = part ? (await this.makeToken(part)).token : this.token;
    return this.local.open({ ...options, hello: { ...options.hello, token } });
  }

  remove(): Promise<void> {
    return this.local.remove();
  }
}

/** Starts one server that requires a token, for the tests of a file, in their own process. */
export function useGuardedServer(options?: LocalOptions): GuardedServer {
  return useInFile(new GuardedServer(options));
}

/** Starts the same for one test. */
export function startGuardedServer(options?: LocalOptions): Promise<GuardedServer> {
  return useInTest(new GuardedServer(options));
}
