import { cp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serveRegistry } from './support/registry.ts';
import { kit, root, run, useTarballs } from './support/tarballs.ts';

const tarballs = useTarballs();
const install = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
const server = ['cli', 'web', 'client', 'core', 'runtime', 'testkit'].map((name) => `packages/${name}`);

/** What a plugin that is not changed publishes. */
const contents = ['README.md', 'dist/plugin.d.ts', 'dist/plugin.js', 'dist/views/greetings.html', 'package.json'];

describe('[PLG12] parley new', () => {
  test('writes a plugin that installs, tests and packs; its package is loaded by a server and asks', async () => {
    const author = await tarballs.project('author', { '.npmrc': await serveRegistry(tarballs, kit) });
    await tarballs.install(author, ...server);
    const parley = (...words: string[]) => run('npx', ['--no-install', 'parley', ...words], { cwd: author });
    expect((await parley('new', 'notes')).stdout).toContain('as the package parley-plugin-notes.\n');
    const notes = join(author, 'notes');
    await cp(join(author, '.npmrc'), join(notes, '.npmrc'));
    const packed = await tryOut(notes);
    expect((await parley('check', './notes/plugin.ts')).stdout).toBe(loads);

    const user = await tarballs.project('user', { 'serve.mts': serveNotes, '.npmrc': '' });
    await tarballs.install(user, ...server, 'tsx', packed);
    await cp(join(root, 'node_modules/better-sqlite3/build'), join(user, 'node_modules/better-sqlite3/build'), {
      recursive: true,
    });
    const options = { cwd: user };
    expect((await run('npx', ['--no-install', 'parley', 'check', 'parley-plugin-notes'], options)).stdout).toBe(loads);
    const served = await run(process.execPath, ['--import', 'tsx', 'serve.mts'], options);
    expect(JSON.parse(served.stdout)).toEqual({
      view: { plugin: 'notes', name: 'greetings', data: { who: 'Ada' }, height: 96 },
      page: 200,
      outcome: { result: { said: 'Ahoy' } },
    });
  }, 300_000);

  test('in a checkout the new plugin installs with no registry that has the packages of Parley', async () => {
    const notes = join(tarballs.folder, 'parley-plugin-notes');
    await run(process.execPath, [join(root, 'packages/cli/dist/main.js'), 'new', notes]);
    const packed = await tryOut(notes);
    const read = (file: string) => readFile(join(notes, file), 'utf8');
    const { peerDependencies } = JSON.parse(await read('package.json'));
    expect(peerDependencies).toEqual({ '@parleyhq/core': '^0.1.0' });

    const user = await tarballs.project('user-of-a-checkout', {});
    const [, words = ''] = /^ +npm install (\S.*)$/m.exec(await read('README.md')) ?? [];
    expect(words).toBe('./parley-plugin-notes-0.1.0.tgz ./parleyhq-core-0.1.0.tgz');
    for (const file of words.split(' ')) await cp(join(dirname(packed), file), join(user, file));
    await run('npm', [...install, ...words.split(' ')], { cwd: user });
    const load = `console.log((await import('parley-plugin-notes')).default.name)`;
    expect((await run(process.execPath, ['--input-type=module', '--eval', load], { cwd: user })).stdout).toBe(
      'notes\n',
    );
  }, 300_000);
});

/** Does what the instructions of a new plugin say. @returns the package that it makes, after checking what is in it */
async function tryOut(folder: string): Promise<string> {
  const options = { cwd: folder };
  await run('npm', install, options);
  expect((await run('npm', ['test'], options)).stdout).toMatch(/pass 2\b/);
  await writeFile(join(folder, 'draft.txt'), 'not to be published');
  const { stdout } = await run('npm', ['pack', '--json', '--silent'], options);
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  expect(packed.files.map(({ path }) => path).sort()).toEqual(contents);
  return join(folder, packed.filename);
}

const loads = 'Plugin "notes" loads.\n  greet: Greet somebody, once a person has said how.\n';

const serveNotes = `import { startParley } from '@parleyhq/client/process';
import { submit } from '@parleyhq/core/testing';

const parley = await startParley({ plugins: ['parley-plugin-notes'] });
const tab = await parley.tab();
await tab.call('greet', { who: 'Ada' });
const prompt = await tab.prompt();
const page = await fetch(parley.url + '/views/notes/greetings');
await tab.answer(prompt, submit({ words: 'Ahoy' }));
console.log(JSON.stringify({ view: prompt.view, page: page.status, outcome: await tab.result() }));
await parley.stop();
`;
