import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { LocalHttp } from '@parleyhq/server/testing';

interface Code {
  readonly clientId: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

/** An authorisation server with metadata, registration, PKCE and refreshed tokens, which lets everybody in. */
export class AuthorisationServer extends LocalHttp {
  readonly #clients = new Map<string, readonly string[]>();
  readonly #codes = new Map<string, Code>();
  readonly #refreshTokens = new Set<string>();
  readonly #accessTokens = new Set<string>();
  /** The paths of all requests. */
  readonly asked: string[] = [];
  /** The authorisation endpoint in its metadata, if not its own. */
  authorizeAt: string | undefined;
  /** The URL of a client's document, if it supports those: such a client may use any redirect URL. */
  documentAt: string | undefined;
  /** The issuer that its responses name, if not itself. */
  answersAs: string | undefined;

  /** The redirect URLs of all registered clients. */
  get redirectUris(): string[] {
    return [...this.#clients.values()].flat();
  }

  accepts(token: string | undefined): boolean {
    return token !== undefined && this.#accessTokens.has(token);
  }

  /** Expires the access tokens. @param isForGood also expires the refresh tokens */
  expire({ isForGood = false } = {}): void {
    this.#accessTokens.clear();
    if (isForGood) this.#refreshTokens.clear();
  }

  /** Visits an address as a browser does. @returns the address to which it is redirected */
  async visit(url: string): Promise<URL> {
    const response = await fetch(url, { redirect: 'manual' });
    return new URL(response.headers.get('location') ?? '');
  }

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.origin);
    this.asked.push(url.pathname);
    const body = await text(request);
    const reply = this.#reply(url, body);
    if (reply instanceof URL) response.writeHead(302, { location: reply.href }).end();
    else response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
  }

  #reply(url: URL, body: string): URL | { status: number; body: object } {
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server':
        return { status: 200, body: this.#metadata };
      case '/register': {
        const metadata = JSON.parse(body) as { redirect_uris: string[] };
        const clientId = randomUUID();
        this.#clients.set(clientId, metadata.redirect_uris);
        return { status: 201, body: { ...metadata, client_id: clientId } };
      }
      case '/authorize':
        return this.#authorise(url.searchParams);
      case '/token':
        return this.#giveTokens(new URLSearchParams(body));
      default:
        return { status: 404, body: {} };
    }
  }

  get #metadata() {
    return {
      issuer: this.origin,
      authorization_endpoint: this.authorizeAt ?? `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      registration_endpoint: `${this.origin}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: this.documentAt !== undefined,
    };
  }

  #authorise(query: URLSearchParams): URL | { status: number; body: object } {
    const clientId = query.get('client_id') ?? '';
    const redirectUri = query.get('redirect_uri') ?? '';
    const isKnown = clientId === this.documentAt || this.#clients.get(clientId)?.includes(redirectUri);
    if (!isKnown) return { status: 400, body: { error: 'invalid_client' } };
    const code = randomUUID();
    this.#codes.set(code, { clientId, redirectUri, challenge: query.get('code_challenge') ?? '' });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    back.searchParams.set('iss', this.answersAs ?? this.origin);
    return back;
  }

  #giveTokens(query: URLSearchParams): { status: number; body: object } {
    const isRefresh = query.get('grant_type') === 'refresh_token';
    const isAllowed = isRefresh ? this.#refreshTokens.delete(query.get('refresh_token') ?? '') : this.#redeem(query);
    if (!isAllowed) return { status: 400, body: { error: 'invalid_grant' } };
    const tokens = { access_token: `at-${randomUUID()}`, refresh_token: `rt-${randomUUID()}` };
    this.#accessTokens.add(tokens.access_token);
    this.#refreshTokens.add(tokens.refresh_token);
    return { status: 200, body: { ...tokens, token_type: 'Bearer', expires_in: 3600 } };
  }

  /** Redeems a code once, for a client that knows the verifier of its challenge. */
  #redeem(query: URLSearchParams): boolean {
    const code = this.#codes.get(query.get('code') ?? '');
    this.#codes.delete(query.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(query.get('code_verifier') ?? '')
      .digest('base64url');
    return (
      code !== undefined &&
      code.clientId === query.get('client_id') &&
      code.redirectUri === query.get('redirect_uri') &&
      code.challenge === challenge
    );
  }
}
