import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startParley } from '@parleyhq/client/process';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { configOf, onlyThese } from './claude-server.ts';

let empty: string;
beforeAll(async () => {
  empty = await mkdtemp(join(tmpdir(), 'parley-test-'));
});
afterAll(() => rm(empty, { recursive: true }));

/** Starts a server that must fail. @returns why */
async function start(config: object, env: Record<string, string>): Promise<string> {
  const args = ['--agent', 'claude-agent', '--config', configOf(config)];
  const started = startParley({ args, env: onlyThese(env) });
  return started.then(
    async (server) => {
      await server.stop();
      throw new Error('it started');
    },
    ({ message }: Error) => message,
  );
}

test('[AGT3] without the SDK the server does not start and says how to install it', async () => {
  const words = await start({ sdk: empty }, { ANTHROPIC_API_KEY: 'sk-test' });
  expect(words).toMatch(/^parley serve ended with [1-9]/);
  expect(words).toContain(`The Claude Agent SDK is not installed in ${empty}.`);
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  const [[name, version] = []] = Object.entries(manifest.peerDependencies);
  expect(words).toContain(`npm install --no-save ${name}@${version}\n`);
});

test('[AGT3] without an API key or with an invalid working directory the server does not start', async () => {
  expect(await start({ sdk: empty }, {})).toContain('set ANTHROPIC_API_KEY');
  const config = { sdk: empty, workingDirectory: join(empty, 'nowhere') };
  expect(await start(config, { ANTHROPIC_API_KEY: 'sk-test' })).toContain('nowhere" is not a folder');
  const folders = { sdk: empty, folders: [empty, join(empty, 'missing')] };
  expect(await start(folders, { ANTHROPIC_API_KEY: 'sk-test' })).toContain('missing" is not a folder');
  const both = { sdk: empty, folders: [empty], workingDirectory: empty };
  expect(await start(both, { ANTHROPIC_API_KEY: 'sk-test' })).toContain('either workingDirectory or folders');
});

test('[AGT3] without the plugin no SDK is needed and the agent is not offered, with or without an API key', async () => {
  const server = await startParley({ env: onlyThese({ ANTHROPIC_API_KEY: 'sk-test' }) });
  onTestFinished(() => server.stop());
  const { client } = await server.tab();
  expect(client.state.welcome?.agents.map(({ name }) => name)).toEqual(['demo']);
});
