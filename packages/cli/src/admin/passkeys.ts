import { type AccessToken, type Login, ownerId, ownerOf, type Passkey } from '@parleyhq/core';
import { formatMoment } from '@parleyhq/core/transcript';
import { fingerprintOfPasskey } from '@parleyhq/server';
import { toJsonLine, toLine } from '../io/line.ts';
import { print } from '../io/output.ts';
import type { DataFlags } from '../settings/flags.ts';
import type { TokenAccess } from '../store/open-store.ts';
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
 * `parley passkeys revoke <id>`: for a lost authenticator. Its holder can then add another one, which takes only a recent log-in:
 * so all log-ins of that person end first, because the lost device may have one.
 * @throws Error if there is no such passkey
 */
export function revokePasskey(id: string, flags: DataFlags): Promise<void> {
  return useTokens(flags, async (place) => {
    const { passkeys } = place;
    const passkey = (await passkeys.list()).find((each) => each.id === id);
    const ended = passkey ? await endLogins(passkey.person, place) : [];
    if (!(await passkeys.revoke(id))) throw new Error(`There is no passkey "${id}": parley passkeys lists them.`);
    const loggedOut = ended.length === 0 ? '' : `Logged out its person's browsers: ${ended.join(', ')}.\n`;
    if (!flags.json) process.stdout.write(`Revoked ${id}.\n${loggedOut}`);
  });
}

/** Ends the log-ins of a person, with any of their tokens. @returns the ids of the log-ins */
async function endLogins(person: string, { logins, tokens }: TokenAccess): Promise<readonly string[]> {
  const own = (await tokens.list()).filter((token) => ownerOf(token) === person).map((token) => token.id);
  const isOwn = ({ tokenId = ownerId }: Login) => [person, ...own].includes(tokenId);
  const ids = (await logins.list(Date.now())).filter(isOwn).map((login) => login.id);
  for (const id of ids) await logins.remove({ id });
  return ids;
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
