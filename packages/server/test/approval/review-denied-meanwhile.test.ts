import { definePlugin, defineTool, type Plugin, type ReviewRequest } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { startLocalServer } from '../support/local-server.ts';

const tools = definePlugin({
  name: 'tools',
  tools: [
    defineTool({
      name: 'send',
      description: 'Sends words.',
      parameters: { type: 'object' },
      describe: () => ({ title: 'Begin?', risk: 'low' }),
      async handler(_, ctx) {
        const { approved } = await ctx.approve({ key: 'k', title: 'Send the words?', risk: 'low' });
        return { approved };
      },
    }),
  ],
});

test('[LESS3] what a person denies while the same is being reviewed is not passed', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let count = 0;
  const guard = {
    name: 'guards',
    tools: [],
    reviewers: [
      {
        name: 'guard',
        async review({ title }: ReviewRequest) {
          if (title === 'Begin?') return { verdict: 'pass', reason: 'Fine.' };
          count += 1;
          if (count === 1) return { verdict: 'ask', reason: 'Not sure.' };
          await held;
          return { verdict: 'pass', reason: 'Fine.' };
        },
      },
    ],
  } as unknown as Plugin;
  const policies = [{ tool: 'send', effect: 'review', reviewer: 'guard', sample: 0 }] as const;
  const server = await startLocalServer({ policies, plugins: [tools, guard] });
  const journey = await Journey.begin(server);
  const { seq } = await journey.tab.say(journey.session, '/call send {"n":1}\n/call send {"n":1}');
  const { payload: prompt } = await journey.event('interaction_request', undefined, seq);
  await expect.poll(() => count).toBe(2); // the other call's review is under way
  await journey.answer(prompt, { action: 'deny', reason: 'Never send that.' });
  await journey.event('tool_result', ({ payload }) => payload.toolCallId === prompt.toolCallId, seq);
  release();
  const result = await Promise.race([
    journey
      .event('tool_result', ({ payload }) => payload.toolCallId !== prompt.toolCallId, seq)
      .then(({ payload }) => payload.result),
    journey
      .event('interaction_request', ({ payload }) => payload.toolCallId !== prompt.toolCallId, seq)
      .then(() => 'asked'),
  ]);
  expect(result).toBe('asked');
});
