import { definePlugin } from '@parleyhq/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makePushKeys } from '../../src/extensions/notifications/push-keys.ts';
import { makeAskTool } from '../support/ask-tool.ts';
import { startGuardedServer } from '../support/guarded-server.ts';
import { Journey } from '../support/journey.ts';
import { client, LinkBrowser, TestProvider } from '../support/oidc-provider.ts';

const mailed: string[] = [];
const mail = definePlugin({
  name: 'mail',
  tools: [makeAskTool({ timeoutMs: null })],
  notifiers: [{ name: 'mail', notify: (_, { oneTimeUrl }) => void (oneTimeUrl && mailed.push(oneTimeUrl)) }],
});

test('[NTF3, SIGN1, SEC9] a one-time link of somebody who was revoked does not open again once they log in again', async () => {
  const provider = await TestProvider.start();
  onTestFinished(() => provider.stop());
  const notifiers = [{ notifier: 'mail', oneTimeLinks: true, people: { 'ann@example.org': {} } }];
  const server = await startGuardedServer({
    oidc: { issuer: provider.issuer, ...client, roles: { 'groups=admins': 'operator' } },
    plugins: [mail],
    durations: { notifyAfterMs: 20 },
    reach: { keys: makePushKeys(), notifiers, allowsPrivate: true },
  });
  provider.expect(server.origin);
  provider.person = { sub: '1', email: 'ann@example.org', email_verified: true, groups: ['admins'] };
  const logIn = async () => {
    const browser = new LinkBrowser();
    await browser.follow(`${server.origin}/api/login/oidc`);
  };
  await logIn();
  const journey = await Journey.begin(server.local, { hello: { token: server.token } });
  await journey.ask('ask', { title: 'Deploy?' });
  const link = await vi.waitFor(() => mailed[0] ?? Promise.reject(new Error('nothing was mailed')), {
    timeout: 15_000,
  });
  const key = new URL(link).hash.slice(1);
  const open = () =>
    fetch(`${server.origin}/api/once`, { method: 'POST', headers: { 'parley-key': key, origin: server.origin } });
  expect((await open()).status).toBe(200);
  const [ann] = await server.local.store.tokens.list();
  await server.local.store.tokens.remove(String(ann?.id)); // parley token revoke
  expect((await open()).status).toBe(401);
  await logIn();
  expect((await open()).status).toBe(401);
});
