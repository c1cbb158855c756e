import { expect, test } from 'vitest';
import { startInTest } from './test/talk.ts';

test.each([
  ['keycloak.config.json', 'Example'],
  ['google.config.json', 'Google'],
])('[SIGN1] %s lets people log in at the provider', async (file, name) => {
  const env = { OIDC_SECRET: 'a secret of the client' };
  const args = ['--config', `docs/examples/${file}`];
  const server = await startInTest({ args, env });
  const ways = await fetch(`${server.url}/api/login/ways`);
  expect(await ways.json()).toEqual({ oidc: { name } });
});
