import {
  type AnswerCommand,
  argsOf,
  findCall,
  giverOf,
  type InteractionRequest,
  needsSeveral,
  type OpenPrompt,
  RefusalError,
  ruleOfUse,
  type SessionId,
} from '@parleyhq/core';
import type { Logger } from 'pino';
import type { Change } from '../session/change.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { type GivenGrant, type GrantService, type Ruled, takesRules } from './grant-service.ts';

type Loading = Promise<{ readonly session: SessionWriter }>;

export interface GrantCoverOptions {
  readonly grants: GrantService;
  /** Returns the sessions with a prompt that `mayBeCovered`, or only the one with this id if it has one. */
  readonly findCoverable: (id: SessionId | undefined) => Iterable<SessionId>;
  readonly open: (id: SessionId) => Loading;
  readonly log: Logger;
}

/**
 * Answers open prompts that a person's lasting grant covers, each with its own response (APR4). Grants that a plugin gave itself
 * settle nothing because a response is a person's act (APR6).
 */
export class GrantCover {
  readonly #options: GrantCoverOptions;

  constructor(options: GrantCoverOptions) {
    this.#options = options;
  }

  follow(change: Change): void {
    for (const { sessionId } of change.grants) this.cover(sessionId);
    if (change.isForeign) return; // the node that stored it covers it
    // the grant may have been given while it was asked
    const isAsked = !change.isRecovered && change.prompts.opened.some(isCoverable);
    if (isAsked) this.cover(change.sessionId);
  }

  /** Covers the open prompts of one session, or of all. */
  cover(sessionId: SessionId | undefined): void {
    void this.#coverSessions(this.#options.findCoverable(sessionId));
  }

  /** One after the other, because there may be thousands. */
  async #coverSessions(ids: Iterable<SessionId>): Promise<void> {
    for (const id of ids) await this.#coverSession(id);
  }

  async #coverSession(id: SessionId): Promise<void> {
    try {
      const { session } = await this.#options.open(id);
      for (const { request } of session.head.prompts.filter(isCoverable)) await this.#coverPrompt(session, request);
    } catch (error) {
      this.#options.log.warn({ error }, 'a grant could not answer the prompts that it covers');
    }
  }

  /** Stores the response and the use of its grant in one commit: if the grant was revoked, another one may cover the prompt. */
  async #coverPrompt(session: SessionWriter, request: InteractionRequest): Promise<void> {
    const { toolName, grantKey: key } = request;
    try {
      await session.transact(async () => {
        const agent = session.head.turn?.agent;
        const wanted = { toolName, key, asked: request, ruled: ruledBy(session, request) };
        const grant = await this.#options.grants.find(session.id, agent, wanted);
        if (!grant) return undefined;
        return { command: toAnswer(request, grant), usedGrants: [grant] }; // mutant: grant-count
      });
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error; // else a person or the deadline came first
    }
  }
}

function isCoverable({ request, state }: OpenPrompt): boolean {
  return state === 'open' && mayBeCovered(request);
}

/** Whether a grant may answer a request; none replaces a vote (TEAM3). */
export function mayBeCovered(request: InteractionRequest): boolean {
  return !needsSeveral(request) && (request.grantKey !== undefined || takesRules(request));
}

/** Returns how rules are judged for a prompt: by the arguments it is about. */
function ruledBy({ head }: SessionWriter, request: InteractionRequest): Ruled | undefined {
  const call = findCall(head, request.toolCallId);
  if (!call) return undefined;
  const args = { written: call.args, json: request.args === undefined ? argsOf(call) : request.args };
  return { args, caller: call.by?.principal, offer: request };
}

function toAnswer({ interactionId, toolCallId, digest }: InteractionRequest, grant: GivenGrant): AnswerCommand {
  return {
    type: 'answer',
    callId: toolCallId,
    interactionId,
    answerId: `grant:${grant.id}`,
    digest,
    answer: { action: 'approve', reason: 'An approval that was given elsewhere covers this.' },
    by: grant.by,
    grantId: grant.id,
    ...ruleOfUse(grant),
    ...(grant.isSigned && { isOfSignedGrant: true }),
    principal: giverOf(grant),
    isEnabled: true,
  };
}
