import type { Answer, InteractionRequest } from '@parleyhq/core';

/** Prompts that nobody answers in time: their deadline has its own story. */
const ignored: ReadonlySet<string> = new Set(['mood', 'verdict', 'quick']);

/** What a person answers to a prompt, or undefined while they leave it alone. */
export function answerTo(
  request: InteractionRequest,
  who: string,
  { isPending, isIdle }: { isPending: boolean; isIdle: boolean },
): Answer | undefined {
  if (isPending && !isIdle) return undefined; // late answers come when the turn is over
  if (request.title === 'covered') return undefined; // what was allowed for the session is to answer it
  const approvalScope = request.grantKey === undefined ? 'once' : 'session';
  if (request.interactionType === 'approval') return { action: 'approve', approvalScope };
  const [field] = request.inputSchema?.fields ?? [];
  if (!field || (ignored.has(field.id) && !isPending)) return undefined;
  const isFirst = field.id === 'second' && request.attempt === 1;
  return { action: 'submit', input: { [field.id]: `${field.id} of ${who}${isFirst ? ', again' : ''}` } };
}
