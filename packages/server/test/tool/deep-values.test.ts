import type { Json, Plugin } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { startLocalServer } from '../support/local-server.ts';

const nest = (levels: number): Json => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

const deep: Plugin = {
  name: 'deep',
  tools: [
    { name: 'take', description: 'Takes anything.', parameters: { type: 'object' }, handler: () => 'taken' },
    {
      name: 'give',
      description: 'Returns, or keeps, what is nested.',
      parameters: { type: 'object' },
      handler: ({ levels, keep }, ctx) => (keep ? ctx.state.set('kept', nest(Number(levels))) : nest(Number(levels))),
    },
  ],
};

test.each([300, 3000, 20_000])(
  '[AGT6, SEC11] arguments that nest %i levels deep are refused, and the turn continues',
  async (levels) => {
    const server = await startLocalServer({ plugins: [deep] });
    const journey = await Journey.begin(server);
    const { tab, session } = journey;
    const nested = '['.repeat(levels) + ']'.repeat(levels);
    await tab.say(session, `/call take {"a":${nested}}`);
    expect((await journey.outcome()).error).toMatchObject({ code: 'invalid_args' });
    expect((await journey.event('turn_end')).payload.status).toBe('completed');
  },
);

test.each([
  ['result', {}, 'invalid_result'],
  ['state', { keep: true }, 'tool_error'],
])('[PLG6, SEC11] a %s that is nested too deeply is refused with an explanation', async (_, more, code) => {
  const server = await startLocalServer({ plugins: [deep] });
  const journey = await Journey.begin(server);
  const { error } = await journey.run('give', { levels: 3000, ...more });
  expect(error).toMatchObject({ code, message: expect.stringContaining('nests deeper than 200 levels') });
});
