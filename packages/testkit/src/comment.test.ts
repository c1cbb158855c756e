import { defineTool } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { approve, comment, deny, type LineComments, playTool } from './index.ts';

const plan = defineTool({
  name: 'plan',
  description: 'Shows a plan.',
  parameters: {},
  async handler(_, ctx) {
    const subject = { kind: 'markdown', text: '1. Build\n2. Deploy' } as const;
    const answer = await ctx.requestInteraction({ type: 'approval', subject });
    return 'annotations' in answer ? { said: answer.annotations ?? [] } : { said: 'none' };
  },
});

test('[REV2] a person of the kit comments on lines, and the handler gets them typed', async () => {
  const play = playTool(plan, { args: {}, human: [comment(deny('Later.'), { 2: 'Not on a Friday.' })] });
  const annotation = { lines: [2, 2], quote: '2. Deploy', comment: 'Not on a Friday.' };
  expect(await play.end()).toMatchObject({ result: { said: [annotation] } });
  expect(play.prompts[0]?.answered).toMatchObject({ reason: 'Later.', annotations: [annotation] });
});

test('[REV2] so does one with a yes', async () => {
  const play = playTool(plan, { args: {}, human: [approve({ comments: { 1: 'Good.' } })] });
  expect(await play.end()).toMatchObject({ result: { said: [{ quote: '1. Build', comment: 'Good.' }] } });
});

test('[REV1] a comment may be about several lines', async () => {
  const play = playTool(plan, { args: {}, human: [comment(deny(), { '1-2': 'Too much at once.' })] });
  const annotation = { lines: [1, 2], quote: '1. Build\n2. Deploy', comment: 'Too much at once.' };
  expect(await play.end()).toMatchObject({ result: { said: [annotation] } });
});

test('[REV1] a comment on a line that is not shown is an error of the test', async () => {
  const play = playTool(plan, { args: {}, human: () => undefined });
  const prompt = await play.prompt();
  expect(() => prompt.answer(comment(deny(), { 3: 'What?' }))).toThrow('The subject has no line 3 to comment on.');
  expect(() => prompt.answer(comment(deny(), { '2-3': 'What?' }))).toThrow('no line 2-3 to comment on.');
  const words = { second: 'What?' } as unknown as LineComments;
  expect(() => prompt.answer(comment(deny(), words))).toThrow('no line second to comment on.');
});
