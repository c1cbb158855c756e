import { createHash } from 'node:crypto';
import {
  type AuthProvider,
  auth,
  computeScopeUnion,
  type Door,
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

/** What a server's settings say of its sign-in. */
export interface SignInSettings {
  /** Of a client that was registered by hand; else Parley registers itself. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** The document that describes the client: its address is the id at authorisation servers that take that. */
  readonly clientMetadataUrl?: string | undefined;
  /** The authorisation server that the client is registered at: no other one may be named. */
  readonly issuer?: string | undefined;
  /** What is asked for, instead of what the server names. */
  readonly scope?: string | undefined;
}

/** The server lets nobody in without a token, and there is none that it takes. */
export class SignInNeededError extends Error {
  override readonly name = 'SignInNeededError';

  constructor(options?: ErrorOptions) {
    super('it wants somebody to sign in', options);
  }
}

/** What came back was no sign-in; another attempt may be one. */
export class FailedSignInError extends Error {
  override readonly name = 'FailedSignInError';
}

/** Where a person signs in. */
export interface SignInPlace {
  readonly url: string;
  /** What they let the server's agents do, in the server's words. */
  readonly scope?: string | undefined;
}

/** In ms: how long a person may take. What came later is forgotten. */
const attemptMs = 24 * 60 * 60_000;
const maxAttempts = 100;

/** Signing in to one remote server: tokens for its requests, and how people get it some (AGT4). */
export class SignIn implements Door {
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

  /** For the requests of its connections. */
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
   * @param state - comes back with the browser, and only there
   * @throws Error where the server names no place to sign in, or one that is not safe
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
    if (!address) throw new Error('it names no place to sign in');
    requireSafe(address, this.#trusted);
    this.#requireIssuer(attempt.discovery);
    const { client: used, ...rest } = attempt; // a secret of the settings stays there
    const begun: Attempt = own ? rest : attempt;
    const registration = used && !own && { registered: { redirectUrl, information: used } };
    await this.#vault.change((kept) => withAttempt({ ...kept, ...registration }, hash(state), begun));
    const asked = address.searchParams.get('scope');
    return { url: address.href, ...(asked !== null && { scope: asked }) };
  }

  /**
   * What a browser brought back becomes tokens. It counts once.
   * @throws FailedSignInError in words for people
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
        expectedIssuer: metadata ? metadata.issuer : withoutSlash(issuerOf(attempt.discovery)), // an address may end in a slash
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
    for (const tell of [...this.#watchers]) tell();
  }

  /** @returns stops it @param onSignedIn - somebody signed in, whoever was asked */
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

  /** @throws Error for people */
  #requireIssuer(discovery: OAuthDiscoveryState | undefined): void {
    if (this.#isIssuer(discovery)) return;
    const { issuer } = this.#settings;
    throw new Error(`the server names the authorisation server ${issuerOf(discovery)}, and its settings ${issuer}`);
  }

  /** Whether it is the one of the settings, if they name one: its client, and the secret of that, are for it alone. */
  #isIssuer(discovery: OAuthDiscoveryState | undefined): boolean {
    const { issuer } = this.#settings;
    return issuer === undefined || withoutSlash(issuer) === withoutSlash(issuerOf(discovery));
  }

  #hear(response: Response): void {
    const { resourceMetadataUrl: metadataUrl, scope } = extractWWWAuthenticateParams(response);
    this.#challenge = { metadataUrl: metadataUrl ?? this.#challenge.metadataUrl, scope };
  }

  /** For all requests that were refused at a time. @throws SignInNeededError, or what the network says */
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

/** Whether nobody signed in anew while these were being renewed. */
function isStill({ tokens }: Kept, { refresh_token: sent }: StoredOAuthTokens): boolean {
  return tokens?.refresh_token === sent;
}

/** In characters: words of a stranger, for a person, a log and a model. */
const longestWords = 300;

function brief(said: unknown): string {
  const words = (said instanceof Error ? said.message : String(said)).replace(/\s+/g, ' ').trim();
  return words.length > longestWords ? `${words.slice(0, longestWords)} …` : words;
}

/** Another is registered next time. */
function withoutClient(kept: Kept, unknown: StoredOAuthClientInformation | undefined): Kept {
  const { client, registered, ...rest } = kept;
  const isKnown = (each: Kept['client']) => each?.information.client_id !== unknown?.client_id;
  return {
    ...rest,
    ...(client && isKnown(client) && { client }),
    ...(registered && isKnown(registered) && { registered }),
  };
}

/** @returns its own word for itself; else its address stands for it */
function issuerOf(discovery: OAuthDiscoveryState | undefined): string | undefined {
  return discovery?.authorizationServerMetadata?.issuer ?? discovery?.authorizationServerUrl;
}

function withoutSlash(address: string | undefined): string | undefined {
  return address?.replace(/\/$/, '');
}

/** What the settings say of where to sign in. */
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
