import { findPrompt, type InteractionRequest } from '@parleyhq/core';
import type { Hono } from 'hono';
import * as z from 'zod';
import { answer } from '../connection/answer.ts';
import type { Services } from '../connection/services.ts';
import { takenSchema } from './answers.ts';
import { parse, parseFrame, readBody } from './frame-request.ts';
import { enterByKey, type OneTimeAccess, requirePrompt } from './one-time-access.ts';
import { describe, json } from './operation.ts';
import type { Env } from './request.ts';

export interface OnceRoutes extends OneTimeAccess, Pick<Services, 'voters' | 'stepUp' | 'files'> {
  readonly now: () => number;
}

/** The answer of a one-time link: for this prompt only, without edits, rules or lasting scopes. */
const onceSchema = z.strictObject({
  action: z.enum(['approve', 'deny', 'submit', 'cancel']),
  button: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  reason: z.string().optional(),
});

const openedSchema = z.object({
  sessionId: z.string(),
  sessionTitle: z.string(),
  principal: z.object({ id: z.string(), role: z.string(), name: z.string().optional(), owner: z.string().optional() }),
  interaction: z.looseObject({ interactionId: z.string() }),
  timestamp: z.string(),
  now: z.number(),
});

/**
 * Serves one-time links: a key opens one card for one person and answers it once. Both are POST requests, so that no GET opens or
 * answers anything (NTF3).
 */
export function serveOnce(app: Hono<Env>, routes: OnceRoutes): void {
  const group = 'Notifications';
  const aboutKey = describe({
    summary: 'Opens the prompt of a one-time link, whose key is in the header Parley-Key; it answers nothing.',
    ...{ group, isOpen: true },
    responses: { 200: json('The prompt, and the person the link is for.', openedSchema) },
  });
  app.post('/api/once', aboutKey, async (context) => {
    const holder = await enterByKey(context, routes);
    const { runtime, client } = holder;
    const { request, timestamp } = requirePrompt(holder);
    const { id: sessionId, row } = runtime.session;
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

  const aboutAnswer = describe({
    summary: 'Answers the prompt of a one-time link, once; its key is in the header Parley-Key.',
    ...{ group, isOpen: true, body: onceSchema, example: { action: 'deny' } },
    responses: { 200: json('The answer is stored, now or before.', takenSchema, { ok: true, seq: 12 }) },
  });
  app.post('/api/once/answer', aboutAnswer, async (context) => {
    const { runtime, card, client } = await enterByKey(context, routes);
    const given = parse(onceSchema, await readBody(context));
    const { sessionId, toolCallId: callId, interactionId, digest, ticketId } = card;
    const { session } = runtime;
    const asked = findPrompt(session.head, interactionId) ?? (await session.reader.findPast(interactionId));
    const isAllowed = asked?.request.interactionType === 'approval' && given.action === 'approve';
    const frame = parseFrame('tool_interaction_response', {
      ...{ sessionId, callId, interactionId, digest, answerId: `once-${ticketId}` },
      ...given,
      ...(isAllowed && { approvalScope: 'once' }),
    });
    const reply = await answer({ runtime, client: { ...client, isEnabled: true }, services: routes }, frame);
    return context.json({ ok: true, ...reply });
  });
}

/** Returns the part of a request that a key can answer. */
function narrow({ rules: _, editable: __, editPath: ___, ...request }: InteractionRequest): InteractionRequest {
  return request.interactionType === 'approval' ? { ...request, approvalScopes: ['once'] } : request;
}
