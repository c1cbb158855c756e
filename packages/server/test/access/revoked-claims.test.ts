import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { GuardedServer } from '../support/guarded-server.ts';
import { pluginPath } from '../support/journey.ts';
import type { Tab } from '../support/tab.ts';

/** Sockets outlive their tokens here: the clock by which the server looks for ended ones stands still. */
let server: GuardedServer;
let owner: Tab;
beforeAll(async () => {
  const { default: approve } = await import(pluginPath('approve.mjs'));
  vi.useFakeTimers({ toFake: ['setInterval'] });
  server = new GuardedServer({ plugins: [approve] });
  await server.start();
  vi.useRealTimers();
  owner = await server.enter();
});
afterAll(() => server.remove());

async function ask() {
  const session = await owner.createSession();
  await owner.follow(session);
  await owner.say(session, '/call wipe {"path":"x"}');
  return { session, prompt: await owner.prompt(session) };
}

const approval = { action: 'approve', approvalScope: 'always' };

test.each([
  ['an answer that is consent for always', 'tool_interaction_response'],
  ['a mode', 'update_session'],
  ['a message', 'user_message'],
  ['a stop', 'cancel_turn'],
  ['a new session', 'create_session'],
  ['a deletion', 'delete_session'],
  ['a revocation', 'revoke_grant'],
])(
  '[SEC9] %s of a token that was revoked a moment ago is unauthorised, and nothing of it is stored',
  async (_, type) => {
    const { session, prompt } = await ask();
    const { id, token } = await server.makeToken({ role: 'operator' });
    const tab = await server.local.open({ hello: { token } });
    const { seq } = (await tab.follow(session)).session;
    await server.local.store.tokens.remove(id);
    const frames = {
      update_session: { type, sessionId: session, permissionMode: 'bypassPermissions' },
      user_message: { type, sessionId: session, messageId: 'm', text: 'hello' },
      cancel_turn: { type, sessionId: session },
      create_session: { type },
      delete_session: { type, sessionId: session },
      revoke_grant: { type, grantId: 'any' },
    } as never as Record<string, Parameters<Tab['request']>[0]>;
    const reply = await (type in frames ? tab.request(frames[type] as never) : tab.answer(session, prompt, approval));
    expect(reply).toMatchObject({ ok: false, error: { code: 'unauthorised' } });
    expect(await owner.ask({ type: 'list_grants' })).toEqual({ grants: [] });
    expect(await owner.answer(session, prompt, { action: 'deny' })).toMatchObject({ ok: true });
    const answered = await owner.event(session, 'interaction_response');
    expect(answered.seq).toBe(seq + 1);
  },
);

test('[SEC9] commands based on a refused claim are decided again, and only the claim fails', async () => {
  for (let n = 0; n < 5; n += 1) {
    const { session, prompt } = await ask();
    const { id, token } = await server.makeToken({ role: 'operator' });
    const tab = await server.local.open({ hello: { token } });
    await server.local.store.tokens.remove(id);
    const title = `Renamed ${n}`;
    const [claim, answer, rename, message] = await Promise.all([
      tab.answer(session, prompt, approval),
      owner.answer(session, prompt, { action: 'deny', reason: 'mine' }),
      owner.request({ type: 'update_session', sessionId: session, title }),
      owner.request({ type: 'user_message', sessionId: session, messageId: `m${n}`, text: 'next' }),
    ]);
    expect(claim).toMatchObject({ ok: false, error: { code: 'unauthorised' } });
    expect([answer, rename, message]).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
    const { payload } = await owner.event(session, 'interaction_response');
    expect(payload).toMatchObject({ action: 'deny', by: { principal: 'owner' } });
  }
});

test('[SEC9, DUR8] a command that was decided on one of a revoked token is decided again, and the server goes on', async () => {
  const { id } = await server.makeToken({ role: 'operator' });
  await server.local.store.tokens.remove(id);
  const { session } = await server.local.server.hub.open(await owner.createSession());
  const message = { messageId: 'm', text: 'hello', origin: 'user' } as const;
  const settled = await Promise.allSettled([
    session.perform({ type: 'send', message }, { credential: { tokenId: id } }),
    session.perform({ type: 'cancel', responseId: undefined, streamed: [] }), // of a turn that is never stored
  ]);
  expect(settled).toMatchObject([{ reason: { code: 'unauthorised' } }, { reason: { code: 'no_turn' } }]);
  await session.flushed();
});
