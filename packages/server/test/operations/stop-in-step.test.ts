import { definePlugin } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startLocalServer } from '../support/local-server.ts';

test('[OPS3, DUR3] a stop waits for a step that runs while a prompt is open, and its value is stored', async () => {
  let finish: (value: string) => void = () => undefined;
  const work = new Promise<string>((resolve) => {
    finish = resolve;
  });
  let onStep: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    onStep = resolve;
  });
  const plugin = definePlugin({
    name: 'both',
    tools: [
      {
        name: 'both',
        description: 'Asks, and works meanwhile.',
        parameters: { type: 'object' },
        handler: (_, ctx) =>
          Promise.all([
            ctx.requestInteraction({ type: 'approval', timeoutMs: null }),
            ctx.step('work', () => {
              onStep();
              return work;
            }),
          ]),
      },
    ],
  });
  const local = await startLocalServer({ plugins: [plugin] });
  const stored: unknown[] = [];
  local.store.intercept('events', 'append', async (proceed, { records = [] }) => {
    await proceed();
    stored.push(...records.filter(({ key }) => key === 'step:work').map(({ value }) => value));
  });
  const tab = await local.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call both {}');
  await Promise.all([tab.event(session, 'interaction_request'), begun]);
  const closed = local.server.close();
  await tab.closed();
  finish('done');
  await closed;
  expect(stored.at(-1)).toEqual({ value: 'done' });
});
