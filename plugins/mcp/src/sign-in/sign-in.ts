import { createHash } from 'node:crypto';
import {
  type Authentication,
  type AuthProvider,
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type FetchLike,
  isLastingRefusal,
  isUnknownClient,
  type OAuthDiscoveryState,
  readRefusal,
  refreshAuthorization,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  validateAuthorizationResponseIssuer,
} from '../connection.ts';
import { makeProvider } from './attempt-provider.ts';
import { guardFetch, requireSafe, requireSealed, type Trusted } from './guarded-fetch.ts';
import type { Attempt, Kept, Vault } from './vault.ts';

/** The settings for signing in to a server. */
export interface SignInSettings {
  /** Id of a client that was registered by hand; otherwise Parley registers itself. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** URL of a document that describes the client. Authorisation servers that support it use the URL as the client's id. */
  readonly clientMetadataUrl?: string | undefined;
  /** The authorisation server at which the client is registered: the server must not name another. */
  readonly issuer?: string | undefined;
  /** The scope to request, instead of the one that the server names. */
  readonly scope?: string | undefined;
}

/** The server requires a token, and no valid one is stored. */
export class SignInNeededError extends Error {
  override readonly name = 'SignInNeededError';

  constructor(options?: ErrorOptions) {
    super('it wants somebody to sign in', options);
  }
}

/** A sign-in failed; another attempt may succeed. */
export class FailedSignInError extends Error {
  override readonly name = 'FailedSignInError';
}

/** The page at which a person signs in. */
export interface SignInPlace {
  readonly url: string;
  /** The access that they grant, in the server's words. */
  readonly scope?: string | undefined;
}

/** How long an attempt to sign in is stored, in ms. */
const attemptMs = 24 * 60 * 60_000;
const maxAttempts = 100;

/** The sign-in of one remote server: it provides and renews tokens, and lets people sign in to get them (AGT4). */
export class SignIn implements Authentication {
  readonly #url: string;
  readonly #settings: SignInSettings;
  readonly #vault: Vault;
  readonly #trusted: Trusted;
  readonly #fetch: FetchLike;
  readonly #watchers = new Set<() => void>();
  #challenge: { readonly metadataUrl?: URL | undefined; readonly scope?: string | undefined } = {};
  #renewing: Promise<void> | undefined;

  constructor({
    url,
    settings,
    vault,
    fetch,
  }: {
    readonly url: string;
    readonly settings: SignInSettings;
    readonly vault: Vault;
    readonly fetch: FetchLike;
  }) {
    this.#url = url;
    this.#settings = settings;
    this.#vault = vault;
    this.#trusted = trustedOf(url, settings);
    this.#fetch = guardFetch(this.#trusted, fetch);
  }

