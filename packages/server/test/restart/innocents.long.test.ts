import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEffects, release } from '../support/journey.ts';
import { spawnServer } from '../support/server-process.ts';
import { startServer } from '../support/use-server.ts';
import { accuse, beginCalls, carefulWords, expectAnswered, expectOpen, guiltyPlugin } from './innocents.ts';

test('[DUR6, DUR10] only the call that ends the server is abandoned, by name: the others stay open and end with their answers', async () => {
  const server = await startServer({ plugins: [guiltyPlugin] });
  await accuse(server, { patient: 4, plain: 4 });
});

test('[DUR6] a kill in the middle of a start counts as one: the third start enters nothing, and no log has grown', async () => {
  const server = await startServer({ plugins: [guiltyPlugin] });
  const calls = await beginCalls(server, 'plain', 3);
  await server.kill();
  await release(server, 'starts-armed');
  const { child } = spawnServer(server.dataDir, { plugins: [guiltyPlugin] });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  await rm(join(server.dataDir, 'plugins/scripted/starts-armed'));

  await server.restart();
  await server.says(carefulWords);
  const tab = await expectOpen(
    server,
    calls.map(({ prompt }) => prompt),
  );
  for (const { session, seq } of calls) expect((await tab.follow(session)).seq).toBe(seq);
  const [first, ...others] = calls;
  if (first) await expectAnswered(tab, first);
  expect(await readEffects(server, 'plain')).toHaveLength(calls.length + 1); // plus the one that was answered
  for (const each of others) await expectAnswered(tab, each);
});

test('[DUR6, DUR10] a hundred innocent calls survive a guilty one, whatever their tools declare', {
  timeout: 300_000,
}, async () => {
  const server = await startServer({ plugins: [guiltyPlugin] });
  await accuse(server, { patient: 50, plain: 50 });
});
