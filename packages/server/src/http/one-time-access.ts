import { findPrompt, type InteractionRequest, mayAnswer, RefusalError } from '@parleyhq/core';
import type { SessionHub, SessionRuntime } from '@parleyhq/runtime';
import type { Context } from 'hono';
import type { NotificationService } from '../extensions/notifications/notification-service.ts';
import type { Entry } from './frame-request.ts';
import { addressOf, authorise, type Env } from './request.ts';

/** Admits people by the keys of one-time links (NTF3). */
export interface OneTimeAccess extends Omit<Entry, 'onAdmitted'> {
  readonly hub: SessionHub;
  readonly notifications: NotificationService;
}

type OpenedKey = Awaited<ReturnType<NotificationService['openKey']>>;

/** The holder of a key, with the session of its prompt. */
export interface KeyHolder extends OpenedKey {
  readonly runtime: SessionRuntime;
}

/** Header that carries the key, because the body of an unauthenticated client is not read (SEC11). */
const keyHeader = 'parley-key';

/** Whether a request has a key, valid or not. */
export function hasKey(context: Context<Env>): boolean {
  return context.req.header(keyHeader) !== undefined;
}

/**
 * Admits the holder of a key. @throws RefusalError if the key is not valid any more, or somebody else is logged in in this
 * browser
 */
export async function enterByKey(context: Context<Env>, door: OneTimeAccess): Promise<KeyHolder> {
  const { card, client } = await door.notifications.openKey(context.req.header(keyHeader) ?? '');
  const { principal } = client;
  door.quotas.pace(principal);
  const login = door.auth.isOpen ? undefined : await authorise(context, door);
  if (login && login.principal.id !== principal.id)
    throw new RefusalError('forbidden', {
      message: 'This link is for someone other than the person who is logged in here.',
    });
  const runtime = await door.hub.openFor(principal, card.sessionId);
  runtime.session.requireLife();
  const userAgent = context.req.header('user-agent')?.slice(0, 200);
  const auditActor = {
    ...client.auditActor,
    address: addressOf(context),
    ...(userAgent !== undefined && { userAgent }),
  };
  return { card, runtime, client: { ...client, auditActor } };
}

/** Returns the prompt of a key. @throws RefusalError if the prompt is not open any more, or this person may not answer it */
export function requirePrompt({ runtime, card, client: { principal } }: KeyHolder): {
  readonly request: InteractionRequest;
  readonly timestamp: string;
} {
  const prompt = findPrompt(runtime.session.head, card.interactionId);
  if (!prompt || prompt.request.digest !== card.digest)
    throw new RefusalError('closed', { message: 'This link is used up: its prompt was answered, or is over.' });
  if (!mayAnswer(principal, prompt.request)) throw new RefusalError('forbidden');
  return prompt;
}
