import { StoreError } from '@parleyhq/core';
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

/** Opens a tab whose token is revoked right before the next write of this kind is stored. */
async function enterUntil(port: 'sessions' | 'grants', method: 'create' | 'remove' | 'revoke'): Promise<Tab> {
  const { store } = server.local;
  const { id, token } = await server.makeToken({ role: 'operator' });
  const tab = await server.local.open({ hello: { token } });
  let isFirst = true;
  store.intercept(port as 'sessions', method as 'create', async (proceed) => {
    if (isFirst) await store.tokens.remove(id, { keepGrants: true });
    isFirst = false;
    return proceed();
  });
  return tab;
}

const unauthorised = { ok: false, error: { code: 'unauthorised' } };
const listed = async () => {
  const { sessions } = await owner.ask<{ sessions: { id: string }[] }>({ type: 'list_sessions' });
  return sessions.map(({ id }) => id);
};

test('[SEC9] a session whose token is revoked while it waits to be stored is not created', async () => {
  const tab = await enterUntil('sessions', 'create');
  const before = await listed();
  const frame = { type: 'create_session', permissionMode: 'bypassPermissions' } as const;
  expect(await tab.request(frame as never)).toMatchObject(unauthorised);
  expect(await listed()).toEqual(before);
  expect(owner.frames.some(({ type }) => type === 'session_created')).toBe(false);
  expect(await listed()).not.toContain(await owner.createSession());
});

test('[SEC9, OPS5] a deletion whose token is revoked while it waits deletes nothing, and its followers keep the session', async () => {
  const session = await owner.createSession();
  await owner.follow(session);
  const tab = await enterUntil('sessions', 'remove');
  expect(await tab.request({ type: 'delete_session', sessionId: session })).toMatchObject(unauthorised);
  expect(await listed()).toContain(session);
  expect(owner.frames.some(({ type }) => type === 'session_deleted')).toBe(false);
  await owner.ask({ type: 'update_session', sessionId: session, title: 'still here' });
  expect((await owner.event(session, 'session_changed')).payload).toMatchObject({ title: 'still here' });
  await owner.ask({ type: 'delete_session', sessionId: session });
  expect(await listed()).not.toContain(session);
});

test('[SEC9, OPS5] a session whose deletion the disk refuses stays usable, too', async () => {
  const session = await owner.createSession();
  await owner.follow(session);
  server.local.store.intercept('sessions', 'remove', () => Promise.reject(new StoreError('full', 'made to fail')));
  expect(await owner.request({ type: 'delete_session', sessionId: session })).toMatchObject({
    ok: false,
    error: { code: 'storage_full' },
  });
  server.local.store.intercept('sessions', 'remove', (proceed) => proceed());
  await owner.ask({ type: 'update_session', sessionId: session, title: 'still here' });
  expect((await owner.event(session, 'session_changed')).payload).toMatchObject({ title: 'still here' });
});

test('[SEC9, APR4] a revocation whose token is revoked while it waits leaves the grant', async () => {
  const session = await owner.createSession();
  await owner.follow(session);
  await owner.say(session, '/call wipe {"path":"x"}');
  const prompt = await owner.prompt(session);
  await owner.answer(session, prompt, { action: 'approve', approvalScope: 'always' });
  const grantsNow = async () => (await owner.ask<{ grants: { id: string }[] }>({ type: 'list_grants' })).grants;
  const [grant] = await grantsNow();
  const tab = await enterUntil('grants', 'revoke');
  const revoke = { type: 'revoke_grant', grantId: grant?.id ?? '' } as const;
  expect(await tab.request(revoke)).toMatchObject(unauthorised);
  expect(await grantsNow()).toEqual([grant]);
  expect(await owner.request(revoke)).toMatchObject({ ok: true });
});
