import type { InteractionRequest, Notification } from '@parleyhq/core';
import type { Tickets } from '../../auth/ticket.ts';
import type { Target } from './target.ts';

/**
 * Returns a one-time link to one prompt, for one person (NTF3). Undefined at high risk, for prompts that cannot be allowed once or
 * need a passkey, and if the notification is about several prompts, because it would be unclear which one the link opens. The key is in the URL
 * fragment, so it is in no request, log or `Referer`.
 * @param target.since - when the token of its person was created
 */
export function makeOneTimeLink(
  tickets: Pick<Tickets, 'sign'>,
  target: Pick<Target, 'id' | 'principal'> & { readonly since?: string | undefined },
  { news, prompt }: { readonly news: Notification; readonly prompt: InteractionRequest },
): string | undefined {
  const { risk, stepUp, approvalScopes: scopes = ['once'] } = prompt;
  const { sessionId, count, url } = news;
  if (risk === 'high' || stepUp || count !== 1 || !scopes.includes('once')) return undefined;
  const { id, principal, since } = target;
  const key = tickets.sign('card', { ...prompt, target: id, principal: principal.id, since, sessionId });
  return new URL(`/once#${key}`, url).href;
}
