import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pathOf, startInTest, Talk } from './test/talk.ts';

test('[DUR1, DUR2, DUR3] import: the same prompt after a kill; a step runs once, other code runs again', async () => {
  const server = await startInTest({ plugins: [pathOf('import.ts')] });
  const talk = await Talk.begin(server, '/call import_rows {"rows":3}');
  await talk.answer({ action: 'approve' });
  const prompt = await talk.prompt();
  await server.restart();
  const back = await talk.goOn(server);
  await back.answer({ action: 'approve' }, prompt);
  expect(await back.result()).toEqual({ imported: 3, isAnnounced: true });
  const log = await readFile(join(server.dataDir, 'plugins/import/import.log'), 'utf8');
  expect(log.trim().split('\n')).toEqual(['counted', 'imported 3', 'counted']);
  expect(back.tab.events('interaction_request')).toHaveLength(2);
});

test('[DUR6] without the plugin its call ends, and its prompt shows why', async () => {
  const server = await startInTest({ plugins: [pathOf('import.ts')] });
  const talk = await Talk.begin(server, '/call import_rows {"rows":3}');
  const prompt = await talk.prompt();
  await server.restart({ plugins: [] });
  const back = await talk.goOn(server);
  expect(await back.result()).toMatchObject({ code: 'orphaned' });
  const late = back.tab.answer(prompt, { action: 'approve' });
  await expect(late).rejects.toMatchObject({ code: 'closed', details: { reason: 'orphaned' } });
});
