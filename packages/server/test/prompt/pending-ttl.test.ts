import { expect, test } from 'vitest';
import { Journey, pluginPath } from '../support/journey.ts';
import { startServer } from '../support/use-server.ts';

test('[INT9, OPS2] how long a pending prompt stays answerable is a setting', async () => {
  const plugins = [pluginPath('scripted.mjs')];
  const server = await startServer({ plugins, env: { PARLEY_PENDING_TTL_MS: '3600000' } });
  const journey = await Journey.begin(server);
  const inputSchema = { type: 'form', fields: [{ id: 'rating', type: 'number' }] };
  const onTimeout = [{ return: { pending: { message: 'Going on.' } } }];
  await journey.call('scripted', { request: { type: 'input', timeoutMs: 50, inputSchema }, onTimeout });
  const { payload, timestamp } = await journey.event('interaction_pending');
  expect(Date.parse(payload.expiresAt ?? '') - Date.parse(timestamp)).toBe(3_600_000);
});
