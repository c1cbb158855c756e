import type { InteractionRequest, Json } from '@parleyhq/core';
import { beforeEach, describe, expect, test } from 'vitest';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.ts';
import { Journey, loadPlugin } from '../support/journey.ts';

let server: GuardedServer;
let journey: Journey;
let prompt: InteractionRequest;
beforeEach(async () => {
  server = await startGuardedServer({ plugins: [await loadPlugin('asking.mjs')] });
  journey = await Journey.begin(server.local, { hello: { token: server.token } });
  prompt = await journey.ask('ask_one', { question: 'Ship it?' });
});

interface Told {
  readonly http: number;
  readonly ok?: boolean;
  readonly seq?: number;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: Json };
}

interface Options {
  readonly as?: string;
  readonly to?: Partial<{ session: string; prompt: string }>;
  readonly type?: string;
}

const submit = { action: 'submit', input: { answer: 'yes' } };

async function respond(body: unknown, { as = server.token, to = {}, type = 'application/json' }: Options = {}) {
  const { session = journey.session, prompt: id = prompt.interactionId } = to;
  const response = await fetch(`${server.origin}/api/sessions/${session}/interactions/${id}/response`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}`, 'content-type': type },
    body: JSON.stringify(body),
  });
  return { http: response.status, ...((await response.json()) as object) } as Told;
}

describe('an answer by HTTP', () => {
  test('[TRN2] is accepted like any other, and the reply says where it is stored', async () => {
    const told = await respond({ ...submit, digest: prompt.digest, answerId: 'a1' });
    expect(told).toEqual({ http: 200, ok: true, seq: expect.any(Number) });
    const { seq, payload } = await journey.event('interaction_response');
    expect([seq, payload]).toEqual([
      told.seq,
      expect.objectContaining({ interactionId: prompt.interactionId, answerId: 'a1' }),
    ]);
    expect(payload.by).toMatchObject({ principal: 'owner', transport: 'http' });
    expect(await journey.outcome()).toEqual({ result: { answer: 'yes' } });
    expect(await respond({ ...submit, digest: prompt.digest, answerId: 'a1' })).toEqual(told);
  });

  test('[TRN2, INT5] the second answer is 409 and learns who won', async () => {
    await journey.submit(prompt, { answer: 'no' });
    expect(await respond(submit)).toMatchObject({
      http: 409,
      error: { code: 'already_answered', details: { by: { principal: 'owner' }, at: expect.any(String) } },
    });
  });

  test('[TRN2, INT5] a prompt that closed is 409, and says why', async () => {
    await journey.tab.ask({ type: 'cancel_turn', sessionId: journey.session });
    expect(await respond(submit)).toMatchObject({
      http: 409,
      error: { code: 'closed', details: { reason: 'cancelled' } },
    });
  });

  test.each([
    ['values that do not fit', { action: 'submit', input: { nothing: 1 } }, 'invalid'],
    ['an action that is none', { action: 'agree' }, 'bad_frame'],
    ['a list', [], 'bad_frame'],
  ])('[TRN2] %s are 400, and the prompt stays open', async (_, body, code) => {
    expect(await respond(body)).toMatchObject({ http: 400, error: { code } });
    expect(await respond(submit)).toMatchObject({ http: 200 });
  });

  test('[TRN2, SEC3] a content type that a form of another page could send is refused', async () => {
    expect(await respond(submit, { type: 'text/plain' })).toMatchObject({ http: 400 });
  });

  test('[TRN2, SEC4] a client that may not answer gets 403, one that may not see it 404, and one without a token 401', async () => {
    const as = async (part: Parameters<GuardedServer['makeToken']>[0]) => ({
      as: (await server.makeToken(part)).token,
    });
    expect(await respond(submit, await as({ role: 'viewer' }))).toMatchObject({ http: 403 });
    const elsewhere = await as({ role: 'responder', sessions: ['another'] });
    for (const stranger of [elsewhere, await as({ role: 'asker' })])
      expect(await respond(submit, stranger)).toMatchObject({ http: 404 });
    expect(await respond(submit, { as: 'wrong' })).toMatchObject({ http: 401 });
    for (const to of [{ session: 'nowhere' }, { prompt: 'nothing.1' }])
      expect(await respond(submit, { to })).toMatchObject({ http: 404, error: { code: 'not_found' } });
    expect(await respond(submit, await as({ role: 'responder' }))).toMatchObject({ http: 200 });
  });
});
