import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { say } from '@parleyhq/plugin-anthropic/testing';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { startModelServer } from '../support/model-server.ts';
import { makeFolder, pluginOf } from '../support/plugin-file.ts';
import { spawnServer } from '../support/server-process.ts';
import { startServer } from '../support/use-server.ts';

let folder: string;
beforeEach(() => {
  folder = makeFolder();
});

const key = { ANTHROPIC_API_KEY: 'sk-test' };

test('[AGT2, AGT1] an API key alone selects nothing: new sessions use the demo, and nobody can choose the other agent', async () => {
  const server = await startServer({ env: key, isAlone: true });
  const { tab, session } = await Journey.begin(server);
  expect((await tab.waitFor('welcome')).agents.map(({ name }) => name)).toEqual(['demo']);
  await tab.say(session, 'Hello');
  expect((await tab.event(session, 'turn_start')).payload.agent).toBe('demo');
  expect(await tab.request({ type: 'create_session', agent: 'anthropic' })).toMatchObject({
    error: { code: 'unknown_agent' },
  });
});

test('[AGT2, TEAM2] the configured agent stands alone, without the demo, and new sessions use it', async () => {
  const args = ['--no-auth', '--agent', 'anthropic'];
  const server = await startServer({ env: key, args, isAlone: true });
  const { tab, session } = await Journey.begin(server);
  const { agents } = await tab.waitFor('welcome');
  expect(agents.map(({ name }) => name)).toEqual(['anthropic']);
  const listed = await tab.request({ type: 'list_sessions' });
  expect(listed).toMatchObject({ result: { sessions: [{ id: session, agent: 'anthropic' }] } });
});

test('[AGT2, OPS2] an API key alone gets a hint of one line, which never shows the key', async () => {
  const { child } = spawnServer(folder, { env: key, isAlone: true, isForPeople: true });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
  });
  let said = '';
  while (!said.includes('--agent anthropic')) said += String((await once(child.stdout as Readable, 'data'))[0]);
  expect(said).toContain('The agent of new sessions is "demo"');
  expect(said).not.toContain('sk-test');
});

test.each([
  [{}, 'The agent "anthropic" needs a key: set ANTHROPIC_API_KEY.'],
  [{ ANTHROPIC_API_KEY: '' }, 'The agent "anthropic" needs a key: set ANTHROPIC_API_KEY.'],
  [{ ...key, ANTHROPIC_BASE_URL: 'localhost' }, 'ANTHROPIC_BASE_URL: must be an address.'],
])('[AGT2, OPS2] with %j the configured agent refuses to start, and explains why', async (env, words) => {
  const { child, stderr } = spawnServer(folder, { args: ['--agent', 'anthropic'], env, isAlone: true });
  expect(await once(child, 'close')).toEqual([2, null]);
  expect(stderr.join('')).toBe(`parley: ${words}\n`);
});

test('[AGT2, OPS2] an invalid setting is named with its file', async () => {
  const config = pluginOf(JSON.stringify({ anthropic: { thinking: 'hard', maxTokens: 0 } }), 'parley.json');
  const { child, stderr } = spawnServer(folder, { args: ['--config', config], isAlone: true });
  expect(await once(child, 'close')).toEqual([2, null]);
  expect(stderr.join('')).toContain('parley.json: anthropic.thinking: ');
  expect(stderr.join('')).toContain('parley.json: anthropic.maxTokens: ');
});

test('[AGT2] restarted without its agent, a session says that the agent is missing, and continues once it is back', async () => {
  const model = await startModelServer();
  await model.ask('Hello', { content: [say('Hello.')] });
  await model.end();
  await model.crash(['--no-auth']);
  let { seq } = model;
  await model.say('Still there?');
  expect(await model.end(seq)).toMatchObject({ status: 'error', error: { code: 'unknown_agent' } });
  model.api.script({ content: [say('Here I am.')] });
  await model.crash();
  seq = model.seq;
  await model.say('And now?');
  expect(await model.end(seq)).toMatchObject({ status: 'completed' });
  expect((await model.sent(2)).at(-1)?.content).toHaveLength(2);
});

test('[AGT2] only the given key is used: other variables and profiles on disk change nothing', async () => {
  await mkdir(join(folder, '.config/anthropic'), { recursive: true });
  await writeFile(join(folder, '.config/anthropic/credentials.json'), '{"default":{"api_key":"sk-from-disk"}}');
  const ANTHROPIC_CUSTOM_HEADERS = 'Authorization: Bearer another\nx-team: tea';
  const strange = {
    ANTHROPIC_CUSTOM_HEADERS,
    ANTHROPIC_AUTH_TOKEN: 'another',
    ANTHROPIC_PROFILE: 'default',
    ANTHROPIC_LOG: 'debug',
    HOME: folder,
  };
  const model = await startModelServer({}, strange);
  await model.ask('Hello', { content: [say('Hello.')] });
  await model.end();
  const { headers } = await model.request(1);
  expect(headers).toMatchObject({ authorization: 'Bearer sk-test', 'x-team': 'tea' });
  expect(JSON.stringify(headers)).not.toMatch(/another|sk-from-disk/);
  expect(model.server.stderr.join('')).not.toContain('sk-test');
  expect(model.server.stdout).toHaveLength(1);
});
