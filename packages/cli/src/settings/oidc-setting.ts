import type { OidcSettings } from '@parleyhq/server';
import * as z from 'zod';
import { fillFromEnvironment } from './from-environment.ts';

const text = z.string('must be a string').min(1, 'must not be empty');
const role = z.enum(['viewer', 'responder', 'operator'], 'must be "viewer", "responder" or "operator"');
const local = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$)/;

/** Log-in at a provider of OpenID Connect (SIGN1). */
export const oidcSchema = z.strictObject({
  issuer: z
    .url('must be an address, as https://login.example.org')
    .refine((url) => url.startsWith('https://') || local.test(url), 'must begin with https://, except on this machine'),
  clientId: text,
  clientSecret: z
    .union([text, z.strictObject({ env: text })], { error: 'must be a string, or { "env": "NAME" }' })
    .exactOptional(),
  name: text.max(60).exactOptional(),
  scope: text.regex(/(^| )openid( |$)/, 'must contain "openid"').exactOptional(),
  roles: z
    .record(text, role, 'must hold a role by claim')
    .refine((roles) => Object.keys(roles).length > 0, 'must have a role, or nobody could log in'),
  nameClaim: text.exactOptional(),
  loginMs: z
    .int()
    .positive('must be a whole number of milliseconds above 0')
    .max(400 * 86_400_000, 'must be at most 400 days, as browsers keep cookies no longer')
    .exactOptional(),
});

/** @throws SettingsError if the secret's variable is not set */
export function fillOidc(
  oidc: z.infer<typeof oidcSchema> | undefined,
  env: Readonly<Record<string, string | undefined>>,
): OidcSettings | undefined {
  return oidc && (fillFromEnvironment(oidc, env, 'oidc') as OidcSettings);
}
