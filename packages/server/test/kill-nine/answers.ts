import type { Answer, InteractionRequest } from '@parleyhq/core';

/** The title of an approval that everybody denies. */
export const refused = 'refused';

/** Prompts that nobody answers in time: their tools test the deadline. */
const ignored: ReadonlySet<string> = new Set(['mood', 'verdict', 'quick']);

/** Returns a client's answer to a prompt; undefined if it does not answer now. */
export function answerTo(
  request: InteractionRequest,
  who: string,
  { isPending, isIdle }: { isPending: boolean; isIdle: boolean },
): Answer | undefined {
  if (isPending && !isIdle) return undefined; // late answers come after the turn
  if (request.title === 'covered') return undefined; // the approval for the session must settle it
  const approvalScope = request.grantKey === undefined ? 'once' : 'session';
  if (request.interactionType === 'approval')
    return request.title === refused ? { action: 'deny' } : { action: 'approve', approvalScope };
  const [field] = request.inputSchema?.fields ?? [];
  if (!field || (ignored.has(field.id) && !isPending)) return undefined;
  const isFirst = field.id === 'second' && request.attempt === 1;
  return { action: 'submit', input: { [field.id]: `${field.id} of ${who}${isFirst ? ', again' : ''}` } };
}
