import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

export const client = { clientId: 'parley', clientSecret: 'the-secret-of-the-client' };

/**
 * A real provider of OpenID Connect at which whoever comes is logged in as `person` without being asked anything. It is another site
 * than the server, whose address is a number.
 */
export class TestProvider {
  readonly #server: Server;
  #provider: Provider | undefined;
  #redirectUri = '';
  /** The claims of whoever logs in next. */
  person: Record<string, unknown> & { sub: string } = { sub: 'ann' };
  /** Whether ID tokens state when the person was asked, if the server does not demand it. */
  statesTime = true;
  /** Called when an ID token has been issued, which lasts ten minutes. */
  onIssued: () => void = () => {};
  /** What it waits for before it issues a token. */
  issuesAfter: Promise<void> = Promise.resolve();
  /** What the provider is asked at each log-in. */
  readonly asked: URLSearchParams[] = [];
  /** How many codes were exchanged for tokens, or were to be. */
  exchanged = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<TestProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TestProvider(server);
  }

  get issuer(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Knows the server that sends people here. @param url - its address */
  expect(url: string): void {
    this.#redirectUri = `${url}/api/login/oidc/return`;
    this.rotateKeys();
  }

  /** Signs with another key from now on, and forgets the one before. */
  rotateKeys(): void {
    this.#provider = new Provider(this.issuer, this.#configure());
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #configure(): Configuration {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' } as JsonWebKey;
    return {
      clients: [
        {
          client_id: client.clientId,
          client_secret: client.clientSecret,
          redirect_uris: [this.#redirectUri],
          token_endpoint_auth_method: 'client_secret_post',
          require_auth_time: this.statesTime,
        },
      ],
      jwks: { keys: [key as never] },
      cookies: { keys: ['a key of the test'] },
      claims: {
        openid: ['sub'],
        profile: ['name', 'preferred_username', 'groups', 'roles', 'realm_access', 'admin'],
        email: ['email', 'email_verified'],
      },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...this.person, sub }) }),
      pkce: { required: () => true },
      ttl: { Interaction: 6000, Session: 6000, Grant: 6000, AccessToken: 6000, IdToken: 600 },
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider;
    if (!provider) throw new Error('the provider expects nobody yet');
    const url = new URL(request.url ?? '', this.issuer);
    if (url.pathname === '/auth') this.asked.push(url.searchParams);
    if (url.pathname === '/token') {
      this.exchanged += 1;
      await this.issuesAfter;
      response.once('finish', () => this.onIssued());
    }
    if (!url.pathname.startsWith('/interaction/')) return void provider.callback()(request, response);
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      await provider.interactionFinished(request, response, { login: { accountId: this.person.sub } });
      return;
    }
    const grant = new provider.Grant({ accountId: session?.accountId, clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly host: string;
  readonly path: string;
  readonly isStrict: boolean;
}

/**
 * Follows redirects and keeps cookies as a browser does when somebody clicks a link: for each host and path, whatever the port. Once another
 * site has redirected it, cookies with `SameSite=Strict` stay behind. TLS ends in front of all servers.
 */
export class LinkBrowser {
  #cookies: readonly Cookie[] = [];

  /** Follows a link of the page to its end, or until `stopAt` says so. @returns the address and the response there */
  async follow(
    from: string,
    stopAt: (url: URL) => boolean = () => false,
  ): Promise<{ readonly url: URL; readonly response: Response }> {
    let isSameSite = true;
    for (let url = new URL(from); ; ) {
      const response = await this.get(url, {}, isSameSite);
      const location = response.headers.get('location');
      if (location === null) return { url, response };
      const next = new URL(location, url);
      isSameSite &&= next.hostname === url.hostname;
      url = next;
      if (stopAt(url)) return { url, response };
    }
  }

  async get(url: string | URL, init: RequestInit = {}, isSameSite = true): Promise<Response> {
    const headers = { cookie: this.cookiesFor(url, isSameSite), ...(init.headers as Record<string, string>) };
    const plain = new URL(url);
    plain.protocol = 'http:';
    const response = await fetch(plain, { redirect: 'manual', ...init, headers });
    for (const cookie of response.headers.getSetCookie()) this.#keep(plain, cookie);
    return response;
  }

  /** Returns what a request has as its header. @param isSameSite - whether our own page caused it */
  cookiesFor(url: string | URL, isSameSite = true): string {
    const { hostname, pathname } = new URL(url);
    const isFor = ({ host, path }: Cookie) => host === hostname && isBelow(pathname, path);
    const sent = this.#cookies.filter((each) => isFor(each) && (isSameSite || !each.isStrict));
    return sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  /** Another browser with the same cookies, or with those whose names begin with `prefix`. */
  copy(prefix = ''): LinkBrowser {
    const other = new LinkBrowser();
    other.#cookies = this.#cookies.filter(({ name }) => name.startsWith(prefix));
    return other;
  }

  #keep({ hostname: host, pathname }: URL, cookie: string): void {
    const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim());
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const has = (wanted: RegExp) => attributes.some((each) => wanted.test(each));
    if (/^__(Secure|Host)-/.test(name) && !has(/^secure$/i)) throw new Error(`browsers refuse ${cookie}`);
    const given = attributes.find((each) => /^path=\//i.test(each))?.slice('path='.length);
    const path = given ?? (pathname.slice(0, pathname.lastIndexOf('/')) || '/');
    const isOther = (each: Cookie) => each.name !== name || each.host !== host || each.path !== path;
    this.#cookies = this.#cookies.filter(isOther);
    const isGone = has(/^(max-age=0|expires=thu, 01 jan 1970)/i);
    if (!isGone) this.#cookies = [...this.#cookies, { name, value, host, path, isStrict: has(/^samesite=strict$/i) }];
  }
}

/** Whether a path is another or below it, as browsers compare those of cookies. */
function isBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(parent.endsWith('/') ? parent : `${parent}/`);
}
