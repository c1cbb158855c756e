import { callOfInteraction } from '@parleyhq/core';
import type { Hono } from 'hono';
import { answer } from '../connection/answer.ts';
import type { Services } from '../connection/services.ts';
import { type Entry, enter, parseFrame, readBody } from './frame-request.ts';
import type { Env } from './request.ts';

export interface AnswerRoutes extends Entry {
  readonly services: Pick<Services, 'hub' | 'quotas' | 'voters' | 'files'>;
}

/** Serves answers over plain HTTP, with the meaning of the frame `tool_interaction_response` (TRN2). */
export function serveAnswers(app: Hono<Env>, routes: AnswerRoutes): void {
  const { services } = routes;
  app.post('/api/sessions/:sessionId/interactions/:interactionId/response', async (context) => {
    const client = await enter(context, routes, { as: 'person' });
    const { sessionId, interactionId } = context.req.param();
    const place = { sessionId, interactionId, callId: callOfInteraction(interactionId) };
    const frame = parseFrame('tool_interaction_response', { ...(await readBody(context)), ...place });
    const runtime = await services.hub.openFor(client.principal, sessionId);
    runtime.session.requireLife();
    const reply = await answer({ runtime, client: { ...client, isEnabled: true }, services }, frame);
    return context.json({ ok: true, ...reply });
  });
}
