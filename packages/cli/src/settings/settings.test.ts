import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { adoptDataDir } from './data-dir.ts';
import { readSettings, SettingsError } from './settings.ts';
import { Trust } from './trust.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-settings-'));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, text: string) => writeFile(join(folder, name), text);

test('[OPS2] the defaults', async () => {
  expect(await readSettings({}, {}, folder)).toMatchObject({
    port: 7420,
    host: '127.0.0.1',
    dataDir: join(folder, '.parley'),
    agent: 'demo',
    auth: true,
    behindProxy: false,
    json: false,
    plugins: [],
    durability: 'full',
    configFile: undefined,
  });
});

test('[OPS2] flags beat the environment, which beats the file, which beats the default', async () => {
  await write('parley.config.json', JSON.stringify({ port: 1, agent: 'file', model: 'file' }));
  const env = { PARLEY_PORT: '2', PARLEY_AGENT: 'env' };
  expect(await readSettings({ port: '3' }, env, folder)).toMatchObject({ port: 3, agent: 'env', model: 'file' });
});

test('[OPS2] an absent flag and an empty variable count as not set', async () => {
  await write('parley.config.json', JSON.stringify({ auth: false, agent: 'file' }));
  expect(await readSettings({ auth: true }, { PARLEY_AGENT: '' }, folder)).toMatchObject({
    auth: false,
    agent: 'file',
  });
});

test.each([
  ['json', 'parley.config.json', '{"model":"found"}'],
  ['js', 'parley.config.mjs', 'export default { model: "found" };'],
  ['ts', 'parley.config.ts', 'const model: string = "found"; export default { model };'],
])('[OPS2] a config file is found as %s', async (_, name, text) => {
  await write(name, text);
  const trust = new Trust({ env: { XDG_CONFIG_HOME: join(folder, 'home') }, isGiven: true, ask: undefined });
  expect(await readSettings({}, {}, folder, trust)).toMatchObject({ model: 'found', configFile: join(folder, name) });
});

test('[OPS2] every invalid setting is reported with its source', async () => {
  await write('own.json', JSON.stringify({ durability: 'often', colour: 'red' }));
  const reading = readSettings({ port: 'x', config: 'own.json' }, { PARLEY_TOKEN: 'short' }, folder);
  await expect(reading).rejects.toThrow(SettingsError);
  const fault = await reading.catch((error: Error) => error);
  expect((fault as Error).message.split('\n')).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^--port: /),
      expect.stringMatching(/^PARLEY_TOKEN: .*16/),
      expect.stringMatching(/own\.json: durability: .*"full"/),
      expect.stringMatching(/own\.json: .*"colour"/),
    ]),
  );
});

test('[OPS2] an invalid member of a setting is reported by its path and a message', async () => {
  const notifiers = ['mail', { people: 5 }, { notifier: 'mail', people: {}, quiet: { from: '22:00' } }];
  const anthropic = { maxTokens: 'x', thinking: 'no', cacheTtl: '2h', baseUrl: 4 };
  await write('within.json', JSON.stringify({ notifiers, anthropic, quotas: 4, policies: [{ tool: 3 }] }));
  const fault = await readSettings({ config: 'within.json' }, {}, folder).catch((error: Error) => error);
  const lines = (fault as Error).message.split('\n').map((line) => line.split('within.json: ')[1]);
  expect(lines.sort()).toEqual([
    'anthropic.baseUrl: must be an address, as https://models.example.org',
    'anthropic.cacheTtl: must be "5m" or "1h"',
    'anthropic.maxTokens: must be a whole number of tokens above 0',
    'anthropic.thinking: must be "adaptive", "off" or a whole number of tokens from 1024',
    'notifiers.0: must be an object',
    'notifiers.1.notifier: is missing',
    'notifiers.1.people: must hold settings by person',
    'notifiers.2.quiet.timeZone: is missing',
    'notifiers.2.quiet.to: is missing',
    'policies.0.tool: must be a string',
    'quotas: must be an object',
  ]);
});

test('[OPS2, SIGN1] a provider of log-ins needs a safe address, and roles that there are', async () => {
  const oidc = {
    issuer: 'http://login.example.org',
    clientId: 'parley',
    roles: { '*': 'asker' },
    scope: 'email',
    loginMs: 401 * 86_400_000,
    x: 1,
  };
  await write('login.json', JSON.stringify({ oidc }));
  const fault = await readSettings({ config: 'login.json' }, {}, folder).catch((error: Error) => error);
  const { message } = fault as Error;
  for (const words of [
    'issuer: must begin with https',
    'roles.*: must be "viewer"',
    'scope: must contain "openid"',
    'loginMs: must be at most 400 days',
    '"x"',
  ])
    expect(message).toContain(words);
  const fit = { issuer: 'http://127.0.0.1:8080/realm', clientId: 'parley', roles: { staff: 'viewer' } };
  await write('local.json', JSON.stringify({ oidc: fit }));
  expect(await readSettings({ config: 'local.json' }, {}, folder)).toMatchObject({ oidc: fit });
});

test('[OPS2] a config file that is missing or broken is reported by name', async () => {
  await expect(readSettings({ config: 'none.json' }, {}, folder)).rejects.toThrow(/none\.json/);
  await write('broken.json', '{');
  await expect(readSettings({}, { PARLEY_CONFIG: 'broken.json' }, folder)).rejects.toThrow(/broken\.json/);
});

