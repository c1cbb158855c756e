import { afterEach, expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { pluginOf } from '../support/plugin-file.ts';
import { ServerProcess } from '../support/server-process.ts';

let server: ServerProcess;
afterEach(() => server.remove());

async function argsWith(effect: 'ask' | 'deny'): Promise<string[]> {
  const config = JSON.stringify({ policies: [{ tool: 'collect_email', effect }] });
  return ['--no-auth', '--config', await pluginOf(config, 'parley.config.json')];
}

test('[APR3, INT3] a policy that denies after a restart cancels the open prompt: no handler failed', async () => {
  server = await ServerProcess.start({ args: await argsWith('ask') });
  let journey = await Journey.begin(server);
  const asked = await journey.ask('collect_email');
  await server.kill();

  await server.restart({ args: await argsWith('deny') });
  journey = await journey.join(server);

  expect(await journey.outcome()).toMatchObject({ error: { code: 'denied' } });
  expect(journey.settlements(asked).map(({ type, payload }) => [type, payload])).toEqual([
    ['interaction_closed', expect.objectContaining({ reason: 'cancelled' })],
  ]);
});
