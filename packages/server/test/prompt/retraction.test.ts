import { definePlugin, defineTool, ToolError } from '@parleyhq/core';
import { useInFile } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { LocalServer } from '../support/local-server.ts';

let needed = new AbortController();
const cancelled: true[] = [];

const asking = definePlugin({
  name: 'asking',
  tools: [
    defineTool({
      name: 'wait',
      description: 'Asks as long as it needs to know.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        const onCancel = () => void cancelled.push(true);
        const demand = { type: 'approval', timeoutMs: null, signal: needed.signal, onCancel } as const;
        const answer = await ctx.requestInteraction(demand).catch((error: ToolError) => error);
        return answer instanceof ToolError ? `${answer.code}: ${answer.message}` : answer.action;
      },
    }),
  ],
});
const server = useInFile(new LocalServer({ plugins: [asking] }));

test('[INT11] a tool that needs no answer any more withdraws its question, says why, and goes on', async () => {
  needed = new AbortController();
  const journey = await Journey.begin(server);
  const { interactionId } = await journey.ask('wait');
  needed.abort(new ToolError('withdrawn', 'It rains by now.'));
  const { payload } = await journey.event('interaction_closed');
  expect(payload).toMatchObject({ interactionId, reason: 'withdrawn', note: 'It rains by now.' });
  expect((await journey.outcome()).result).toBe('withdrawn: It rains by now.');
  expect(cancelled).toEqual([true]);
});

test('[INT11] what is no longer needed is not asked', async () => {
  needed = new AbortController();
  needed.abort();
  const journey = await Journey.begin(server);
  expect((await journey.run('wait')).result).toBe('withdrawn: This was withdrawn before anybody answered.');
  expect(journey.events('interaction_request')).toEqual([]);
});

test('[INT11, INT4] an answer that came first counts', async () => {
  needed = new AbortController();
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('wait');
  const answered = journey.answer(prompt, { action: 'approve' });
  await journey.event('interaction_response');
  needed.abort();
  await answered;
  expect((await journey.outcome()).result).toBe('approve');
  expect(journey.events('interaction_closed')).toEqual([]);
});
