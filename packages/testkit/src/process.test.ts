import { defineTool, type PluginState, type Tool } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { approve, playTool, Stage } from './index.ts';

const send = defineTool({
  name: 'send',
  description: 'Sends something once, if somebody allows it.',
  parameters: {},
  async handler(_, ctx) {
    if (!(await ctx.confirm('send', 'Send it?'))) throw ctx.error('denied', 'Not sent.');
    return ctx.step('send', () => 'sent');
  },
});

test('[PLG5, DUR2] a crash concerns all calls of a stage, and each goes on', async () => {
  const stage = new Stage();
  const [first, second] = [playTool(send, { stage }), playTool(send, { stage })];
  const prompts = [await first.prompt(), await second.prompt()];
  first.crash();
  for (const prompt of prompts) prompt.approve();
  expect([await first.end(), await second.end()]).toEqual([{ result: 'sent' }, { result: 'sent' }]);
  expect([first.effects, second.effects]).toEqual([{ send: 1 }, { send: 1 }]);
});

test('[PLG5, INT11] a stop ends all calls of a stage', async () => {
  const stage = new Stage();
  const [first, second] = [playTool(send, { stage }), playTool(send, { stage })];
  const prompt = await second.prompt();
  await first.stop();
  expect([(await first.end()).error?.code, (await second.end()).error?.code]).toEqual(['cancelled', 'cancelled']);
  expect(prompt.state).toBe('closed');
});

test('[PLG5, DUR3] what a crashed handler still does has no effect', async () => {
  let go: (value?: unknown) => void = () => undefined;
  const outside = new Promise((resolve) => {
    go = resolve;
  });
  const slow = defineTool({
    name: 'slow',
    description: 'Waits for something outside.',
    parameters: {},
    onInterrupted: 'retry',
    async handler(_, ctx) {
      await outside;
      ctx.progress('on');
      await ctx.state.set('runs', Number((await ctx.state.get('runs')) ?? 0) + 1);
      return ctx.step('work', () => ctx.state.get('runs'));
    },
  });
  const play = playTool(slow);
  await play.advance(0);
  play.crash();
  await play.advance(0);
  go();
  expect(await play.end()).toEqual({ result: 1 });
  expect([play.effects, play.progress]).toEqual([{ work: 1 }, ['on']]);
});

test('[PLG5, PLG1] the state of a plugin is there after a crash', async () => {
  let state: PluginState | undefined;
  const read = defineTool({
    name: 'read',
    description: 'Reads what the plugin keeps.',
    parameters: {},
    handler: async (_, ctx) => (await ctx.confirm('read', 'Read it?')) && state?.get('kept'),
  });
  const stage = new Stage();
  await stage.setUp({
    name: 'keeping',
    tools: [read],
    async setup(host) {
      state = host.state;
      await state.set('kept', 'before');
    },
  });
  expect(await playTool(read, { stage, human: ['crash', approve()] }).end()).toEqual({ result: 'before' });
});

test('[PLG5, INT10] a crash just before a deadline leaves people half a minute', async () => {
  const play = playTool(send);
  const prompt = await play.prompt();
  await play.advance(299_000);
  play.crash();
  await play.advance(29_000);
  expect(prompt.state).toBe('open');
  prompt.approve();
  expect(await play.end()).toEqual({ result: 'sent' });
  const late = playTool(send, { human: ['crash', 'timeout'] });
  expect(await late.end()).toMatchObject({ error: { code: 'denied' } });
});

test('[PLG5, APR4] a grant also answers prompts that are open', async () => {
  const ask = defineTool({
    name: 'ask',
    description: 'Asks.',
    parameters: {},
    handler: async (_, ctx) => (await ctx.approve({ key: 'ask' })).approved,
  });
  const stage = new Stage();
  const [first, second] = [playTool(ask, { stage }), playTool(ask, { stage })];
  (await second.prompt()).approve({ scope: 'session' });
  expect([await first.end(), await second.end()]).toEqual([{ result: true }, { result: true }]);
  expect(first.prompts[0]?.answered).toMatchObject({ action: 'approve', by: { principal: 'ann' } });
});

test('[PLG5, FRM6] an answer that was not stored when the process crashed counts in the next one', async () => {
  const play = playTool(send);
  const prompt = await play.prompt();
  prompt.approve();
  play.crash();
  expect(await play.end()).toEqual({ result: 'sent' });
  expect(prompt.answered?.action).toBe('approve');
});

test('[PLG5] a call that was not stored when the process crashed begins in the next one', async () => {
  const play = playTool(send, { human: [approve()] });
  play.crash();
  expect(await play.end()).toEqual({ result: 'sent' });
});

test('[PLG5, PLG2] a tool that a server would not load is refused', () => {
  const { description: _, ...unnamed } = send;
  expect(() => playTool(unnamed as Tool)).toThrow('tool "send" has no description');
});
