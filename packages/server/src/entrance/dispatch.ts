import {
  type ClientFrameOf,
  findPrompt,
  type Grant,
  type GrantFilter,
  type Message,
  maySee,
  maySend,
  messageKey,
  queuedKey,
  RefusalError,
  type RequestFrame,
} from '@parleyhq/core';
import { grantsOf } from '../grant/grant-from-answer.ts';
import type { Live, SessionHub } from '../hub/hub.ts';
import type { Metrics } from '../log/metrics.ts';
import type { Client } from '../tabs/client.ts';
import { frameOf } from '../tabs/frame-batch.ts';

/**
 * What a client's frame does, and the result of its reply.
 * @throws RefusalError what the reply says instead
 */
export async function dispatch(
  hub: SessionHub,
  metrics: Metrics,
  client: Client,
  frame: RequestFrame,
): Promise<unknown> {
  if ('sessionId' in frame && frame.type !== 'list_grants')
    return dispatchTo(await hub.openFor(client.principal, frame.sessionId), hub, metrics, client, frame);
  requireLeave(client, frame);
  switch (frame.type) {
    case 'list_sessions': {
      const { before, query, limit = 100 } = frame;
      return { sessions: await hub.list(client.principal, { before, query, limit }) };
    }
    case 'create_session':
      return { session: await hub.create(frame) };
    case 'set_interaction_mode':
      return hub.presence.setEnabled(client, frame.enabled);
    case 'list_grants': {
      const { sessionId, limit } = frame;
      return { grants: await listGrants(hub, client, sessionId === undefined ? {} : { sessionId }, limit) };
    }
    case 'revoke_grant':
      return revoke(hub, client, frame);
    default:
      return frame satisfies never;
  }
}

type SessionFrame = Extract<RequestFrame, { sessionId: string }>;

/** A frame to a session that is there for the client: who may not see it never comes here (SEC4). */
async function dispatchTo(
  live: Live,
  hub: SessionHub,
  metrics: Metrics,
  client: Client,
  frame: SessionFrame,
): Promise<unknown> {
  const { session } = live;
  if (hub.isLeaving(session.id)) throw new RefusalError('not_found');
  if (frame.type === 'tool_interaction_response') return answer(live, hub, metrics, client, frame); // which knows better what is wrong first (INT5)
  requireLeave(client, frame);
  switch (frame.type) {
    case 'subscribe':
      return subscribe(live, hub, client, frame);
    case 'unsubscribe':
      session.outbox.remove(client);
      return hub.presence.changed(session.id);
    case 'read_events':
      return readEvents(hub, frame);
    case 'update_session':
      return update(live, hub, client, frame);
    case 'delete_session':
      return hub.delete(session.id, client.witness);
    case 'user_message':
      return send(live, client, frame);
    case 'edit_queued':
      await session.perform({ type: 'edit_queued', messageId: frame.messageId, text: frame.text });
      return;
    case 'remove_queued':
      await session.perform({ type: 'remove_queued', messageId: frame.messageId });
      return;
    case 'cancel_turn':
      return cancel(live, client);
    case 'draft':
      return relayDraft(live, client, frame);
    default:
      return frame satisfies never;
  }
}

/** @throws RefusalError `forbidden` */
function requireLeave(client: Client, frame: RequestFrame): void {
  if (!maySend(client.principal, frame)) throw new RefusalError('forbidden');
}

/** A grant for all sessions is seen by those who see all. */
async function listGrants(
  { runtime }: SessionHub,
  { principal }: Client,
  filter: GrantFilter = {},
  limit?: number,
): Promise<readonly Grant[]> {
  const { grants } = runtime.store;
  const newest = limit === undefined ? {} : { limit };
  if (principal.sessions === undefined) return grants.list(runtime.now(), { ...filter, ...newest });
  const seen = (await grants.list(runtime.now(), filter)).filter(
    ({ sessionId }) => sessionId !== undefined && maySee(principal, sessionId),
  );
  return limit === undefined ? seen : seen.slice(-limit);
}

async function revoke(hub: SessionHub, client: Client, { grantId }: ClientFrameOf<'revoke_grant'>): Promise<void> {
  const isThere = async () => (await listGrants(hub, client)).some(({ id }) => id === grantId);
  const isSeen = client.principal.sessions === undefined || (await isThere());
  if (!isSeen || (await hub.runtime.store.grants.revoke({ id: grantId })) === 0) throw new RefusalError('not_found');
  hub.runtime.onGrantsChange(undefined);
}

