import type { Store } from '@parleyhq/core';
import { hashToken } from '@parleyhq/server';
import { SettingsError } from '../settings/settings.ts';

/**
 * Refuses a token that was created with fewer rights, even an expired one, as the server's own, which may do everything (ASK2).
 * @throws SettingsError
 */
export async function refuseLesserToken({ tokens }: Store, token: string): Promise<void> {
  const stored = await tokens.find({ hash: hashToken(token) }, 0);
  if (!stored || (stored.role === 'operator' && stored.sessions === undefined)) return;
  const { id, role, name = id } = stored;
  throw new SettingsError(
    `--token or PARLEY_TOKEN: this is the stored token "${name}", whose role is ${role}; as the server's own token it would get full access. Use another one, or unset PARLEY_TOKEN for a random one.`,
  );
}
