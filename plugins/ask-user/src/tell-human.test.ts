import { expect, test } from 'vitest';
import { scriptTool } from '../test/script.ts';
import { tellHuman } from './tell-human.ts';

test('[ASK3] tell_human waits for nobody', async () => {
  const { run, asked } = scriptTool(tellHuman);
  expect(await run({ text: '**Done.**' })).toEqual({ ok: true });
  expect(asked).toEqual([]);
});

test.each([{}, { text: ' ' }, { text: 'Done.', title: 'News' }])('[ASK3] tell_human refuses %j', async (args) => {
  await expect(scriptTool(tellHuman).run(args)).rejects.toMatchObject({ code: 'invalid_args' });
});
