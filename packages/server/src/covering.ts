import { type Grant, type InteractionRequest, mayAnswer, type OpenPrompt, RefusalError } from '@parley/core';
import type { LiveSession } from './live-session.ts';
import type { Runtime } from './runtime.ts';
import { planTurn } from './turn-plan.ts';

/** In each of these sessions; all with an open prompt are in memory. */
export async function coverSessions(
  runtime: Runtime,
  lives: Iterable<Promise<{ readonly session: LiveSession }> | undefined>,
): Promise<void> {
  for (const loading of [...lives]) {
    try {
      const live = await loading;
      if (live) await coverPrompts(runtime, live.session);
    } catch (error) {
      runtime.log.warn({ error }, 'a grant could not settle what it covers');
    }
  }
}

/**
 * Answers the open prompts of a session that a person's lasting grant covers by now, each by a response of its own (APR4). What a plugin
 * granted by itself settles nothing: a response is a person's act (APR6).
 */
async function coverPrompts(runtime: Runtime, session: LiveSession): Promise<void> {
  if (!session.head.prompts.some(isCoverable)) return;
  const grants = await runtime.store.grants.list(runtime.now());
  for (const { request, state } of session.head.prompts) {
    if (!isCoverable({ request, state })) continue;
    const plugin = runtime.tools.get(request.toolName, session.head.turn?.agent)?.plugin.name;
    const fitting = grants.filter(
      (grant) =>
        grant.plugin === plugin &&
        grant.key === request.grantKey &&
        (grant.scope === 'always' || grant.sessionId === session.id),
    );
    const grant = fitting.find((each) => isAnswerTo(request, each));
    if (grant) await settle(runtime, session, request, grant);
  }
}

function isCoverable({ request, state }: Pick<OpenPrompt, 'request' | 'state'>): boolean {
  return state === 'open' && request.grantKey !== undefined;
}

/** Whether the person who gave a lasting grant could have answered this: what it is known of them is that `always` takes an operator (SEC4). */
function isAnswerTo({ audience }: InteractionRequest, { scope, by }: Grant): boolean {
  if (scope === 'once' || by === undefined) return false;
  const role = scope === 'always' ? 'operator' : 'responder';
  return mayAnswer({ id: by.principal, name: by.name, role }, audience);
}

async function settle(
  runtime: Runtime,
  session: LiveSession,
  { interactionId, toolCallId, digest }: InteractionRequest,
  { id, by, plugin, key }: Grant,
): Promise<void> {
  if (!by) return;
  const answer = { action: 'approve', reason: 'An approval that was given elsewhere covers this.' } as const;
  try {
    await session.perform(
      {
        type: 'answer',
        callId: toolCallId,
        interactionId,
        answerId: `grant:${id}`,
        digest,
        answer,
        by,
        grantId: id,
        isAllowed: true,
        isEnabled: true,
        matches: runtime.matches,
        past: undefined,
        hasLateHook: false,
        plan: planTurn(runtime, session),
      },
      { answer: { interactionId, ...answer, approvalScope: 'once', by } },
    );
    await runtime.store.grants.take(plugin, key, session.id, runtime.now()); // counts the use
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error; // a person was faster, or its deadline
  }
}
