import { expect, test } from 'vitest';
import { Journey, pluginPath } from '../support/journey.ts';
import { startServer } from '../support/use-server.ts';

test('[DUR2, INT9] a postponed prompt stays pending after kill -9, with its late hook', async () => {
  const server = await startServer({ plugins: [pluginPath('restart.mjs')] });
  const journey = await Journey.begin(server);
  const first = await journey.ask('later');
  await journey.submit(first, { off: 'not now' });
  const off = await journey.next(first);
  const on = (await journey.event('interaction_request', ({ payload }) => payload.slot === '2')).payload;
  await server.restart();
  const back = await journey.join(server);
  expect(await back.submit(off, { off: 'now' })).toMatchObject({ ok: true });
  const message = await back.event('message_queued', ({ payload }) => payload.origin === 'interaction');
  expect(message.payload).toMatchObject({ text: 'late: now', messageId: `late:${off.interactionId}` });
  await back.submit(on, { on: 'yes' });
  expect(await back.outcome()).toEqual({ result: [{ pending: true, queued: true, message: 'put off' }, 'yes'] });
  expect(back.events('interaction_request')).toHaveLength(3);
});
