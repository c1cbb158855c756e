import { defineTool, ToolError } from '@parleyhq/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { approve, playTool } from './index.ts';

/** Asks until its signal aborts, and returns how that ended. */
function asking(signal: AbortSignal, noted: string[] = []) {
  return defineTool({
    name: 'asking',
    description: 'Asks.',
    parameters: { type: 'object' },
    async handler(_, ctx) {
      try {
        const onCancel = () => void noted.push('onCancel');
        const { action } = await ctx.requestInteraction({ type: 'approval', signal, timeoutMs: null, onCancel });
        return action;
      } catch (error) {
        const { code, message } = error as ToolError;
        return `${code}: ${message}`;
      }
    },
  });
}

test('[INT11, PLG5] a played tool withdraws its question, with the reason', async () => {
  const needed = new AbortController();
  const noted: string[] = [];
  const play = playTool(asking(needed.signal, noted));
  const prompt = await play.prompt();
  needed.abort(new ToolError('withdrawn', 'It rains.'));
  expect(await play.end()).toEqual({ result: 'withdrawn: It rains.' });
  expect(prompt.state).toBe('closed');
  expect(noted).toEqual(['onCancel']);
});

test('[INT11, PLG5] a question that is no longer needed is not asked, and an answer that came first counts', async () => {
  const before = playTool(asking(AbortSignal.abort()));
  expect(await before.end()).toEqual({ result: 'withdrawn: This was withdrawn before anybody answered.' });
  expect(before.prompts).toEqual([]);
  const needed = new AbortController();
  const play = playTool(asking(needed.signal), { human: [approve()] });
  expect(await play.end()).toEqual({ result: 'approve' });
  needed.abort();
  expect(play.prompts[0]?.state).toBe('answered');
});

test('[INT11, PLG8] a value that is not a signal is refused', async () => {
  const play = playTool(asking('soon' as unknown as AbortSignal));
  expect(await play.end()).toEqual({ result: 'tool_error: requestInteraction: signal: must be an AbortSignal' });
});

test('[INT11, PLG5] a form and an approval are withdrawn like any question', async () => {
  const needed = new AbortController();
  const { signal } = needed;
  const tool = defineTool({
    name: 'asking',
    description: 'Asks twice.',
    parameters: { type: 'object' },
    async handler(_, ctx) {
      const asked = [ctx.ask('word', z.object({ word: z.string() }), { signal }), ctx.approve({ key: 'k', signal })];
      const ends = await Promise.allSettled(asked);
      return ends.map((end) => (end.status === 'rejected' ? end.reason.code : end.status));
    },
  });
  const play = playTool(tool);
  await play.prompt();
  needed.abort();
  expect(await play.end()).toEqual({ result: ['withdrawn', 'withdrawn'] });
});
