import { type ClientFrameOf, RefusalError, type RuleSuggestion } from '@parleyhq/core';
import { onBehalfOf } from './on-behalf.ts';
import type { SessionContext } from './session-frames.ts';

/** As how many frames a list counts: a plugin judges many pairs of rules and calls for it (SEC11). */
const cost = 10;

/** Lists the rules that are suggested to the client's person: in the session, or for one of its open prompts (LESS2). @throws RefusalError `rate_limited` */
export async function listSuggestions(
  { runtime: { session }, client, services }: SessionContext,
  { interactionId }: ClientFrameOf<'list_suggestions'>,
): Promise<{ readonly suggestions: readonly RuleSuggestion[] }> {
  services.quotas.pace(client.principal, cost);
  return { suggestions: await services.suggestions.list(session, client, interactionId) };
}

/**
 * Allows a suggested rule, or remembers that the person does not want it. Only what is suggested to them at this moment can be
 * allowed, in exactly the words that its id stands for; the grant is stored in one commit with the event that says so.
 * @throws RefusalError `not_found` if it is not suggested any more
 */
export async function decideSuggestion(
  context: SessionContext,
  { suggestionId, interactionId, action, approvalScope: scope = 'session' }: ClientFrameOf<'decide_suggestion'>,
): Promise<{ readonly grantId?: string }> {
  const { runtime, client, services } = context;
  const { session } = runtime;
  const { suggestions } = services;
  if (!client.isEnabled) throw new RefusalError('interaction_disabled');
  const which = { suggestionId, ...(interactionId !== undefined && { interactionId }) };
  if (action === 'decline') {
    if (!(await suggestions.decline(session, client, which))) throw notSuggested();
    return {};
  }
  const behalf = { ...onBehalfOf(context), by: client.auditActor };
  let grantId = '';
  await session.transact(async () => {
    const { seq } = session.head;
    const found = await suggestions.grantOf(session, client, { ...which, scope });
    if (!found) throw notSuggested();
    const { grant, rule } = found;
    grantId = grant.id;
    return {
      command: { type: 'change', change: { rule, by: client.actor } },
      grants: [grant],
      isUpToDate: () => session.head.seq === seq, // a denial may have come since
      ...behalf,
    };
  });
  return { grantId };
}

function notSuggested(): RefusalError {
  return new RefusalError('not_found', { message: 'This rule is not suggested any more.' });
}
