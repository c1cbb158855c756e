import { randomUUID } from 'node:crypto';
import type { AccessToken } from '@parleyhq/core';
import { hashToken, makeToken, type ServerOptions } from '@parleyhq/server';
import { LocalServer } from './local-server.ts';
import type { Tab } from './tab.ts';

/** A server that lets nobody in without a token. */
export class GuardedServer {
  readonly local: LocalServer;
  readonly #ownToken: string;

  private constructor(local: LocalServer, token: string) {
    this.local = local;
    this.#ownToken = token;
  }

  static async start(options: Partial<ServerOptions> = {}): Promise<GuardedServer> {
    const token = makeToken();
    return new GuardedServer(await LocalServer.start({ ...options, token }), token);
  }

  get origin(): string {
    return `http://127.0.0.1:${this.local.port}`;
  }

  /** The server's own token. */
  get token(): string {
    return this.#ownToken;
  }

  /** A token beside the server's own, as `parley token create` makes one. */
  async makeToken(part: Partial<AccessToken> & Pick<AccessToken, 'role'>): Promise<{ id: string; token: string }> {
    const token = makeToken();
    const id = randomUUID();
    await this.local.store.tokens.add(hashToken(token), { id, createdAt: new Date().toISOString(), ...part });
    return { id, token };
  }

  /** A tab whose holder has a token of this kind; without one, the owner's. */
  async enter(
    part?: Partial<AccessToken> & Pick<AccessToken, 'role'>,
    options: Parameters<typeof Tab.open>[1] = {},
  ): Promise<Tab> {
    const token = part ? (await this.makeToken(part)).token : this.#ownToken;
    return this.local.open({ ...options, hello: { ...options.hello, token } });
  }

  remove(): Promise<void> {
    return this.local.remove();
  }
}