  /** Provides tokens to the connections of the server. */
  get provider(): AuthProvider {
    return {
      token: async () => (await this.#vault.read()).tokens?.access_token,
      onUnauthorized: ({ response }) => {
        this.#hear(response);
        return this.#renew();
      },
    };
  }

  explain(error: unknown): unknown {
    const refusal = readRefusal(error);
    if (!refusal) return error;
    this.#challenge = { ...this.#challenge, scope: computeScopeUnion(this.#challenge.scope, refusal.scope) };
    return new SignInNeededError({ cause: error });
  }

  /**
   * Begins a sign-in.
   * @param state - a secret that comes back only with the person's browser
   * @throws Error if the server names no address to sign in at, or one that is not safe
   */
  async begin({ redirectUrl, state }: { readonly redirectUrl: string; readonly state: string }): Promise<SignInPlace> {
    requireSealed(this.#trusted.server);
    const { client, registered, tokens } = await this.#vault.read();
    const attempt: Attempt = { begunAt: Date.now(), redirectUrl };
    const own = this.#ownClient;
    const known = own ?? [registered, client].find((each) => each?.redirectUrl === redirectUrl)?.information;
    if (known) attempt.client = known;
    const provider = makeProvider(attempt, {
      state,
      clientName: 'Parley',
      clientMetadataUrl: this.#settings.clientMetadataUrl,
    });
    const scope = this.#settings.scope ?? computeScopeUnion(this.#challenge.scope, tokens?.scope);
    const wanted = { ...this.#place, ...(scope !== undefined && { scope }), forceReauthorization: true };
    await auth(provider, wanted).catch((cause: unknown) => {
      throw new Error(brief(cause), { cause });
    });
    const { address } = provider;
    if (!address) throw new Error('it names no address to sign in at');
    requireSafe(address, this.#trusted);
    this.#requireIssuer(attempt.discovery);
    const { client: used, ...rest } = attempt; // a client secret from the settings is not stored here
    const begun: Attempt = own ? rest : attempt;
    const registration = used && !own && { registered: { redirectUrl, information: used } };
    await this.#vault.change((kept) => withAttempt({ ...kept, ...registration }, hash(state), begun));
    const asked = address.searchParams.get('scope');
    return { url: address.href, ...(asked !== null && { scope: asked }) };
  }

  /**
   * Redeems what a browser brought back for tokens. Each attempt can be finished once.
   * @throws FailedSignInError with a message for people
   */
  async finish(state: string, brought: Readonly<Record<string, string>>): Promise<void> {
    const attempt = await this.#take(state);
    if (!attempt || attempt.begunAt < Date.now() - attemptMs)
      throw new FailedSignInError('It was used before, or is too old.');
    const own = this.#ownClient;
    if (own) attempt.client = own;
    const { code, iss, error, error_description: why } = brought;
    try {
      this.#requireIssuer(attempt.discovery);
      const metadata = attempt.discovery?.authorizationServerMetadata;
      validateAuthorizationResponseIssuer({
        iss: metadata ? iss : withoutSlash(iss),
        // without metadata the issuer is an address, which may end in a slash
        expectedIssuer: metadata ? metadata.issuer : withoutSlash(issuerOf(attempt.discovery)),
        issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
      });
      if (error !== undefined || code === undefined)
        throw new FailedSignInError(brief(why ?? error ?? 'It brought no code.'));
      await auth(makeProvider(attempt, { clientName: 'Parley' }), {
        ...this.#place,
        authorizationCode: code,
        ...(iss !== undefined && { iss }),
      });
    } catch (cause) {
      if (isUnknownClient(cause)) await this.#vault.change((kept) => withoutClient(kept, attempt.client));
      if (cause instanceof FailedSignInError) throw cause;
      throw new FailedSignInError(brief(cause), { cause });
    }
    const { tokens, discovery, client, redirectUrl } = attempt;
    await this.#vault.change((kept) => ({
      ...kept,
      ...(client && !own && { client: { redirectUrl, information: client } }),
      ...(tokens && { tokens }),
      ...(discovery && { discovery }),
    }));
    this.#challenge = {};
    for (const notify of [...this.#watchers]) notify();
  }

  /** Watches for sign-ins. @param onSignedIn - called when anybody has signed in @returns a function that stops watching */
  watch(onSignedIn: () => void): () => void {
    this.#watchers.add(onSignedIn);
    return () => void this.#watchers.delete(onSignedIn);
  }

  get #place() {
    const { metadataUrl } = this.#challenge;
    return { serverUrl: this.#url, fetchFn: this.#fetch, ...(metadataUrl && { resourceMetadataUrl: metadataUrl }) };
  }

  get #ownClient() {
    const { clientId, clientSecret, issuer } = this.#settings;
    if (clientId === undefined) return undefined;
    return {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...(issuer !== undefined && { issuer }),
    };
  }

  /** @throws Error with a message for people, if the server names another issuer than the settings */
  #requireIssuer(discovery: OAuthDiscoveryState | undefined): void {
    if (this.#isIssuer(discovery)) return;
    const { issuer } = this.#settings;
    throw new Error(`the server names the authorisation server ${issuerOf(discovery)}, and its settings ${issuer}`);
  }

  /** Whether the issuer matches the settings, if they name one: the client and its secret must not be sent to another. */
  #isIssuer(discovery: OAuthDiscoveryState | undefined): boolean {
    const { issuer } = this.#settings;
    return issuer === undefined || withoutSlash(issuer) === withoutSlash(issuerOf(discovery));
  }

  #hear(response: Response): void {
    const { resourceMetadataUrl: metadataUrl, scope } = extractWWWAuthenticateParams(response);
    this.#challenge = { metadataUrl: metadataUrl ?? this.#challenge.metadataUrl, scope };
  }

