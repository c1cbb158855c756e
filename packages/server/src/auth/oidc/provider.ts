import type { Instant } from '@parleyhq/core';
import * as client from 'openid-client';
import { type Claims, type OidcSettings, ProviderError } from './oidc-settings.ts';

/** Limits of the clocks' difference and of a response, in seconds. */
const clockToleranceS = 30;
const timeoutS = 10;

/** How long the provider's description is used, in ms; its keys are read for each log-in. */
const discoveryMs = 3_600_000;

/** How recently a person must have shown who they are if they are to do it again, in seconds. */
const freshS = 60;

/** A person as the provider states them. */
export interface Shown {
  readonly claims: Claims;
  /** When they last showed the provider who they are, perhaps long before this log-in; 0 if it does not say. */
  readonly provedAt: Instant;
}

/** What must come back from the provider; kept by the browser that was sent there. */
export interface Flow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A provider of OpenID Connect: the code flow with PKCE. The only file that imports the library. */
export class OidcProvider {
  readonly #settings: OidcSettings;
  readonly #now: () => number;
  #discovered: { readonly metadata: Promise<client.ServerMetadata>; readonly until: number } | undefined;

  constructor(settings: OidcSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /**
   * Returns where the browser goes, and what must come back.
   * @param isAgain - whether somebody who is logged in shows again who they are (SEC9)
   * @throws ProviderError
   */
  async begin(redirectUri: string, isAgain: boolean): Promise<{ readonly url: URL; readonly flow: Flow }> {
    const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
    const url = client.buildAuthorizationUrl(await this.#configure(), {
      redirect_uri: redirectUri,
      scope: this.#settings.scope ?? 'openid profile email',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...{ state, nonce },
      ...(isAgain && { prompt: 'login', max_age: String(freshS) }),
    });
    return { url, flow: { state, nonce, verifier } };
  }

  /**
   * Exchanges what the browser brought back for the person's claims: those of the ID token, whose signature is checked with the
   * provider's current keys, and of the provider's description of the person.
   * @param url - as the browser requested it, below the address that `begin` was given
   * @param isAgain - as in `begin`: the provider must then state that they showed it a moment ago
   * @throws ProviderError
   */
  async finish(url: URL, { state, nonce, verifier }: Flow, isAgain: boolean): Promise<Shown> {
    const config = await this.#configure();
    try {
      const tokens = await client.authorizationCodeGrant(config, url, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        ...(isAgain && { maxAge: freshS }),
      });
      const claims = tokens.claims();
      if (!claims) throw new Error('there is no ID token');
      const more = config.serverMetadata().userinfo_endpoint
        ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
        : {};
      return { claims: { ...more, ...claims }, provedAt: this.#instantOf(claims.auth_time) };
    } catch (cause) {
      throw new ProviderError(`The log-in at the provider failed: ${describeFault(cause)}`, { cause });
    }
  }

  /** Returns a time in seconds as an instant that is not in the future; 0 for anything else. */
  #instantOf(seconds: unknown): Instant {
    return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * 1000, this.#now()) : 0;
  }

  /** Makes a configuration without cached keys: the provider may have changed them a moment ago. */
  async #configure(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const config = new client.Configuration(
      await this.#discover(),
      clientId,
      { [client.clockTolerance]: clockToleranceS },
      clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret),
    );
    config.timeout = timeoutS;
    client.enableNonRepudiationChecks(config);
    if (isLocal(issuer)) client.allowInsecureRequests(config);
    return config;
  }

  async #discover(): Promise<client.ServerMetadata> {
    const now = this.#now();
    if (!this.#discovered || this.#discovered.until < now)
      this.#discovered = { metadata: this.#readMetadata(), until: now + discoveryMs };
    const { metadata } = this.#discovered;
    try {
      return await metadata;
    } catch (cause) {
      if (this.#discovered?.metadata === metadata) this.#discovered = undefined; // the next log-in asks again
      throw new ProviderError(`The provider's description could not be read: ${describeFault(cause)}`, { cause });
    }
  }

  async #readMetadata(): Promise<client.ServerMetadata> {
    const { issuer, clientId } = this.#settings;
    const execute = isLocal(issuer) ? [client.allowInsecureRequests] : [];
    const found = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
      execute,
      timeout: timeoutS,
    });
    return found.serverMetadata();
  }
}

/** Whether a provider is on this machine, where http is as good as https. */
function isLocal(issuer: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(issuer).hostname);
}

/** Describes an error by its codes and its message, without its cause, which may have the response with its tokens. */
function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, error: name } = error as Error & { readonly code?: unknown; readonly error?: unknown };
  return [name, code, error.message].filter((part) => typeof part === 'string').join(', ');
}
