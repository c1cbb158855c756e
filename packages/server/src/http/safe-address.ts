import { SettingsError } from '@parleyhq/runtime';
import { isLoopback } from './origin.ts';

/**
 * Requires a token and a TLS proxy for an address that others can reach (SEC1).
 * @throws SettingsError that names what is missing
 */
export function requireSafeAddress(options: { host: string; token: string | undefined; isBehindProxy: boolean }): void {
  const { host, token, isBehindProxy } = options;
  if (isLoopback(host)) return;
  if (token === undefined) {
    throw new SettingsError(`--no-auth is for loopback only: ${host} could be reached by others. Leave --no-auth out.`);
  }
  if (!isBehindProxy) {
    throw new SettingsError(
      `${host} would be reachable without TLS. Put a TLS proxy in front of it and pass --behind-proxy.`,
    );
  }
}
