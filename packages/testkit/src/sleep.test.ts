import { defineTool, type FormSchema, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { approve, type Play, playTool, submit } from './index.ts';

/** @returns the city, or how the question ended without one */
async function ask(ctx: ToolContext, title: string): Promise<string> {
  const inputSchema: FormSchema = { type: 'form', fields: [{ id: 'city', type: 'text' }] };
  const answer: unknown = await ctx.requestInteraction({ type: 'input', title, inputSchema, timeoutMs: 60_000 });
  const { input, error } = answer as { readonly input?: { readonly city?: string }; readonly error?: string };
  return input?.city ?? error ?? 'nowhere';
}

/** Asks twice, with an effect after each answer. */
const travelling = defineTool({
  name: 'travelling',
  description: 'Plans a trip.',
  parameters: { type: 'object' },
  hibernates: true,
  async handler(_, ctx) {
    const from = await ask(ctx, 'Where from?');
    await ctx.step('from', () => from);
    const to = await ask(ctx, 'Where to?');
    return ctx.step('to', () => `${from} to ${to}`);
  },
});

const outcomeOf = async (play: Play) => [await play.end(), play.effects, play.prompts.map(({ state }) => state)];

test('[DUR10, PLG5] a tool that sleeps at each of its waits ends like one that stays awake', async () => {
  const awake = playTool(travelling, { human: [submit({ city: 'Rome' }), submit({ city: 'Oslo' })] });
  const asleep = playTool(travelling, {
    human: ['sleep', submit({ city: 'Rome' }), 'sleep', 'crash', submit({ city: 'Oslo' })],
  });
  const outcome = await outcomeOf(awake);
  expect(await outcomeOf(asleep)).toEqual(outcome);
  expect(outcome).toEqual([{ result: 'Rome to Oslo' }, { from: 1, to: 1 }, ['answered', 'answered']]);
});

test('[DUR10, PLG5] a deadline wakes a sleeping tool', async () => {
  const play = playTool(travelling, { human: ['sleep', 'timeout', submit({ city: 'Oslo' })] });
  expect(await play.end()).toEqual({ result: 'timeout to Oslo' });
});

test('[DUR10, PLG5] a tool that shows why it must not sleep stays awake, and the test learns it', async () => {
  const play = playTool({ ...travelling, hibernates: false });
  await play.prompt();
  await expect(play.sleep()).rejects.toThrow('does not say "hibernates: true"');
});

test('[DUR10, PLG5] an approval is answered while its tool sleeps', async () => {
  const approving = defineTool({
    ...travelling,
    handler: (_, ctx) => ctx.requestInteraction({ type: 'approval', title: 'Go?' }),
  });
  expect(await playTool(approving, { human: ['sleep', approve()] }).end()).toMatchObject({
    result: { action: 'approve' },
  });
});
