import type { OAuthClientProvider } from '../connection.ts';
import type { Attempt } from './vault.ts';

/** Gives the SDK access to the state of one sign-in. Other sign-ins and the current tokens are not affected. */
export function makeProvider(
  attempt: Attempt,
  {
    state,
    clientName,
    clientMetadataUrl,
  }: { readonly state?: string; readonly clientName: string; readonly clientMetadataUrl?: string | undefined },
): OAuthClientProvider & { readonly address: URL | undefined } {
  let address: URL | undefined;
  return {
    redirectUrl: attempt.redirectUrl,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    clientMetadata: {
      client_name: clientName,
      redirect_uris: [attempt.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    ...(state !== undefined && { state: () => state }),
    clientInformation: () => attempt.client,
    saveClientInformation: (information) => {
      attempt.client = information;
    },
    tokens: () => attempt.tokens,
    saveTokens: (tokens) => {
      attempt.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      address = url;
    },
    get address() {
      return address;
    },
    saveCodeVerifier: (verifier) => {
      attempt.verifier = verifier;
    },
    codeVerifier: () => attempt.verifier ?? '',
    discoveryState: () => attempt.discovery,
    saveDiscoveryState: (discovery) => {
      attempt.discovery = discovery;
    },
  };
}