  /** Renews the tokens once for all requests that fail at the same time. @throws SignInNeededError, or network errors */
  #renew(): Promise<void> {
    this.#renewing ??= this.#refresh().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #refresh(): Promise<void> {
    const { tokens, discovery, client } = await this.#vault.read();
    const information = this.#ownClient ?? client?.information;
    if (!tokens?.refresh_token || !discovery || !information || !this.#isIssuer(discovery))
      throw new SignInNeededError();
    const resource = discovery.resourceMetadata?.resource;
    let renewed: StoredOAuthTokens;
    try {
      renewed = await refreshAuthorization(discovery.authorizationServerUrl, {
        clientInformation: information,
        refreshToken: tokens.refresh_token,
        fetchFn: this.#fetch,
        ...(discovery.authorizationServerMetadata && { metadata: discovery.authorizationServerMetadata }),
        ...(resource !== undefined && { resource }),
      });
    } catch (cause) {
      if (!isLastingRefusal(cause)) throw cause;
      let isNeeded = false;
      await this.#vault.change((kept) => {
        isNeeded = isStill(kept, tokens);
        const { tokens: _, ...rest } = isUnknownClient(cause) ? withoutClient(kept, information) : kept;
        return isNeeded ? rest : kept;
      });
      if (isNeeded) throw new SignInNeededError({ cause });
      return;
    }
    const { issuer, scope } = tokens;
    const next = { ...(scope !== undefined && { scope }), ...renewed, ...(issuer !== undefined && { issuer }) };
    await this.#vault.change((kept) => (isStill(kept, tokens) ? { ...kept, tokens: next } : kept));
  }

  async #take(state: string): Promise<Attempt | undefined> {
    const key = hash(state);
    let taken: Attempt | undefined;
    await this.#vault.change((kept) => {
      const { [key]: found, ...attempts } = kept.attempts ?? {};
      taken = found;
      return { ...kept, attempts };
    });
    return taken;
  }
}

/** Whether these tokens are still stored, so that nobody signed in again while they were being renewed. */
function isStill({ tokens }: Kept, { refresh_token: sent }: StoredOAuthTokens): boolean {
  return tokens?.refresh_token === sent;
}

/** Maximum length, in characters, of text from another server that is shown to people, logs and models. */
const longestWords = 300;

function brief(said: unknown): string {
  const words = (said instanceof Error ? said.message : String(said)).replace(/\s+/g, ' ').trim();
  return words.length > longestWords ? `${words.slice(0, longestWords)} …` : words;
}

/** Removes an unknown client, so that the next sign-in registers a new one. */
function withoutClient(kept: Kept, unknown: StoredOAuthClientInformation | undefined): Kept {
  const { client, registered, ...rest } = kept;
  const isKnown = (each: Kept['client']) => each?.information.client_id !== unknown?.client_id;
  return {
    ...rest,
    ...(client && isKnown(client) && { client }),
    ...(registered && isKnown(registered) && { registered }),
  };
}

/** @returns the issuer from the metadata, else the address of the authorisation server */
function issuerOf(discovery: OAuthDiscoveryState | undefined): string | undefined {
  return discovery?.authorizationServerMetadata?.issuer ?? discovery?.authorizationServerUrl;
}

function withoutSlash(address: string | undefined): string | undefined {
  return address?.replace(/\/$/, '');
}

/** Returns the trusted addresses from the settings. */
export function trustedOf(url: string, { issuer }: SignInSettings): Trusted {
  return { server: new URL(url), ...(issuer !== undefined && { issuer: new URL(issuer) }) };
}

function withAttempt(kept: Kept, key: string, attempt: Attempt): Kept {
  const recent = Object.entries(kept.attempts ?? {}).filter(([, { begunAt }]) => begunAt > Date.now() - attemptMs);
  return { ...kept, attempts: Object.fromEntries([...recent.slice(1 - maxAttempts), [key, attempt]]) };
}

function hash(state: string): string {
  return createHash('sha256').update(state).digest('base64url');
}
