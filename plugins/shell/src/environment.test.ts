import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PluginHost } from '@parleyhq/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { scriptShell } from '../test/script.ts';
import plugin from './index.ts';

const secrets = ['PARLEY_TOKEN', 'SOME_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN', 'DATABASE_URL'];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-shell-'));
  for (const name of [...secrets, 'HARMLESS']) vi.stubEnv(name, 'canary');
  vi.stubEnv('LC_TIME', 'C');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

test('[SEC8] a command gets only the environment variables that it needs to run', async () => {
  await setUp({});
  const output = await readEnvironment();
  expect(output).toContain(`PATH=${process.env.PATH}\n`);
  expect(output).toContain('LC_TIME=C\n');
  expect(output).not.toContain('canary');
});

test('[SEC8] a command gets the variables that the config names', async () => {
  await setUp({ env: ['HARMLESS'] });
  expect(await readEnvironment()).toContain('HARMLESS=canary\n');
});

test.each(['PARLEY_TOKEN', 'SOME_API_KEY'])('[SEC8] %s cannot be passed on by any config', async (name) => {
  await expect(setUp({ env: [name] })).rejects.toThrow('never passed on');
});

async function setUp(config: object): Promise<void> {
  await plugin.setup?.({ config, dataDir: folder } as unknown as PluginHost);
}

async function readEnvironment(): Promise<string> {
  const { output } = (await scriptShell({ action: 'approve' }).run({ command: 'env' })) as { output: string };
  return output;
}
