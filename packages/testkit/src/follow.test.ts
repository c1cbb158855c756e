import { defineTool } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { approve, playTool } from './index.ts';

const deploy = defineTool({
  name: 'deploy',
  description: 'Deploys.',
  parameters: { type: 'object', properties: { version: { type: 'string' } } },
  async handler(_, ctx) {
    const approval = await ctx.approve<{ version: string }>({
      key: ({ version }) => ['deploy', version],
      title: ({ version }) => `Deploy ${version}?`,
      subject: { kind: 'text', text: 'To production.' },
      editable: true,
    });
    return approval.approved ? approval.args.version : approval.code;
  },
});

test('[PLG5, PLG13] an edit is asked about with its new title and subject, even after a crash', async () => {
  const human = [approve({ editedArgs: { version: '2' }, scope: 'session' }), 'crash', approve()] as const;
  const play = playTool(deploy, { args: { version: '1' }, human });
  expect(await play.end()).toEqual({ result: '2' });
  expect(play.prompts.map(({ title }) => title)).toEqual(['Deploy 1?', 'Deploy 2?']);
  expect(play.prompts[1]?.request).toMatchObject({ editable: false, approvalScopes: ['once'] });
});

test('[PLG5, PLG13] an edit that looks the same runs at once', async () => {
  const human = [approve({ editedArgs: { version: '1', note: 'x' } })];
  const play = playTool(deploy, { args: { version: '1' }, human });
  expect(await play.end()).toEqual({ result: '1' });
});

test('[PLG5, PLG8] an invalid argument is refused as by a server', async () => {
  const wrong = defineTool({
    name: 'wrong',
    description: 'Asks without a key.',
    parameters: {},
    handler: (_, ctx) => (ctx.confirm as (text: string) => Promise<boolean>)('Really?'),
  });
  expect(await playTool(wrong).end()).toMatchObject({
    error: { code: 'tool_error', message: expect.stringContaining('ctx.confirm: needs a key and a question') },
  });
});
