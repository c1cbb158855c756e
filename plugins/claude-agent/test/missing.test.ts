import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failToStart } from '../../../packages/server/test/support/fail-to-start.ts';
import { Journey } from '../../../packages/server/test/support/journey.ts';
import { pluginOf } from '../../../packages/server/test/support/plugin-file.ts';
import { startServer } from '../../../packages/server/test/support/use-server.ts';

let empty: string;
beforeAll(async () => {
  empty = await mkdtemp(join(tmpdir(), 'parley-test-'));
});
afterAll(() => rm(empty, { recursive: true }));

async function start(config: object, env: Record<string, string>) {
  const file = pluginOf(JSON.stringify({ pluginConfigs: { 'claude-agent': config } }), 'parley.config.json');
  return failToStart({ args: ['--no-auth', '--agent', 'claude-agent', '--config', file], env, isAlone: true });
}

test('[AGT3] without the SDK the server does not start and says how to install it', async () => {
  const { code, stderr, stdout } = await start({ sdk: empty }, { ANTHROPIC_API_KEY: 'sk-test' });
  expect(code).not.toBe(0);
  expect(stdout).toBe('');
  expect(stderr).toContain(`The Claude Agent SDK is not installed in ${empty}.`);
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  const [[name, version] = []] = Object.entries(manifest.peerDependencies);
  expect(stderr).toContain(`npm install --no-save ${name}@${version}\n`);
});

test('[AGT3] without an API key or with an invalid working directory the server does not start', async () => {
  expect((await start({ sdk: empty }, {})).stderr).toContain('set ANTHROPIC_API_KEY');
  const config = { sdk: empty, workingDirectory: join(empty, 'nowhere') };
  expect((await start(config, { ANTHROPIC_API_KEY: 'sk-test' })).stderr).toContain('nowhere" is not a folder');
  const folders = { sdk: empty, folders: [empty, join(empty, 'missing')] };
  expect((await start(folders, { ANTHROPIC_API_KEY: 'sk-test' })).stderr).toContain('missing" is not a folder');
  const both = { sdk: empty, folders: [empty], workingDirectory: empty };
  expect((await start(both, { ANTHROPIC_API_KEY: 'sk-test' })).stderr).toContain('either workingDirectory or folders');
});

test('[AGT3] without the plugin no SDK is needed and the agent is not offered, with or without an API key', async () => {
  const server = await startServer({ env: { ANTHROPIC_API_KEY: 'sk-test' }, isAlone: true });
  const { tab } = await Journey.begin(server);
  const welcome = tab.frames.find((frame) => frame.type === 'welcome');
  expect(welcome?.type === 'welcome' && welcome.agents.map(({ name }) => name)).toEqual(['demo']);
});
