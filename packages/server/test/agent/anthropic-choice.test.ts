import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from '@parleyhq/server/testing';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { ModelServer } from '../support/model-server.ts';
import { pluginOf } from '../support/plugin-file.ts';
import { mainPath, ServerProcess, spawnServer } from '../support/server-process.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-choice-'));
});
afterEach(() => rm(folder, { recursive: true }));

const key = { ANTHROPIC_API_KEY: 'sk-test' };

test('[AGT2, AGT1] a key alone chooses nothing: new sessions are the demo, and nobody can take the other', async () => {
  const server = await ServerProcess.start({ env: key, isAlone: true });
  onTestFinished(() => server.remove());
  const { tab, session } = await Journey.begin(server);
  expect((await tab.waitFor('welcome')).agents.map(({ name }) => name)).toEqual(['demo']);
  await tab.say(session, 'Hello');
  expect((await tab.event(session, 'turn_start')).payload.agent).toBe('demo');
  expect(await tab.request({ type: 'create_session', agent: 'anthropic' })).toMatchObject({
    error: { code: 'unknown_agent' },
  });
});

test('[AGT2, TEAM2] the agent that was asked for stands alone, without the demo, and new sessions get it', async () => {
  const args = ['--no-auth', '--agent', 'anthropic'];
  const server = await ServerProcess.start({ env: key, args, isAlone: true });
  onTestFinished(() => server.remove());
  const { tab, session } = await Journey.begin(server);
  const { agents } = await tab.waitFor('welcome');
  expect(agents.map(({ name }) => name)).toEqual(['anthropic']);
  const listed = await tab.request({ type: 'list_sessions' });
  expect(listed).toMatchObject({ result: { sessions: [{ id: session, agent: 'anthropic' }] } });
});

test('[AGT2, OPS2] a key alone is hinted at, in one line, and never shown', async () => {
  const args = [mainPath, 'serve', '--port', '0', '--no-auth'];
  const child = spawn(process.execPath, [...args, '--data-dir', folder], { env: key });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
  });
  let said = '';
  while (!said.includes('--agent anthropic')) said += String((await once(child.stdout, 'data'))[0]);
  expect(said).toContain('The agent of new sessions is "demo"');
  expect(said).not.toContain('sk-test');
});

test.each([
  [{}, 'The agent "anthropic" needs a key: set ANTHROPIC_API_KEY.'],
  [{ ANTHROPIC_API_KEY: '' }, 'The agent "anthropic" needs a key: set ANTHROPIC_API_KEY.'],
  [{ ...key, ANTHROPIC_BASE_URL: 'localhost' }, 'ANTHROPIC_BASE_URL: must be an address.'],
])('[AGT2, OPS2] with %j the agent that was asked for stops the start, and says what is wrong', async (env, words) => {
  const { child, stderr } = spawnServer(folder, { args: ['--agent', 'anthropic'], env, isAlone: true });
  expect(await once(child, 'close')).toEqual([2, null]);
  expect(stderr.join('')).toBe(`parley: ${words}\n`);
});

test('[AGT2, OPS2] a setting that does not fit is named with its file', async () => {
  const config = await pluginOf(JSON.stringify({ anthropic: { thinking: 'hard', maxTokens: 0 } }), 'parley.json');
  const { child, stderr } = spawnServer(folder, { args: ['--config', config], isAlone: true });
  expect(await once(child, 'close')).toEqual([2, null]);
  expect(stderr.join('')).toContain('parley.json: anthropic.thinking: ');
  expect(stderr.join('')).toContain('parley.json: anthropic.maxTokens: ');
});

test('[AGT2] started again without it, the session says that its agent is not there, and goes on when it is', async () => {
  const model = await ModelServer.start();
  onTestFinished(() => model.remove());
  await model.ask('Hello', { content: [say('Hello.')] });
  await model.end();
  await model.server.kill();
  model.server = await model.server.restart({ args: ['--no-auth'] });
  model.journey = await model.journey.join(model.server);
  let { seq } = model;
  await model.say('Still there?');
  expect(await model.end(seq)).toMatchObject({ status: 'error', error: { code: 'unknown_agent' } });
  await model.server.kill();
  model.api.script({ content: [say('Here I am.')] });
  model.server = await model.server.restart({ args: model.args });
  model.journey = await model.journey.join(model.server);
  seq = model.seq;
  await model.say('And now?');
  expect(await model.end(seq)).toMatchObject({ status: 'completed' });
  expect((await model.sent(2)).at(-1)?.content).toHaveLength(2);
});

test('[AGT2] the key is the one that was given: other variables and profiles on the disk change nothing', async () => {
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
  const model = await ModelServer.start({}, strange);
  onTestFinished(() => model.remove());
  await model.ask('Hello', { content: [say('Hello.')] });
  await model.end();
  const { headers } = await model.request(1);
  expect(headers).toMatchObject({ authorization: 'Bearer sk-test', 'x-team': 'tea' });
  expect(JSON.stringify(headers)).not.toMatch(/another|sk-from-disk/);
  expect(model.server.stderr.join('')).not.toContain('sk-test');
  expect(model.server.stdout).toHaveLength(1);
});
