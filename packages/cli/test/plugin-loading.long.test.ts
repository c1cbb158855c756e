import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Journey, pluginPath } from '../../server/test/support/journey.ts';
import { makeFolder } from '../../server/test/support/plugin-file.ts';
import { spawnServer } from '../../server/test/support/server-process.ts';
import { startServer, useServer } from '../../server/test/support/use-server.ts';

const folder = makeFolder();

let files = 0;

/** Writes a plugin file. */
async function file(source: string, extension = 'mjs'): Promise<string> {
  files += 1;
  const path = join(folder, `plugin-${files}.${extension}`);
  await writeFile(path, source);
  return path;
}

const tool = (name: string, handler = '() => 1') =>
  `{ name: '${name}', description: 'A tool.', parameters: { type: 'object' }, handler: ${handler} }`;

const plugin = (name: string, ...tools: string[]) => `{ name: '${name}', tools: [${tools.join(', ')}] }`;

/** Starts a server, which must fail, and returns its message. */
async function failToStart(
  plugins: string[],
  args?: string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const dataDir = await mkdtemp(join(folder, 'data-'));
  const { child, stderr } = spawnServer(dataDir, { plugins, args: args ?? ['--no-auth'], env });
  let stdout = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  const [code] = await once(child, 'close');
  expect({ code, stdout }).toEqual({ code: expect.any(Number), stdout: '' });
  expect([1, 2]).toContain(code);
  return stderr.join('');
}

test('[PLG1, PLG4] modules of every kind load, without imports: .mjs, .js as ESM and CommonJS, .cjs, .ts', async () => {
  const typed = `
    interface Args { readonly n: number }
    const twice = ({ n }: Args): number => 2 * n;
    export default { name: 'typed', tools: [{ ${tool('typed_tool', 'twice').slice(1)}] };`;
  const plugins = [
    await file(`export default ${plugin('esm', tool('mjs_tool'))}`),
    await file(`export default ${plugin('plain', tool('js_tool'))}`, 'js'),
    await file(`module.exports = ${plugin('common', tool('common_tool'))}`, 'js'),
    await file(`module.exports = ${plugin('cjs', tool('cjs_tool'))}`, 'cjs'),
    await file(typed, 'ts'),
  ];
  const server = await startServer({ plugins });
  const journey = await Journey.begin(server);
  for (const name of ['mjs_tool', 'js_tool', 'common_tool', 'cjs_tool']) {
    expect(await journey.run(name)).toEqual({ result: 1 });
  }
  expect(await journey.run('typed_tool', { n: 21 })).toEqual({ result: 42 });
});

test('[PLG1] setup gets config, log, folder and state; dispose runs when the server stops', async () => {
  const source = `
    import { writeFileSync } from 'node:fs';
    let host;
    export default {
      name: 'whole',
      version: '3.2.1',
      configSchema: { type: 'object', properties: { greeting: { type: 'string' } }, required: ['greeting'] },
      async setup(given) {
        host = given;
        host.log.info('set up', { greeting: host.config.greeting });
        await host.state.set('starts', ((await host.state.get('starts')) ?? 0) + 1);
        writeFileSync(host.dataDir + '/here', 'set up');
      },
      dispose() { writeFileSync(host.dataDir + '/here', 'disposed'); },
      tools: [${tool('starts', "async () => ({ starts: await host.state.get('starts'), config: host.config })")}],
    };`;
  const config = join(folder, 'parley.config.json');
  const module = await file(source);
  await writeFile(config, JSON.stringify({ plugins: [{ module, config: { greeting: 'hello' } }] }));
  const server = await startServer({ args: ['--no-auth', '--config', config] });
  const journey = await Journey.begin(server);
  expect(await journey.run('starts')).toEqual({ result: { starts: 1, config: { greeting: 'hello' } } });
  expect((await journey.event('tool_call')).payload.plugin).toEqual({ name: 'whole', version: '3.2.1' });
  const here = join(server.dataDir, 'plugins/whole/here');
  expect(await readFile(here, 'utf8')).toBe('set up');
  expect(await server.kill('SIGTERM')).toBe(0);
  expect(await readFile(here, 'utf8')).toBe('disposed');
  await server.restart();
  const back = await Journey.begin(server);
  expect(await back.run('starts')).toMatchObject({ result: { starts: 2 } });

  await writeFile(config, JSON.stringify({ plugins: [{ module, config: { greeting: 7 } }] }));
  expect(await failToStart([], ['--no-auth', '--config', config])).toMatch(/"whole".*greeting/s);
});

test('[PLG2] two tools of one name stop the start, naming both plugins and the tool', async () => {
  const one = await file(`export default ${plugin('one', tool('shared_tool'))}`);
  const two = await file(`export default ${plugin('two', tool('shared_tool'))}`);
  const words = await failToStart([one, two]);
  for (const name of ['"one"', '"two"', '"shared_tool"']) expect(words).toContain(name);
  const shipped = await failToStart([await file(`export default ${plugin('mine', tool('ask_user'))}`)]);
  for (const name of ['"mine"', '"ask-user"', '"ask_user"']) expect(shipped).toContain(name);
  const twice = await failToStart([await file(`export default ${plugin('self', tool('a'), tool('a'))}`)]);
  expect(twice).toMatch(/"self".*"a"/s);
});

