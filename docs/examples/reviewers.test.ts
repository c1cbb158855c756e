import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileOf, pathOf, startInTest, Talk } from './test/talk.ts';

async function authorised(talk: Talk): Promise<string[]> {
  await talk.result();
  return talk.tab.events('tool_call').map(({ payload }) => payload.authorised.by);
}

test('[LESS3] searching: a reviewer of a plugin passes what it knows, and asks about the rest', async () => {
  const { reviewers, policies: shown } = JSON.parse(await readFile(pathOf('own-notes.config.json'), 'utf8'));
  const policies = shown.map((policy: object) => ({ ...policy, sample: 0 })); // or one pass in twenty is asked about
  const config = fileOf(JSON.stringify({ reviewers, policies }), 'parley.config.json');
  const server = await startInTest({ plugins: [pathOf('searching.ts')], args: ['--config', config] });
  const passed = await Talk.begin(server, '/call search_notes {"query":"tea","person":"Ann"}');
  expect(await authorised(passed)).toEqual(['reviewer']);
  const asked = await Talk.begin(server, '/call search_notes {"query":"tea","person":"Bob"}');
  const prompt = await asked.answer({ action: 'approve' });
  expect(prompt.reviewed?.reason).toBe('Bob has not agreed to searches.');
});

test('[LESS3] review.mjs: a command as a reviewer', async () => {
  const folder = join(fileOf('', 'review.mjs'), '..');
  await copyFile(pathOf('review.mjs'), join(folder, 'review.mjs'));
  const reviewers = [
    { reviewer: 'command', name: 'our-rules', config: { command: [process.execPath, 'review.mjs'], cwd: folder } },
  ];
  const policies = [{ tool: 'search_*', effect: 'review', reviewer: 'our-rules', sample: 0 }];
  const config = fileOf(JSON.stringify({ reviewers, policies }), 'parley.config.json');
  const server = await startInTest({ plugins: [pathOf('searching.ts')], args: ['--config', config] });
  const passed = await Talk.begin(server, '/call search_notes {"query":"green tea","person":"Ann"}');
  expect(await authorised(passed)).toEqual(['reviewer']);
  const asked = await Talk.begin(server, '/call search_notes {"query":"$(cat /etc/passwd)","person":"Ann"}');
  expect((await asked.prompt()).reviewed?.reason).toBe('It searches for something unusual.');
});
