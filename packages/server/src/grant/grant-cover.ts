import {
  argsOf,
  findCall,
  gateSlot,
  giverOf,
  type InteractionRequest,
  nameRuleGrant,
  needsSeveral,
  type OpenPrompt,
  RefusalError,
  type SessionId,
} from '@parleyhq/core';
import type { Logger } from 'pino';
import type { Change } from '../session/change.ts';
import type { LiveSession } from '../session/live-session.ts';
import { GrantGoneError } from '../session/undone.ts';
import type { GivenGrant, GrantBook, Ruled } from './grant-book.ts';

type Loading = Promise<{ readonly session: LiveSession }>;

export interface GrantCoverOptions {
  readonly grants: GrantBook;
  /** The session, if it is in memory; without an id all that are. All with an open prompt are. */
  readonly live: (sessionId: SessionId | undefined) => readonly Loading[];
  readonly log: Logger;
}

/**
 * Answers open prompts that a person's lasting grant covers by now, each by a response of its own (APR4). What a plugin
 * granted by itself settles nothing: a response is a person's act (APR6).
 */
export class GrantCover {
  readonly #options: GrantCoverOptions;

  constructor(options: GrantCoverOptions) {
    this.#options = options;
  }

  follow(change: Change): void {
    for (const { sessionId } of change.grants) this.cover(sessionId);
    if (change.isForeign) return; // the node that stored it covers it
    const isAsked = !change.isRecovered && change.prompts.opened.some(isCoverable); // the grant may have come while it was asked
    if (isAsked) this.cover(change.sessionId);
  }

  /** In one session, or in all. */
  cover(sessionId: SessionId | undefined): void {
    for (const loading of this.#options.live(sessionId)) void this.#coverSession(loading);
  }

  async #coverSession(loading: Loading): Promise<void> {
    try {
      const { session } = await loading;
      for (const { request } of session.head.prompts.filter(isCoverable)) await this.#coverPrompt(session, request);
    } catch (error) {
      this.#options.log.warn({ error }, 'a grant could not settle what it covers');
    }
  }

  async #coverPrompt(session: LiveSession, request: InteractionRequest): Promise<void> {
    const { toolName, grantKey: key } = request;
    const agent = session.head.turn?.agent;
    const wanted = { toolName, key, asked: request, ruled: ruledBy(session, request) };
    const grant = await this.#options.grants.find(session.id, agent, wanted);
    if (!grant) return;
    const isGone = (await settle(session, request, grant)) === 'grant gone';
    if (isGone) await this.#coverPrompt(session, request); // another may cover it
  }
}

function isCoverable({ request, state }: OpenPrompt): boolean {
  if (needsSeveral(request)) return false; // nothing stands for a vote (TEAM3)
  return state === 'open' && (request.grantKey !== undefined || hasRules(request));
}

function hasRules({ rules }: InteractionRequest): boolean {
  return rules !== undefined && rules.length > 0;
}

/** A rule is judged by the arguments that the prompt is about. Of a handler's own prompt it must be one that this offers. */
function ruledBy({ head }: LiveSession, request: InteractionRequest): Ruled | undefined {
  const { slot, toolCallId, toolName, rules = [], args: json } = request;
  const call = findCall(head, toolCallId);
  if (!call || !hasRules(request)) return undefined;
  const args = { written: call.args, json: json === undefined ? argsOf(call) : json };
  return slot === gateSlot ? { args } : { args, keys: rules.map(({ key }) => nameRuleGrant(toolName, key)) };
}

/** The response and the use of its grant are one commit: there is neither, if the grant was taken back. */
async function settle(
  session: LiveSession,
  { interactionId, toolCallId, digest }: InteractionRequest,
  grant: GivenGrant,
): Promise<'grant gone' | undefined> {
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
        principal: giverOf(grant),
        isEnabled: true,
      },
      { usedGrants: [grant] }, // mutant: grant-count
    );
    return undefined;
  } catch (error) {
    if (error instanceof GrantGoneError) return 'grant gone';
    if (error instanceof RefusalError) return undefined; // a person was faster, or its deadline
    throw error;
  }
}
