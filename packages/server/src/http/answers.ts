import { callOfInteraction, tallySchema } from '@parleyhq/core';
import type { Hono } from 'hono';
import * as z from 'zod';
import { answer } from '../connection/answer.ts';
import type { Services } from '../connection/services.ts';
import { type Entry, enter, parseFrame, readBody } from './frame-request.ts';
import { bodyOf, describe, json } from './operation.ts';
import type { Env } from './request.ts';

export type AnswerRoutes = Entry & Pick<Services, 'hub' | 'voters' | 'stepUp' | 'files'>;

const taken =
  'The answer is stored, now or before. With `vote` and `votes` it is one vote of several and decides nothing yet.';

/** Reply to an answer. */
export const takenSchema = z.object({
  ok: z.literal(true),
  seq: z.int(),
  vote: z.literal(true).optional(),
  votes: z.optional(tallySchema),
});

/** Serves answers over plain HTTP, with the meaning of the frame `tool_interaction_response` (TRN2). */
export function serveAnswers(app: Hono<Env>, routes: AnswerRoutes): void {
  const aboutAnswer = describe({
    ...{ group: 'Answers', summary: 'Answers a prompt. The first answer wins.' },
    body: bodyOf('tool_interaction_response', ['sessionId', 'callId', 'interactionId']),
    example: { action: 'submit', input: { answer: 'Yes' }, answerId: 'a-1' },
    responses: { 200: json(taken, takenSchema, { ok: true, seq: 7 }) },
    refusals: { 409: 'Somebody was first, or the prompt is closed: `details` says which.' },
  });
  app.post('/api/sessions/:sessionId/interactions/:interactionId/response', aboutAnswer, async (context) => {
    const client = await enter(context, routes, { as: 'person' });
    const { sessionId, interactionId } = context.req.param();
    const place = { sessionId, interactionId, callId: callOfInteraction(interactionId) };
    const frame = parseFrame('tool_interaction_response', { ...(await readBody(context)), ...place });
    const runtime = await routes.hub.openFor(client.principal, sessionId);
    runtime.session.requireLife();
    const reply = await answer({ runtime, client: { ...client, isEnabled: true }, services: routes }, frame);
    return context.json({ ok: true, ...reply });
  });
}
