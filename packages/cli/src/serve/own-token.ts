import type { Store } from '@parleyhq/core';
import { hashToken } from '@parleyhq/server';
import { SettingsError } from '../settings/settings.ts';

/**
 * The server's own token may do everything: one that was given out for less must not become it, not even after its time (ASK2).
 * @throws SettingsError
 */
export async function refuseLesserToken({ tokens }: Store, token: string): Promise<void> {
  const stored = await tokens.find({ hash: hashToken(token) }, 0);
  if (!stored || (stored.role === 'operator' && stored.sessions === undefined)) return;
  const { id, role, name = id } = stored;
  throw new SettingsError(
    `--token or PARLEY_TOKEN: this is the token "${name}", whose role is ${role}; as the server's own it could do everything. Take another, or none (unset PARLEY_TOKEN) for a random one.`,
  );
}
