import { findPrompt, type InteractionRequest, mayAnswer, RefusalError } from '@parleyhq/core';
import type { Context, Hono } from 'hono';
import * as z from 'zod';
import type { Admission } from '../auth/auth.ts';
import { answer } from '../entrance/answer.ts';
import type { Services } from '../entrance/services.ts';
import type { WorkingSession } from '../hub/working-session.ts';
import type { Reaching } from '../reach/reaching.ts';
import { type Entry, parse, parseFrame, readBody } from './frame-request.ts';
import { addressOf, type Env } from './request.ts';

export interface OnceRoutes extends Pick<Entry, 'pace'> {
  readonly services: Pick<Services, 'hub' | 'grants' | 'quotas' | 'voters' | 'sealing' | 'files'>;
  readonly reaching: Reaching;
  readonly now: () => number;
  /** Who is logged in where a link is opened. */
  readonly findLogin: (context: Context<Env>) => Promise<Admission | undefined>;
}

/** In which header a key comes: a stranger's body is not read (SEC11). */
const keyHeader = 'parley-key';
const maxKeyLength = 2000;

/** Once, for this prompt alone: no edit, no rule, no lasting scope. */
export const onceSchema = z.strictObject({
  action: z.enum(['approve', 'deny', 'submit', 'cancel']),
  button: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  reason: z.string().optional(),
});

/** One-time links: a key opens one card for one person, and answers it once. Both are posts: no GET opens or answers (NTF3). */
export function serveOnce(app: Hono<Env>, routes: OnceRoutes): void {
  app.post('/api/once', async (context) => {
    const { live, card, client } = await enter(context, routes);
    const { request, timestamp } = requirePrompt(live, card, client);
    const { id: sessionId, row } = live.session;
    const { id, name, role, owner } = client.principal;
    return context.json({
      sessionId,
      sessionTitle: row.title,
      principal: { id, role, ...(name !== undefined && { name }), ...(owner !== undefined && { owner }) },
      interaction: narrow(request),
      timestamp,
      now: routes.now(),
    });
  });
  app.post('/api/once/answer', async (context) => {
    const { live, card, client } = await enter(context, routes);
    const given = parse(onceSchema, await readBody(context));
    const { sessionId, toolCallId: callId, interactionId, digest, answerId } = card;
    const { session } = live;
    const asked = findPrompt(session.head, interactionId) ?? (await session.reader.findPast(interactionId));
    const isAllowed = asked?.request.interactionType === 'approval' && given.action === 'approve';
    const frame = parseFrame('tool_interaction_response', {
      ...{ sessionId, callId, interactionId, digest, answerId },
      ...given,
      ...(isAllowed && { approvalScope: 'once' }),
    });
    const reply = await answer({ live, client: { ...client, isEnabled: true }, services: routes.services }, frame);
    return context.json({ ok: true, ...reply });
  });
}

type Entered = Awaited<ReturnType<typeof enter>>;

/** Whoever has the key, where its prompt is. @throws RefusalError where the key is none any more, or somebody else is logged in here */
async function enter(context: Context<Env>, { reaching, services, findLogin, pace }: OnceRoutes) {
  const key = context.req.header(keyHeader) ?? '';
  const { card, client } = await reaching.openKey(key.length > maxKeyLength ? '' : key);
  const { principal } = client;
  pace(principal);
  const login = await findLogin(context);
  if (login && login.principal.id !== principal.id)
    throw new RefusalError('forbidden', { message: 'This link is for somebody else than who is logged in here.' });
  const live: WorkingSession = await services.hub.openFor(principal, card.sessionId);
  live.session.requireLife();
  const userAgent = context.req.header('user-agent')?.slice(0, 200);
  const witness = { ...client.witness, address: addressOf(context), ...(userAgent !== undefined && { userAgent }) };
  return { card, live, client: { ...client, witness } };
}

/** @throws RefusalError where there is nothing to answer any more, or not by this person */
function requirePrompt(live: Entered['live'], card: Entered['card'], { principal }: Entered['client']) {
  const prompt = findPrompt(live.session.head, card.interactionId);
  if (!prompt || prompt.request.digest !== card.digest)
    throw new RefusalError('closed', { message: 'This link is used up: its prompt was answered, or is over.' });
  if (!mayAnswer(principal, prompt.request)) throw new RefusalError('forbidden');
  return prompt;
}

/** What a key can answer of it. */
function narrow({ rules: _, editable: __, editPath: ___, ...request }: InteractionRequest): InteractionRequest {
  return request.interactionType === 'approval' ? { ...request, approvalScopes: ['once'] } : request;
}
