import type { Store } from '@parleyhq/core';
import { OidcPeople } from './oidc-people.ts';
import type { OidcSettings } from './oidc-settings.ts';
import type { OidcProvider } from './provider.ts';

/** Log-in at a provider (SIGN1). */
export interface Oidc {
  readonly settings: OidcSettings;
  readonly people: OidcPeople;
  /** Loads the library with the first log-in: most servers never use it. */
  provider(): Promise<OidcProvider>;
}

export function makeOidc(settings: OidcSettings, tokens: Store['tokens'], now: () => number): Oidc {
  let loaded: Promise<OidcProvider> | undefined;
  const load = async () => {
    const { OidcProvider } = await import('./provider.ts');
    return new OidcProvider(settings, now);
  };
  return {
    settings,
    people: new OidcPeople(settings, tokens, now),
    provider: () => {
      loaded ??= load();
      return loaded;
    },
  };
}
