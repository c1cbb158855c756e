import {
  type Awaitable,
  type ClientFrameOf,
  findPrompt,
  mayAnswer,
  messageKey,
  type Payload,
  queuedKey,
  RefusalError,
} from '@parleyhq/core';
import { type Client, type SessionRuntime, StoredJson, storeOnce, type Transaction } from '@parleyhq/runtime';
import { onBehalfOf } from './on-behalf.ts';
import type { Services } from './services.ts';

/** A session that the client may see; for others `openFor` has refused (SEC4). */
export interface SessionContext {
  readonly runtime: SessionRuntime;
  readonly client: Client;
  readonly services: Services;
}

export async function subscribe(
  { runtime: { session }, client, services }: SessionContext,
  { cursor, tail }: ClientFrameOf<'subscribe'>,
): Promise<void> {
  if (!services.presence.isHere(client)) return; // the client left meanwhile: nothing would ever unsubscribe it
  session.attach(client, { cursor, tail }).catch((refusal: RefusalError) => client.refuse(refusal, undefined));
  services.presence.changed(session.id);
}

export function unsubscribe({ runtime: { session }, client, services }: SessionContext): void {
  session.tabs.detach(client);
  services.presence.changed(session.id);
}

/** Returns events as they are stored; they are parsed only if the session hides some of them. */
export async function readEvents(
  { runtime: { session }, client }: SessionContext,
  { before, limit }: ClientFrameOf<'read_events'>,
): Promise<StoredJson> {
  // there are no events beyond it, and databases cannot count that far
  const end = Math.min(before, session.head.seq + 1 + limit);
  const texts = session.visibility.show(client.principal, await session.reader.readBefore(end, limit));
  return new StoredJson(`{"events":[${texts.join(',')}]}`);
}

export async function updateSession(
  context: SessionContext,
  { title, agent, permissionMode, pinned, archived }: ClientFrameOf<'update_session'>,
): Promise<void> {
  const { runtime, client, services } = context;
  if (agent !== undefined) services.agents.get(agent);
  const change = {
    ...(title !== undefined && { title }),
    ...(agent !== undefined && { agent }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(pinned !== undefined && { pinned }),
    ...(archived !== undefined && { archived }),
    by: client.actor,
  };
  await runtime.session.perform({ type: 'change', change }, { by: client.auditActor, ...onBehalfOf(context) });
}

export async function deleteSession({ runtime, client, services }: SessionContext): Promise<void> {
  await services.hub.delete(runtime.session, { by: client.auditActor, credential: client.credential });
}

export function sendMessage(context: SessionContext, frame: ClientFrameOf<'user_message'>): Promise<object> {
  return sendOnce(context, frame, (message) => ({ command: { type: 'send', message } }));
}

/**
 * Sends a message by a command that stores it. A repeated messageId gets the first reply again (FRM6).
 * @param prepare - called again if what it read has changed
 */
export async function sendOnce(
  context: SessionContext,
  { messageId, text, files = [] }: Pick<ClientFrameOf<'user_message'>, 'messageId' | 'text' | 'files'>,
  prepare: (message: Payload<'user_message'>) => Awaitable<Transaction>,
): Promise<object> {
  const { runtime, client, services } = context;
  const readMessage = async (): Promise<Payload<'user_message'>> => {
    const attached = await services.files.attach(runtime.session, client.principal, { messageId, files });
    return { messageId, text, origin: 'user', from: client.actor, ...(attached.length > 0 && { files: attached }) };
  };
  const behalf = onBehalfOf(context, ['messagesPerHour', 1]);
  const keys = [queuedKey(messageId), messageKey(messageId)];
  const { seq, type } = await storeOnce(runtime.session, keys, async () => ({
    ...(await prepare(await readMessage())),
    ...behalf,
  }));
  return { seq, ...(type === 'message_queued' && { queued: true }) };
}

export async function editQueued(
  context: SessionContext,
  { messageId, text }: ClientFrameOf<'edit_queued'>,
): Promise<void> {
  const { actor: by, principal } = context.client;
  await context.runtime.session.perform({ type: 'edit_queued', messageId, text, by, principal }, onBehalfOf(context));
}

export async function removeQueued(
  context: SessionContext,
  { messageId }: ClientFrameOf<'remove_queued'>,
): Promise<void> {
  await context.runtime.session.perform({ type: 'remove_queued', messageId }, onBehalfOf(context));
}

/** Cancels a turn, free of charge: whoever may start a turn can always stop it. */
export async function cancelTurn({ runtime: { session, turns }, client }: SessionContext): Promise<void> {
  const usage = await turns.readUsage(); // must come before reading what is streaming
  const { responseId = session.tabs.stream.heardResponse } = turns;
  const streamed = responseId === undefined ? [] : session.tabs.stream.written(responseId);
  await session.perform(
    { type: 'cancel', responseId, streamed, usage },
    { by: client.auditActor, credential: client.credential },
  );
}

/** Relays half-typed values to other tabs of the same principal only, without secrets (INT18). */
export function relayDraft({ runtime: { session }, client }: SessionContext, frame: ClientFrameOf<'draft'>): void {
  session.requireLife();
  const { interactionId, values } = frame;
  const prompt = findPrompt(session.head, interactionId);
  const isHidden = session.visibility.hides(client.principal, prompt?.request.toolCallId);
  if (!prompt || isHidden) throw new RefusalError('not_found');
  const isSecret = (id: string) =>
    prompt.request.inputSchema?.fields.some((field) => field.id === id && field.type === 'secret');
  const shown = Object.fromEntries(Object.entries(values).filter(([id]) => !isSecret(id)));
  session.tabs.relayDraft({ interactionId, values: shown, principal: client.principal.id }, client);
}

/** Claims a prompt: shows everybody who may answer it that somebody works on it; they may still answer (TEAM4). */
export function claimInteraction(
  { runtime: { session }, client, services }: SessionContext,
  { interactionId, release = false }: ClientFrameOf<'claim_interaction'>,
): void {
  const prompt = findPrompt(session.head, interactionId);
  const isHidden = session.visibility.hides(client.principal, prompt?.request.toolCallId);
  if (!prompt || isHidden) throw new RefusalError('not_found');
  if (!mayAnswer(client.principal, prompt.request)) throw new RefusalError('forbidden');
  services.claims.claim({ sessionId: session.id, seq: session.row.seq }, prompt, { by: client.actor, release });
}
