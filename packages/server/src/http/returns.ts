import { mayAnswer, RefusalError } from '@parleyhq/core';
import type { Hono } from 'hono';
import * as z from 'zod';
import { type CallbackRoutes, readCallback, settleCallback } from './callbacks.ts';
import { type Entry, enter, parse, readBody } from './frame-request.ts';
import type { Env } from './request.ts';

/** What a browser brought in its address. */
export const returnSchema = z.strictObject({ query: z.string().max(16_000) });

const maxBytes = 20_000;

const notTheirs = 'This is for whoever agreed to it, and somebody else is logged in here.';

/**
 * A person's browser comes back from a site that a tool sent it to (PLG11). The page posts what it brought: no GET ends a wait, and
 * what looks up links has no log-in. Who agreed to go there must be who comes back.
 */
export function serveReturns(app: Hono<Env>, routes: CallbackRoutes & Entry): void {
  app.post('/api/return', async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    const { query } = parse(returnSchema, await readBody(context, maxBytes));
    const { state = '', ...brought } = Object.fromEntries(new URLSearchParams(query));
    const place = routes.addresses.read('return', state);
    if (!place) throw new RefusalError('not_found', { message: 'Nothing here waits for what this address brings.' });
    try {
      const { session } = await routes.hub.openFor(principal, place.sessionId);
      const { wait } = await readCallback(session, place, routes);
      if (!wait) throw new RefusalError('retry_later', { message: 'Nobody has agreed to this yet.' });
      const isMeant = wait.from === undefined || wait.from === (principal.owner ?? principal.id);
      if (!isMeant || !mayAnswer(principal)) throw new RefusalError('forbidden', { message: notTheirs });
      await settleCallback(session, place, brought);
    } catch (error) {
      const isOver = error instanceof RefusalError && error.code === 'closed';
      throw isOver ? new RefusalError('closed', { message: 'Nothing waits for this any more.' }) : error;
    }
    return context.json({ ok: true });
  });
}