async function subscribe(
  { session }: Live,
  hub: SessionHub,
  client: Client,
  frame: ClientFrameOf<'subscribe'>,
): Promise<void> {
  if (!hub.clients.has(client)) return; // it left meanwhile: nobody would ever unsubscribe it
  const caughtUp = session.attach(client, frame.cursor, frame.tail);
  hub.presence.changed(frame.sessionId);
  caughtUp.catch((error: unknown) => {
    hub.runtime.log.error({ sessionId: frame.sessionId, error }, 'catch-up failed');
    client.refuse(new RefusalError('storage_failed', { cause: error }), undefined);
  });
}

async function readEvents(
  hub: SessionHub,
  { sessionId, before, limit }: ClientFrameOf<'read_events'>,
): Promise<object> {
  const from = Math.max(0, before - 1 - limit);
  const events: unknown[] = [];
  for await (const texts of hub.runtime.store.events.read(sessionId, from, before - 1 - from)) {
    for (const text of texts) events.push(JSON.parse(text));
  }
  return { events };
}

async function update(
  { session }: Live,
  hub: SessionHub,
  client: Client,
  frame: ClientFrameOf<'update_session'>,
): Promise<void> {
  const { title, agent, permissionMode } = frame;
  if (agent !== undefined) hub.runtime.agents.get(agent);
  const change = {
    ...(title !== undefined && { title }),
    ...(agent !== undefined && { agent }),
    ...(permissionMode !== undefined && { permissionMode }),
    by: client.actor,
  };
  await session.perform({ type: 'change', change });
}

/** A repeated messageId gets the first reply again, also after a restart (FRM6). */
async function send(live: Live, client: Client, { messageId, text }: ClientFrameOf<'user_message'>): Promise<object> {
  const message = { messageId, text, origin: 'user', from: client.actor } as const;
  return live.session.once(messageId, async () => (await findMessage(live, messageId)) ?? sendNew(live, message));
}

async function sendNew({ session }: Live, message: Message): Promise<object> {
  const { seq, events } = await session.perform({ type: 'send', message });
  return { seq, ...(events[0]?.type === 'message_queued' && { queued: true }) };
}

async function findMessage({ session }: Live, messageId: string): Promise<object | undefined> {
  const queued = await session.findEvent(queuedKey(messageId));
  if (queued !== undefined) return { seq: JSON.parse(queued).seq, queued: true };
  const sent = await session.findEvent(messageKey(messageId));
  return sent === undefined ? undefined : { seq: JSON.parse(sent).seq };
}

async function cancel({ session, turns }: Live, client: Client): Promise<void> {
  const usage = await turns.readUsage(); // before what is streaming is looked at
  const { responseId } = turns;
  const streamed = responseId === undefined ? [] : session.stream.written(responseId);
  await session.perform({ type: 'cancel', responseId, streamed, usage }, { by: client.witness });
}

async function answer(
  { session, late }: Live,
  hub: SessionHub,
  metrics: Metrics,
  client: Client,
  frame: ClientFrameOf<'tool_interaction_response'>,
): Promise<object> {
  const { callId, interactionId, digest, action, approvalScope, input, editedArgs, reason } = frame;
  const isOpen = findPrompt(session.head, interactionId) !== undefined;
  const past = isOpen ? undefined : await session.findPast(interactionId);
  try {
    const { seq } = await session.perform(
      {
        type: 'answer',
        callId,
        interactionId,
        answerId: frame.answerId ?? hub.runtime.newId(),
        digest,
        answer: { action, approvalScope, input, editedArgs, reason },
        by: client.actor,
        principal: client.principal,
        isEnabled: client.isEnabled,
        past,
        hasLateHook: late.has(interactionId),
      },
      { by: client.witness, grantsOf: (given) => grantsOf(hub.runtime, session, given) },
    );
    return { seq };
  } catch (error) {
    if (error instanceof RefusalError && error.code === 'already_answered') metrics.claimsLost.inc();
    throw error;
  }
}

/** Half-typed values go to other tabs of the same principal only, and secrets nowhere (INT18). */
async function relayDraft({ session }: Live, client: Client, frame: ClientFrameOf<'draft'>): Promise<void> {
  const { sessionId, interactionId, values } = frame;
  const prompt = session.head.prompts.find(({ request }) => request.interactionId === interactionId);
  if (!prompt) throw new RefusalError('not_found');
  const isSecret = (id: string) =>
    prompt.request.inputSchema?.fields.some((field) => field.id === id && field.type === 'secret');
  const shown = Object.fromEntries(Object.entries(values).filter(([id]) => !isSecret(id)));
  session.outbox.sendFrame(
    frameOf({ type: 'draft', sessionId, interactionId, values: shown }),
    (other) => other !== client && other.principal.id === client.principal.id,
  );
}
