import type { AccessToken, Passkey } from '@parleyhq/core';
import { formatMoment } from '@parleyhq/core/transcript';
import { fingerprintOfPasskey } from '@parleyhq/server';
import { toJsonLine, toLine } from '../io/line.ts';
import { print } from '../io/output.ts';
import type { DataFlags } from '../settings/flags.ts';
import { useTokens } from './use-tokens.ts';

/** `parley passkeys`: prints everybody's passkeys, oldest first; with `--json`, one line of JSON each. */
export function listPasskeys(flags: DataFlags): Promise<void> {
  return useTokens(flags, async ({ passkeys, tokens }) => {
    const [list, people] = [await passkeys.list(), await tokens.list()];
    const lines = list.map((passkey) => (flags.json ? toJsonLine(toShown(passkey)) : describe(passkey, people)));
    const none = flags.json ? '' : 'Nobody has a passkey.\n';
    await print(lines.join('') || none, 'The list could not be written.');
  });
}

/**
 * `parley passkeys revoke <id>`: for a lost authenticator. Its holder can then add another one.
 * @throws Error if there is no such passkey
 */
export function revokePasskey(id: string, flags: DataFlags): Promise<void> {
  return useTokens(flags, async ({ passkeys }) => {
    if (!(await passkeys.revoke(id))) throw new Error(`There is no passkey "${id}": parley passkeys lists them.`);
    if (!flags.json) process.stdout.write(`Revoked ${id}.\n`);
  });
}

function toShown(passkey: Passkey) {
  const { publicKey: _, counter: __, transports: ___, ...shown } = passkey;
  return { ...shown, fingerprint: fingerprintOfPasskey(passkey) };
}

function describe(passkey: Passkey, tokens: readonly AccessToken[]): string {
  const { id, person, name, origin, createdAt, lastUsedAt } = passkey;
  const holder = tokens.find((token) => token.id === person)?.name ?? person;
  const use = lastUsedAt === undefined ? 'never used' : `last used ${formatMoment(lastUsedAt)}`;
  return toLine(
    `${id}  ${holder}  ${name}  for ${origin}, added ${formatMoment(createdAt)}, ${use}, ${fingerprintOfPasskey(passkey)}`,
  );
}
