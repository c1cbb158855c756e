import { definePlugin, defineTool, ToolError } from '@parleyhq/core';
import { useInFile } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
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
    defineTool({
      name: 'race',
      description: 'Asks two people, and takes the first approval.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        const race = new AbortController();
        const ask = (key: string) => ctx.approve({ key, title: key, timeoutMs: null, signal: race.signal });
        const asked = ['first', 'second'].map(ask);
        const { approved } = await Promise.race(asked);
        race.abort(new ToolError('withdrawn', 'Somebody else was first.'));
        const ends = await Promise.allSettled(asked);
        return { approved, ends: ends.map(({ status }) => status) };
      },
    }),
    defineTool({
      name: 'fill_in',
      description: 'Asks for a form as long as it needs it.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        const schema = z.object({ word: z.string() });
        return ctx.ask('word', schema, { signal: needed.signal }).catch((error: ToolError) => error.code);
      },
    }),
  ],
});
const server = useInFile(new LocalServer({ plugins: [asking] }));

test('[INT11] a tool that no longer needs an answer withdraws its question, gives a reason, and continues', async () => {
  needed = new AbortController();
  const journey = await Journey.begin(server);
  const { interactionId } = await journey.ask('wait');
  needed.abort(new ToolError('withdrawn', 'It rains by now.'));
  const { payload } = await journey.event('interaction_closed');
  expect(payload).toMatchObject({ interactionId, reason: 'withdrawn', note: 'It rains by now.' });
  expect((await journey.outcome()).result).toBe('withdrawn: It rains by now.');
  expect(cancelled).toEqual([true]);
});

test('[INT11] a question that is no longer needed is not asked', async () => {
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

test('[INT11, PLG8] one of two approvals can be withdrawn', async () => {
  const journey = await Journey.begin(server);
  await journey.call('race');
  const [first, second] = await journey.prompts(2);
  if (second) await journey.answer(second, { action: 'approve' });
  const { payload } = await journey.event('interaction_closed');
  expect(payload).toMatchObject({ interactionId: first?.interactionId, note: 'Somebody else was first.' });
  expect((await journey.outcome()).result).toEqual({ approved: true, ends: ['rejected', 'fulfilled'] });
});

test('[INT11, PLG8] a form can be withdrawn', async () => {
  needed = new AbortController();
  const journey = await Journey.begin(server);
  await journey.ask('fill_in');
  needed.abort();
  expect((await journey.outcome()).result).toBe('withdrawn');
});