test.each([
  ['a tool with a name no model could call', `export default ${plugin('odd', tool('no spaces'))}`, /odd.*no spaces/s],
  [
    'a misspelt name',
    "export default { name: 'p', tools: [{ nmae: 'lazy', description: '', parameters: {} }] }",
    /"p" has a tool without a "name"/,
  ],
  [
    'no handler',
    "export default { name: 'p', tools: [{ name: 'lazy', description: '', parameters: {} }] }",
    /tool "lazy" has no handler/,
  ],
  ['no tools', "export default { name: 'bare' }", /tools/],
  ['no default export', `export const named = ${plugin('p')}`, /default export/],
  ['a module that throws', "throw new Error('broken at load')", /broken at load/],
  ['a syntax error', 'export default {', /Unexpected|Expected/],
  [
    'a setup that rejects',
    "export default { name: 'sad', tools: [], setup: async () => { throw new Error('no go'); } }",
    /"sad".*no go/s,
  ],
  [
    'parameters that are no schema',
    `export default ${plugin('p', "{ name: 'q', description: '', parameters: { type: 'nonsense' }, handler() {} }")}`,
    /"p".*"q"/s,
  ],
])('[PLG4] %s stops the start with the plugin and the reason', async (_, source, words) => {
  const path = await file(source);
  const said = await failToStart([path]);
  expect(said).toMatch(words);
  expect(said).toMatch(/plugin/i);
  expect(said).not.toMatch(/\n\s+at /); // a sentence, without a stack
});

test.each([
  ['a setup that never ends', "export default { name: 'stuck', tools: [], setup: () => new Promise(() => {}) }"],
  ['a module that is never loaded', `await new Promise(() => {}); export default ${plugin('stuck')};`],
  [
    'a setup that fails and leaves a timer behind',
    "export default { name: 'stuck', tools: [], setup() { setInterval(() => {}, 1000); throw new Error('at 1500 ms'); } }",
  ],
])('[PLG1] %s stops the start with the plugin and the reason, and the process ends', async (_, source) => {
  const path = await file(source);
  const said = await failToStart([path], undefined, { PARLEY_SETUP_TIMEOUT_MS: '1500' });
  expect(said).toMatch(/^parley: Plugin "(stuck|[^"]*\.mjs)" could not be .* 1500 ms\n$/);
});

test('[PLG4] a missing file or package stops the start and is named', async () => {
  expect(await failToStart([join(folder, 'nothing.mjs')])).toContain('nothing.mjs');
  expect(await failToStart(['no-such-package-of-plugins'])).toContain('no-such-package-of-plugins');
});

test.each(['mjs', 'ts'])(
  '[PLG4] a package that a .%s plugin imports and that is not installed is named, with what to do',
  async (extension) => {
    const source = `import { definePlugin } from '@parleyhq/core'; export default definePlugin(${plugin('typed')});`;
    const said = await failToStart([await file(source, extension)]);
    expect(said).toMatch(/it imports "@parleyhq\/core", which is not installed .*npm install.*works without it/);
    expect(said).not.toContain('Require stack');
  },
);

test('[OPS2] an unknown agent is named, with where agents come from', async () => {
  const said = await failToStart([], ['--no-auth', '--agent', 'local']);
  expect(said).toMatch(/There is no agent "local".*: demo\..* plugin/);
});

test('[PLG2] two plugins of one name stop the start', async () => {
  const one = await file(`export default ${plugin('same', tool('a'))}`);
  const two = await file(`export default ${plugin('same', tool('b'))}`);
  expect(await failToStart([one, two])).toContain('"same"');
});

test('[PLG4] the shipped tools are loaded with the others, and the tour names them', async () => {
  const server = await startServer({ plugins: [pluginPath('tools.mjs')] });
  const journey = await Journey.begin(server);
  await journey.tab.say(journey.session, 'hello');
  const tour = await journey.words();
  for (const name of ['ask_user', 'all_fields', 'delete_files', 'echo']) expect(tour).toContain(name);
});

describe('[PLG1, PLG6] a plugin with its own copy of the core', () => {
  const server = useServer({ plugins: [fileURLToPath(new URL('plugins/second-core.ts', import.meta.url))] });

  test.each([
    ['tool', 'denied', 'Not today.'],
    ['context', 'denied', 'Says the context.'],
  ])('throws errors that the server knows: %s', async (kind, code, message) => {
    const journey = await Journey.begin(server);
    expect(await journey.run('fail', { kind })).toMatchObject({ error: { code, message } });
    expect(server.stderr.join('')).not.toContain('its handler broke');
  });

  test('describes its parameters with its own zod', async () => {
    const journey = await Journey.begin(server);
    const { error } = await journey.run('fail', { kind: 'other' });
    expect(error).toMatchObject({ code: 'invalid_args', message: expect.stringContaining('kind') });
  });

  test('catches errors of the server with `instanceof`', async () => {
    const journey = await Journey.begin(server);
    const prompt = await journey.ask('recover', {});
    await journey.answer(prompt, { action: 'cancel' });
    expect(await journey.outcome()).toEqual({ result: 'caught cancelled' });
  });
});
