import { findPrompt, type InteractionRequest } from '@parleyhq/core';
import type { Hono } from 'hono';
import * as z from 'zod';
import { answer } from '../connection/answer.ts';
import type { Services } from '../connection/services.ts';
import { parse, parseFrame, readBody } from './frame-request.ts';
import { enterByKey, type OneTimeAccess, requirePrompt } from './one-time-access.ts';
import type { Env } from './request.ts';

export interface OnceRoutes {
  readonly services: Pick<Services, 'hub' | 'quotas' | 'voters' | 'files'>;
  readonly door: OneTimeAccess;
  readonly now: () => number;
}

/** The answer of a one-time link: for this prompt only, without edits, rules or lasting scopes. */
export const onceSchema = z.strictObject({
  action: z.enum(['approve', 'deny', 'submit', 'cancel']),
  button: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  reason: z.string().optional(),
});

/**
 * Serves one-time links: a key opens one card for one person and answers it once. Both are POST requests, so that no GET opens or
 * answers anything (NTF3).
 */
export function serveOnce(app: Hono<Env>, routes: OnceRoutes): void {
  app.post('/api/once', async (context) => {
    const holder = await enterByKey(context, routes.door);
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
  app.post('/api/once/answer', async (context) => {
    const { runtime, card, client } = await enterByKey(context, routes.door);
    const given = parse(onceSchema, await readBody(context));
    const { sessionId, toolCallId: callId, interactionId, digest, answerId } = card;
    const { session } = runtime;
    const asked = findPrompt(session.head, interactionId) ?? (await session.reader.findPast(interactionId));
    const isAllowed = asked?.request.interactionType === 'approval' && given.action === 'approve';
    const frame = parseFrame('tool_interaction_response', {
      ...{ sessionId, callId, interactionId, digest, answerId },
      ...given,
      ...(isAllowed && { approvalScope: 'once' }),
    });
    const reply = await answer({ runtime, client: { ...client, isEnabled: true }, services: routes.services }, frame);
    return context.json({ ok: true, ...reply });
  });
}

/** Returns the part of a request that a key can answer. */
function narrow({ rules: _, editable: __, editPath: ___, ...request }: InteractionRequest): InteractionRequest {
  return request.interactionType === 'approval' ? { ...request, approvalScopes: ['once'] } : request;
}
