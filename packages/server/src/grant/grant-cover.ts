import {
  type Audience,
  type Grant,
  type InteractionRequest,
  mayAnswer,
  type OpenPrompt,
  RefusalError,
} from '@parleyhq/core';
import type { Runtime } from '../runtime.ts';
import type { LiveSession } from '../session/live-session.ts';
import { planTurn } from '../session/turn-plan.ts';

/** A grant that a person gave. */
export type GivenGrant = Grant & Required<Pick<Grant, 'by'>>;

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
  for (const { request } of session.head.prompts.filter(isCoverable)) {
    const { toolName, grantKey, audience } = request;
    const grant = await findGrant(runtime, session, { toolName, key: grantKey, audience });
    if (grant) await settle(runtime, session, request, grant);
  }
}

/** What is wanted: the key of a tool's prompt or gate, and those whom it asks. */
interface Wanted {
  readonly toolName: string;
  readonly key: string | undefined;
  readonly audience?: Audience | undefined;
}

/** A lasting grant for it, of a person who could have been asked. */
export async function findGrant(
  { store, tools, now }: Pick<Runtime, 'store' | 'tools' | 'now'>,
  { id: sessionId, head }: Pick<LiveSession, 'id' | 'head'>,
  { toolName, key, audience }: Wanted,
): Promise<GivenGrant | undefined> {
  const plugin = tools.get(toolName, head.turn?.agent)?.plugin.name;
  if (plugin === undefined || key === undefined) return undefined;
  const covering = await store.grants.list(now(), { plugin, key, sessionId });
  return covering.find((grant): grant is GivenGrant => isAnswerOf(audience, grant));
}

function isCoverable({ request, state }: Pick<OpenPrompt, 'request' | 'state'>): boolean {
  return state === 'open' && request.grantKey !== undefined;
}

/** Whether the person who gave a lasting grant could have answered this: what it is known of them is that `always` takes an operator (SEC4). */
function isAnswerOf(audience: Audience | undefined, { scope, by }: Grant): boolean {
  if (scope === 'once' || by === undefined) return false;
  const role = scope === 'always' ? 'operator' : 'responder';
  return mayAnswer({ id: by.principal, name: by.name, role }, audience);
}

/** The response and the use of its grant are one commit. */
async function settle(
  runtime: Runtime,
  session: LiveSession,
  { interactionId, toolCallId, digest }: InteractionRequest,
  grant: GivenGrant,
): Promise<void> {
  const { id, by } = grant;
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
      { answer: { interactionId, ...answer, approvalScope: 'once', by }, usedGrants: [grant] }, // mutant: grant-count
    );
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error; // a person was faster, or its deadline
  }
}
