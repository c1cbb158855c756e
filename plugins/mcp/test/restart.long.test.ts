import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startParley } from '@parleyhq/client/process';
import { expect, onTestFinished, test } from 'vitest';
import { toyServer } from './mcp-stage.ts';

const params = {
  mode: 'form',
  message: 'Go on?',
  requestedSchema: { type: 'object', properties: { word: { type: 'string' } } },
};

/** Starts a real process with the toy; `calls` are those that reached the toy, over all restarts. */
async function start(era: 'legacy' | 'modern') {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const file = join(folder, 'calls');
  const config = join(folder, 'parley.config.json');
  writeFileSync(file, '');
  writeFileSync(config, JSON.stringify({ pluginConfigs: { mcp: { mcpServers: { toy: toyServer(era, file) } } } }));
  const server = await startParley({ args: ['--config', config] });
  onTestFinished(() => server.stop());
  const calls = () => readFileSync(file, 'utf8').split('\n').filter(Boolean).length;
  return { server, calls };
}

test('[AGT4, DUR2] a question of the era of 2026 survives kill -9 between its rounds: the answer reaches its call, and nothing is sent twice', async () => {
  const { server, calls } = await start('modern');
  const journey = await server.tab();
  const first = await journey.ask('toy__ask', { params, rounds: 2 });
  await journey.submit(first, { word: 'one' });
  const [, second] = await journey.prompts(2);
  expect(calls()).toBe(2);
  await server.restart();
  const after = await server.join(journey.sessionId);
  const prompt = (
    await after.event('interaction_request', ({ payload }) => payload.interactionId === second!.interactionId)
  ).payload;
  expect(calls()).toBe(2);
  await after.submit(prompt, { word: 'two' });
  const { result } = await after.result();
  expect(JSON.parse(String(result)).map(({ content }: { content: object }) => content)).toEqual([
    { word: 'one' },
    { word: 'two' },
  ]);
  expect(calls()).toBe(3);
});

test('[AGT4, DUR4] a call of the 2025 era that asks is interrupted by kill -9: a read-only one runs again, and resumes its question', async () => {
  const { server, calls } = await start('legacy');
  const journey = await server.tab();
  const first = await journey.ask('toy__ask', { params });
  await server.restart();
  const after = await server.join(journey.sessionId);
  await expect.poll(calls, { timeout: 30_000 }).toBe(2);
  await after.submit(first, { word: 'again' });
  expect(JSON.parse(String((await after.result()).result))).toEqual({ action: 'accept', content: { word: 'again' } });
});
