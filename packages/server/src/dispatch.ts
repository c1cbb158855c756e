import {
  type ClientFrameOf,
  completeAnswer,
  type InteractionAnswer,
  type Message,
  RefusalError,
  type RequestFrame,
} from '@parley/core';
import type { Client } from './client.ts';
import { frameOf } from './frame-batch.ts';
import { grantsOf } from './given-grant.ts';
import type { Live, SessionHub } from './hub.ts';
import type { Metrics } from './metrics.ts';
import { planTurn } from './turn-plan.ts';

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
  switch (frame.type) {
    case 'subscribe':
      return subscribe(hub, client, frame);
    case 'unsubscribe': {
      const { session } = await hub.open(frame.sessionId);
      session.outbox.remove(client);
      hub.presence.changed(frame.sessionId);
      return;
    }
    case 'read_events':
      return readEvents(hub, frame);
    case 'list_sessions': {
      const { before, query, limit = 100 } = frame;
      return { sessions: await hub.list({ before, query, limit }) };
    }
    case 'create_session':
      if (frame.permissionMode !== undefined) requireConsenter(client);
      return { session: await hub.create(frame) };
    case 'update_session':
      return update(hub, client, frame);
    case 'delete_session':
      return hub.delete(frame.sessionId);
    case 'user_message':
      return send(hub, client, frame);
    case 'edit_queued': {
      const { session } = await hub.open(frame.sessionId);
      await session.perform({ type: 'edit_queued', messageId: frame.messageId, text: frame.text });
      return;
    }
    case 'remove_queued': {
      const { session } = await hub.open(frame.sessionId);
      await session.perform({ type: 'remove_queued', messageId: frame.messageId });
      return;
    }
    case 'cancel_turn':
      return cancel(hub, frame);
    case 'tool_interaction_response':
      return answer(hub, metrics, client, frame);
    case 'set_interaction_mode':
      return hub.presence.setEnabled(client, frame.enabled);
    case 'draft':
      return relayDraft(hub, client, frame);
    case 'list_grants': {
      const { sessionId, limit } = frame;
      const filter = { ...(sessionId !== undefined && { sessionId }), ...(limit !== undefined && { limit }) };
      return { grants: await hub.runtime.store.grants.list(hub.runtime.now(), filter) };
    }
    case 'revoke_grant':
      requireConsenter(client);
      if ((await hub.runtime.store.grants.revoke({ id: frame.grantId })) === 0) throw new RefusalError('not_found');
      return hub.runtime.onGrantsChange(undefined);
    default:
      return frame satisfies never;
  }
}

/** Who may not answer allows nothing by another way either (APR6). */
function requireConsenter(client: Client): void {
  if (!client.mayAnswer) throw new RefusalError('forbidden');
}

async function subscribe(hub: SessionHub, client: Client, frame: ClientFrameOf<'subscribe'>): Promise<void> {
  const { session } = await hub.open(frame.sessionId);
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
  await hub.open(sessionId);
  const from = Math.max(0, before - 1 - limit);
  const events: unknown[] = [];
  for await (const texts of hub.runtime.store.events.read(sessionId, from, before - 1 - from)) {
    for (const text of texts) events.push(JSON.parse(text));
  }
  return { events };
}

async function update(hub: SessionHub, client: Client, frame: ClientFrameOf<'update_session'>): Promise<void> {
  const { sessionId, title, agent, permissionMode } = frame;
  if (agent !== undefined) hub.runtime.agents.get(agent);
  if (permissionMode !== undefined) requireConsenter(client);
  const { session } = await hub.open(sessionId);
  const change = {
    ...(title !== undefined && { title }),
    ...(agent !== undefined && { agent }),
    ...(permissionMode !== undefined && { permissionMode }),
    by: client.actor,
  };
  await session.perform({ type: 'change', change });
}

/** A repeated messageId gets the first reply again, also after a restart (FRM6). */
async function send(hub: SessionHub, client: Client, frame: ClientFrameOf<'user_message'>): Promise<object> {
  const { sessionId, messageId, text } = frame;
  const live = await hub.open(sessionId);
  if (!client.mayAnswer) throw new RefusalError('forbidden');
  const message = { messageId, text, origin: 'user', from: client.actor } as const;
  return live.session.once(messageId, async () => (await findMessage(live, messageId)) ?? sendNew(hub, live, message));
}

async function sendNew(hub: SessionHub, { session }: Live, message: Message): Promise<object> {
  const { seq, events } = await session.perform({ type: 'send', message, plan: planTurn(hub.runtime, session) });
  return { seq, ...(events[0]?.type === 'message_queued' && { queued: true }) };
}

async function findMessage({ session }: Live, messageId: string): Promise<object | undefined> {
  const queued = await session.findEvent(`queued:${messageId}`);
  if (queued !== undefined) return { seq: JSON.parse(queued).seq, queued: true };
  const sent = await session.findEvent(`message:${messageId}`);
  return sent === undefined ? undefined : { seq: JSON.parse(sent).seq };
}

async function cancel(hub: SessionHub, { sessionId }: ClientFrameOf<'cancel_turn'>): Promise<void> {
  const { session, turns } = await hub.open(sessionId);
  const usage = await turns.readUsage(); // before what is streaming is looked at
  const { responseId } = turns;
  const streamed = responseId === undefined ? [] : session.stream.written(responseId);
  await session.perform({ type: 'cancel', responseId, streamed, usage, plan: planTurn(hub.runtime, session) });
}

async function answer(
  hub: SessionHub,
  metrics: Metrics,
  client: Client,
  frame: ClientFrameOf<'tool_interaction_response'>,
): Promise<object> {
  const { sessionId, callId, interactionId, digest, action, approvalScope, input, editedArgs, reason } = frame;
  const { session, late } = await hub.open(sessionId);
  const open = session.head.prompts.find(({ request }) => request.interactionId === interactionId);
  const given = {
    action,
    ...(approvalScope !== undefined && { approvalScope }),
    ...(input !== undefined && { input }),
    ...(editedArgs !== undefined && { editedArgs }),
    ...(reason !== undefined && { reason }),
  };
  try {
    const { seq } = await session.perform(
      {
        type: 'answer',
        callId,
        interactionId,
        answerId: frame.answerId ?? hub.runtime.newId(),
        digest,
        answer: given,
        by: client.actor,
        isAllowed: client.mayAnswer,
        isEnabled: client.isEnabled,
        matches: hub.runtime.matches,
        past: open ? undefined : await session.findPast(interactionId),
        hasLateHook: late.has(interactionId),
        plan: planTurn(hub.runtime, session),
      },
      open && {
        answer: { interactionId, ...completeAnswer(open.request, given), by: client.actor } as InteractionAnswer,
        grants: grantsOf(hub.runtime, sessionId, open.request, given, client.actor),
      },
    );
    return { seq };
  } catch (error) {
    if (error instanceof RefusalError && error.code === 'already_answered') metrics.claimsLost.inc();
    throw error;
  }
}

/** Half-typed values go to other tabs of the same principal only, and secrets nowhere (INT18). */
async function relayDraft(hub: SessionHub, client: Client, frame: ClientFrameOf<'draft'>): Promise<void> {
  const { sessionId, interactionId, values } = frame;
  const { session } = await hub.open(sessionId);
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
