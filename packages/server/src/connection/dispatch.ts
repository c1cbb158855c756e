import { type ClientFrameOf, maySend, RefusalError, type RequestFrame } from '@parleyhq/core';
import type { Client } from '@parleyhq/runtime';
import { answer } from './answer.ts';
import { callTool } from './call-tool.ts';
import { commentInteraction } from './comment.ts';
import { denyOpen } from './deny-open.ts';
import { removeReviewer } from './remove-reviewer.ts';
import type { Services } from './services.ts';
import {
  cancelTurn,
  claimInteraction,
  deleteSession,
  editQueued,
  readEvents,
  relayDraft,
  removeQueued,
  type SessionContext,
  sendMessage,
  subscribe,
  unsubscribe,
  updateSession,
} from './session-frames.ts';
import { decideSuggestion, listSuggestions } from './suggestions.ts';

interface ServerContext {
  readonly client: Client;
  readonly services: Services;
}

/** How a frame is handled: by the server, or by the session it names, which the client must be able to see. */
type Row<Type extends RequestFrame['type']> = {
  /**
   * Whether it waits for earlier paced frames and until the client has read their replies, because its own reply may be long or
   * it ends such a stream (FRM5, SEC11).
   */
  readonly isPaced?: true;
} & (
  | { readonly scope: 'server'; handle(context: ServerContext, frame: ClientFrameOf<Type>): unknown }
  | {
      readonly scope: 'session';
      /** Whether `decide` itself rejects senders without permission, after graver refusals (INT5). */
      readonly isJudgedByLaw?: true;
      handle(context: SessionContext, frame: ClientFrameOf<Type>): unknown;
    }
);

/** Every frame that gets a reply; a new one needs one row and one function. Core's `maySend` decides who may send it (SEC4). */
const table: { readonly [Type in RequestFrame['type']]: Row<Type> } = {
  list_sessions: {
    scope: 'server',
    isPaced: true,
    handle: async ({ client: { principal }, services: { hub, inbox } }, { before, query, archived, limit = 100 }) => {
      const only = archived ? 'archived' : 'current';
      const sessions = await hub.list(principal, { before, query, limit, only });
      return { sessions: sessions.map((session) => inbox.rowFor(principal, session)) };
    },
  },
  create_session: {
    scope: 'server',
    handle: async ({ client, services }, { title, agent = services.agents.defaultName, permissionMode }) => {
      const { hub, agents, quotas } = services;
      const { name } = agents.get(agent);
      const { principal, auditActor: by, credential } = client;
      quotas.spend(principal, ['sessionsPerHour', 1]);
      const maker = quotas.makerOf(principal);
      const isDefaultAgent = name === agents.defaultName;
      const creating = hub.create({ title, agent: name, isDefaultAgent, permissionMode, by, credential, maker });
      return { session: await quotas.explain(principal, creating) };
    },
  },
  set_interaction_mode: {
    scope: 'server',
    handle: ({ client, services }, { enabled }) => services.presence.setEnabled(client, enabled),
  },
  activity: {
    scope: 'server',
    handle: ({ client, services }, { visible }) => services.attention.see(client, visible),
  },
  list_open: {
    scope: 'server',
    isPaced: true,
    handle: async ({ client, services }, frame) => ({
      open: (await services.inbox.preparePage(client.principal, frame))(),
    }),
  },
  list_grants: {
    scope: 'server',
    isPaced: true,
    handle: async ({ client, services }, { sessionId, limit }) => ({
      grants: await services.grants.list(client.principal, sessionId === undefined ? {} : { sessionId }, limit),
    }),
  },
  revoke_grant: {
    scope: 'server',
    handle: ({ client, services }, { grantId }) => services.grants.revoke(client.principal, grantId, client.credential),
  },
  remove_reviewer: { scope: 'session', handle: removeReviewer },
  subscribe: { scope: 'session', isPaced: true, handle: subscribe },
  unsubscribe: { scope: 'session', isPaced: true, handle: unsubscribe },
  read_events: { scope: 'session', isPaced: true, handle: readEvents },
  update_session: { scope: 'session', handle: updateSession },
  delete_session: { scope: 'session', handle: deleteSession },
  user_message: { scope: 'session', handle: sendMessage },
  deny_open: { scope: 'session', handle: denyOpen },
  edit_queued: { scope: 'session', handle: editQueued },
  remove_queued: { scope: 'session', handle: removeQueued },
  cancel_turn: { scope: 'session', handle: cancelTurn },
  tool_interaction_response: { scope: 'session', isJudgedByLaw: true, handle: answer },
  draft: { scope: 'session', handle: relayDraft },
  comment_interaction: { scope: 'session', handle: commentInteraction },
  list_suggestions: { scope: 'session', isPaced: true, handle: listSuggestions },
  decide_suggestion: { scope: 'session', handle: decideSuggestion },
  claim_interaction: { scope: 'session', handle: claimInteraction },
  call_tool: { scope: 'server', handle: callTool },
  reply_comment: {
    scope: 'session',
    handle: ({ client, services }, frame) => services.programs.calls.reply(client, frame),
  },
  withdraw_call: {
    scope: 'session',
    handle: ({ client, services }, frame) => services.programs.calls.withdraw(client, frame),
  },
};

/** Whether frames of this type are handled one after another (`PacedQueue`). */
export function isPaced(type: RequestFrame['type']): boolean {
  return table[type].isPaced ?? false;
}

/**
 * Handles a client's frame and returns the result for its reply.
 * @throws RefusalError to reply with instead
 */
export function dispatch(services: Services, client: Client, frame: RequestFrame): Promise<unknown> {
  return handle({ services, client }, frame.type, frame);
}

async function handle<Type extends RequestFrame['type']>(
  context: ServerContext,
  type: Type,
  frame: ClientFrameOf<Type> & RequestFrame,
): Promise<unknown> {
  const row: Row<Type> = table[type];
  if (row.scope === 'server') {
    requireRole(context, frame);
    return row.handle(context, frame);
  }
  const { sessionId } = frame as ClientFrameOf<'subscribe'>;
  const runtime = await context.services.hub.openFor(context.client.principal, sessionId);
  runtime.session.requireLife();
  if (!row.isJudgedByLaw) requireRole(context, frame);
  return row.handle({ ...context, runtime }, frame);
}

/** @throws RefusalError `forbidden` */
function requireRole({ client, services }: ServerContext, frame: RequestFrame): void {
  if (!maySend(client.principal, frame, services.agents.defaultName)) throw new RefusalError('forbidden');
}
