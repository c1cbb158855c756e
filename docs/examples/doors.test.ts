import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { fileOf, pathOf, startInTest } from './test/talk.ts';

const secret = 'of the build server';
const token = 'a-token-for-this-test';

test('[PLG14, ASK4] the doors of docs/plugin-guide.md take a signed webhook, and ask a person for a program', async () => {
  const config = fileOf(JSON.stringify({ pluginConfigs: { deployments: { secret } } }), 'parley.config.json');
  const server = await startInTest({ plugins: [pathOf('deployments.mjs')], args: ['--config', config], token });
  const post = (path: string, body: string, headers: Record<string, string>) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });

  const body = '{"version":"1.2.3"}';
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  expect((await post('/webhooks/builds', body, { 'x-signature': 'feed' })).status).toBe(401);
  expect((await post('/webhooks/builds', body, { 'x-signature': signature })).status).toBe(204);

  expect((await post('/plugins/deployments/gate', body, {})).status).toBe(401);
  const own = { authorization: `Bearer ${token}` };
  const asked = post('/plugins/deployments/gate', body, own);
  const inbox = async () => (await fetch(`${server.url}/api/interactions`, { headers: own })).json();
  await expect.poll(async () => (await inbox()).openTotal).toBe(1);
  const [{ sessionId, interaction }] = (await inbox()).open;
  expect(interaction).toMatchObject({ title: 'Deploy 1.2.3?', prompt: 'The last build was 1.2.3.' });
  const answer = JSON.stringify({ action: 'approve', digest: interaction.digest });
  await post(`/api/sessions/${sessionId}/interactions/${interaction.interactionId}/response`, answer, own);
  expect(await (await asked).json()).toEqual({ allowed: true });
});
