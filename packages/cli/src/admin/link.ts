import { authorityOf, type ChatLink, includesRole, type LinkStore } from '@parleyhq/core';
import { formatMoment } from '@parleyhq/core/transcript';
import { hashLinkCode, linkCodeMs, makeLinkCode } from '@parleyhq/server';
import { toJsonLine, toLine } from '../io/line.ts';
import { print } from '../io/output.ts';
import type { DataFlags } from '../settings/flags.ts';
import { findTokenHolder } from './token-holder.ts';
import { useTokens } from './use-tokens.ts';

/** `parley token link <id or name>`: prints a code that links a chat account to the holder of a token, once (CHAT2). */
export function makeLink(word: string, flags: DataFlags): Promise<void> {
  return useTokens(flags, async ({ tokens, links }) => {
    const holder = findTokenHolder(word, await tokens.list());
    if (!includesRole(holder.role, 'responder'))
      throw new Error(
        `The holder of "${word}" is a ${holder.role}, who answers nothing. Create a token with --role responder, and link that.`,
      );
    const now = Date.now();
    const code = makeLinkCode();
    const expiresAt = new Date(now + linkCodeMs).toISOString();
    const made = { principal: holder.principal, credential: holder.credential, expiresAt };
    await links.addCode(hashLinkCode(code), made, authorityOf(holder.credential, now));
    const words = `Send this code to the bot, in a private chat, until ${formatMoment(expiresAt)}. It works once:\n\n  ${code}\n\nTelegram: /start ${code}\nSlack: link ${code}\n`;
    await print(
      flags.json ? toJsonLine({ code, expiresAt }) : words,
      'The code could not be written, and is not shown again: make another one.',
    );
  });
}

/** `parley token unlink <id>`. @throws Error if there is no such link */
export function endLink(id: string, flags: DataFlags): Promise<void> {
  return useTokens(flags, async ({ links }) => {
    if (!(await links.remove(id))) throw new Error(`There is no link "${id}": parley token list shows them.`);
    if (!flags.json) process.stdout.write(`Ended ${id}.\n`);
  });
}

/** Returns the links by the id of their token's holder. */
export async function readLinks(links: LinkStore): Promise<ReadonlyMap<string, readonly ChatLink[]>> {
  const byPrincipal = new Map<string, ChatLink[]>();
  for (const link of await links.list())
    byPrincipal.set(link.principal, [...(byPrincipal.get(link.principal) ?? []), link]);
  return byPrincipal;
}

/** A link as the list of tokens shows it. */
export function showLink({ id, notifier, account, createdAt }: ChatLink) {
  return { id, notifier, account, createdAt };
}

export function describeLink({ id, notifier, account, createdAt }: ChatLink): string {
  const name = account.name === undefined ? '' : ` (${account.name})`;
  return `  ${toLine(`${id}  ${notifier} account ${account.id}${name}, linked ${formatMoment(createdAt)}`)}`;
}
