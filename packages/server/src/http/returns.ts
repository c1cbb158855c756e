import { mayAnswer, RefusalError } from '@parleyhq/core';
import { readCallback, settleCallback, stateOf, withoutSecret } from '@parleyhq/runtime';
import type { Hono } from 'hono';
import * as z from 'zod';
import { isSameText } from '../auth/ticket.ts';
import type { CallbackRoutes } from './callbacks.ts';
import { type Entry, enter, parse, readBody } from './frame-request.ts';
import { describe, json } from './operation.ts';
import type { Env } from './request.ts';

/** Query string with which a browser came back. */
const returnSchema = z.strictObject({ query: z.string().max(16_000) });

const maxBytes = 20_000;

const notTheirs = 'This is for whoever agreed to it, and somebody else is logged in here.';
const notTheWay = 'This browser does not come from where Parley sent whoever agreed: what it brings is not taken.';

/**
 * Serves the return of a person's browser from a site that a tool sent it to (PLG11). The page posts the query it came back with:
 * no GET ends a wait, and link previewers have no login. The person who comes back must be the one who agreed to go. If the wait
 * has an address to go to, a browser that brings nothing is sent there. Its `state` has a secret part that is required on return,
 * so that somebody who saw the address of the card cannot use the browser of whoever agreed to submit what they fetched from the
 * site themselves.
 */
export function serveReturns(app: Hono<Env>, routes: CallbackRoutes & Entry): void {
  const aboutReturn = describe({
    summary:
      'Ends the wait of a tool that sent a person to another site, once: what the browser brought back in its address.',
    ...{ group: 'People', body: returnSchema, example: { query: 'code=4f1c&state=eyJmb3IiOiJyZXR1cm4ifQ.c2VhbA' } },
    responses: {
      200: json(
        'The return is stored; with `goTo`, nothing was brought, and the browser of whoever agreed should go there.',
        z.object({ ok: z.literal(true), goTo: z.url().optional() }),
        { ok: true },
      ),
    },
    refusals: {
      403: 'Somebody else agreed to go there, or the browser does not come from there.',
      404: 'No tool sent anybody to another site with this `state`.',
      409: 'The browser returned before, the call has ended, or the wait has expired.',
      503: 'Nobody has agreed yet: try again soon.',
    },
  });
  app.post('/api/return', aboutReturn, async (context) => {
    const { principal } = await enter(context, routes, { as: 'person' });
    const { query } = parse(returnSchema, await readBody(context, maxBytes));
    const { state = '', ...brought } = Object.fromEntries(new URLSearchParams(query));
    const place = routes.tickets.read('return', withoutSecret(state));
    if (!place)
      throw new RefusalError('not_found', {
        message: 'Nothing waits for this return address: it was used, has expired or is incomplete.',
      });
    try {
      const { session } = await routes.hub.openFor(principal, place.sessionId);
      const { wait } = await readCallback(session, place, routes);
      if (!wait) throw new RefusalError('retry_later', { message: 'Nobody has agreed to this yet.' });
      const isMeant = wait.from === undefined || wait.from === (principal.owner ?? principal.id);
      if (!isMeant || !mayAnswer(principal)) throw new RefusalError('forbidden', { message: notTheirs });
      const { sendTo } = wait;
      const isSettingOut = state === withoutSecret(state) && Object.keys(brought).length === 0;
      if (isSettingOut && sendTo !== undefined) return context.json({ ok: true, goTo: sendTo });
      if (!isRight(state, sendTo)) throw new RefusalError('forbidden', { message: notTheWay });
      await settleCallback(session, place, brought, routes);
    } catch (error) {
      const isOver = error instanceof RefusalError && error.code === 'closed';
      throw isOver ? new RefusalError('closed', { message: 'Nothing waits for this any more.' }) : error;
    }
    return context.json({ ok: true });
  });
}

/** Whether the returned `state` is the one that was sent. */
function isRight(state: string, sendTo: string | undefined): boolean {
  return isSameText(state, sendTo === undefined ? withoutSecret(state) : stateOf(sendTo));
}