test('[OPS2, PLG4] a package that the file names is found from its folder, wherever the server starts', async () => {
  const home = join(folder, 'etc/node_modules/parley-plugin-notes');
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'package.json'), JSON.stringify({ name: 'parley-plugin-notes', main: 'plugin.cjs' }));
  await writeFile(join(home, 'plugin.cjs'), 'module.exports = {};');
  const config = {
    plugins: ['parley-plugin-notes', { module: 'parley-plugin-notes', config: 1 }, 'elsewhere', 'events'],
  };
  await writeFile(join(folder, 'etc/parley.config.json'), JSON.stringify(config));
  const { plugins } = await readSettings({ config: 'etc/parley.config.json' }, {}, folder);
  const file = join(home, 'plugin.cjs');
  expect(plugins).toEqual([file, { module: file, config: 1 }, 'elsewhere', 'events']);
});

test('[OPS2, PLG4] plugins of the file are joined by those of the flags, or else of the environment', async () => {
  const env = { PARLEY_PLUGINS: 'env-a,env-b' };
  expect((await readSettings({ plugin: ['flag'] }, env, folder)).plugins).toEqual(['flag']);
  expect((await readSettings({}, env, folder)).plugins).toEqual(['env-a', 'env-b']);
  await write('parley.config.json', JSON.stringify({ plugins: ['file', { module: 'other', config: { a: 1 } }] }));
  const file = ['file', { module: 'other', config: { a: 1 } }];
  expect((await readSettings({ plugin: ['flag'] }, env, folder)).plugins).toEqual([...file, 'flag']);
  expect((await readSettings({}, env, folder)).plugins).toEqual([...file, 'env-a', 'env-b']);
});

test('[OPS2, APR3] a policy names a tool and a known effect', async () => {
  const policies = [{ tool: 'run_*', effect: 'ask' }];
  await write('parley.config.json', JSON.stringify({ policies }));
  expect(await readSettings({}, {}, folder)).toMatchObject({ policies });
  await write('parley.config.json', JSON.stringify({ policies: [{ tool: 'run_*', effect: 'maybe' }] }));
  await expect(readSettings({}, {}, folder)).rejects.toThrow('policies');
});

test('[OPS2, TEAM1] a policy may name an audience and a visibility, and must have at least one member', async () => {
  const audience = { principals: ['Ann'], exclude: ['requester'] };
  const policies = [{ tool: 'run_*', audience, visibility: 'audience' }];
  await write('parley.config.json', JSON.stringify({ policies }));
  expect(await readSettings({}, {}, folder)).toMatchObject({ policies });
  const faults = [{}, { visibility: 'none' }, { audience: { principal: 'Ann' } }, { audience: { principals: [] } }];
  for (const fault of faults) {
    await write('parley.config.json', JSON.stringify({ policies: [{ tool: 'run_*', ...fault }] }));
    await expect(readSettings({}, {}, folder)).rejects.toThrow('policies');
  }
});

test('[OPS2] numbers and booleans are typed in the config file, and strings in the environment', async () => {
  await write('parley.config.json', JSON.stringify({ port: '7', auth: 'false' }));
  await expect(readSettings({}, {}, folder)).rejects.toThrow(/port: must be a whole number.*\n.*auth: must be true/);
  await write('parley.config.json', JSON.stringify({ port: 7, auth: false }));
  expect(await readSettings({}, {}, folder)).toMatchObject({ port: 7, auth: false });
  expect(await readSettings({}, { PARLEY_PORT: '8', PARLEY_AUTH: 'yes' }, folder)).toMatchObject({
    port: 8,
    auth: true,
  });
});

test('[OPS2] a command finds the port of a data directory that was named or is trusted; a server start ignores it', async () => {
  await mkdir(join(folder, '.parley'));
  await write('.parley/parley.port', '7555\n');
  const env = { XDG_CONFIG_HOME: join(folder, 'home') };
  const trust = new Trust({ env, isGiven: true, ask: undefined });
  const portOf = async (...args: Parameters<typeof readSettings>) => (await readSettings(...args)).port;
  expect(await portOf({ dataDir: '.parley' }, env, folder)).toBe(7555);
  expect(await portOf({ dataDir: '.parley', port: '7556' }, env, folder)).toBe(7556);
  expect(await portOf({ dataDir: '.parley' }, env, folder, trust)).toBe(7420);
  expect(await portOf({}, env, folder)).toBe(7420); // somebody else may have put it here to get the token
  adoptDataDir(join(folder, '.parley'), trust);
  expect(await portOf({}, env, folder)).toBe(7555);
  await write('.parley/parley.port', 'elsewhere');
  expect(await portOf({}, env, folder)).toBe(7420);
});

test('[SIGN2] stepUp is a risk, or a risk and globs of tools', async () => {
  const read = async (stepUp: unknown) => {
    await write('step-up.json', JSON.stringify({ stepUp }));
    return readSettings({ config: 'step-up.json' }, {}, folder);
  };
  expect(await read('high')).toMatchObject({ stepUp: { risk: 'high' } });
  const both = { risk: 'medium', tools: ['deploy_*'] };
  expect(await read(both)).toMatchObject({ stepUp: both });
  for (const wrong of ['always', {}, { risk: 'x' }, { tools: [] }, { tool: ['a'] }])
    await expect(read(wrong)).rejects.toThrow('must be "low", "medium", "high", or { "risk"');
});
