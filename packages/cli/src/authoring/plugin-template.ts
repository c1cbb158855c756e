import type { ParleyPackages } from './parley-packages.ts';
import { type Names, readme } from './plugin-readme.ts';

/** Returns the files of a plugin that loads, whose type check and test pass, and that can be published as a package (PLG12). */
export function makePluginFiles(names: Names, parley: ParleyPackages): Record<string, string> {
  return {
    'package.json': toJson(manifest(names, parley)),
    'tsconfig.json': toJson({ compilerOptions, include: ['*.ts'] }),
    'tsconfig.build.json': toJson({
      extends: './tsconfig.json',
      compilerOptions: { noEmit: false, declaration: true, rootDir: '.', outDir: 'dist' },
      exclude: ['*.test.ts'],
    }),
    'plugin.ts': plugin(names.plugin),
    'plugin.test.ts': pluginTest,
    'views/greetings.html': page,
    'README.md': readme(names, parley),
    '.gitignore': `node_modules/\ndist/\n.parley/\n/${names.package}-*.tgz\n`,
  };
}

/** `@parleyhq/core` is a peer, so that npm says at once if the plugin does not fit the Parley that somebody has. */
const manifest = (names: Names, { version, forDevelopment }: ParleyPackages) => ({
  name: names.package,
  version: '0.1.0',
  description: 'Greets somebody, once a person has said how.',
  keywords: ['parley-plugin'],
  license: 'UNLICENSED',
  type: 'module',
  engines: { node: '>=20.19' },
  exports: { '.': { types: './dist/plugin.d.ts', default: './dist/plugin.js' } },
  files: ['dist'],
  scripts: {
    test: 'tsc && node --import tsx --test *.test.ts',
    clean: `node --eval "fs.rmSync('dist', { recursive: true, force: true })"`,
    build: `npm run clean && tsc -p tsconfig.build.json && node --eval "fs.cpSync('views', 'dist/views', { recursive: true })"`,
    prepack: 'npm run build',
    prepublishOnly: 'npm test',
  },
  dependencies: { zod: '^4.2.0' },
  peerDependencies: { '@parleyhq/core': `^${version}` },
  devDependencies: {
    ...forDevelopment,
    '@types/node': '^20.19.0',
    tsx: '^4.20.0',
    typescript: '^6.0.0',
  },
});

const toJson = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noEmit: true,
  rewriteRelativeImportExtensions: true,
  verbatimModuleSyntax: true,
};

const plugin = (name: string) => `import { definePlugin, defineTool } from '@parleyhq/core';
import * as z from 'zod';

/** Asks a person what to say, and says it exactly once, even if the process restarts. */
export const greet = defineTool({
  name: 'greet',
  description: 'Greet somebody, once a person has said how.',
  parameters: { who: z.string().min(1) },
  async handler({ who }, ctx) {
    const { words } = await ctx.ask('words', z.object({ words: z.string().max(200).meta({ title: 'Words' }) }), {
      title: \`What shall I say to \${who}?\`,
      initialValues: { words: 'Hello' },
      view: { name: 'greetings', data: { who } },
    });
    await ctx.step('say', () => ctx.progress(\`\${words}, \${who}!\\n\`));
    ctx.log.info('a greeting was said', { length: words.length });
    return { said: words };
  },
});

/** The view is a page that proposes values for the form; clients that cannot show it, such as terminals, show only the form. */
export default definePlugin({
  name: '${name}',
  tools: [greet],
  views: { greetings: { entry: new URL('views/greetings.html', import.meta.url), height: 96 } },
});
`;

const page = `<!doctype html>
<meta name="viewport" content="width=device-width">
<style>
  body { margin: 0; padding: 12px; font: 14px/20px system-ui, sans-serif; }
  button { min-block-size: 44px; padding-inline: 16px; font: inherit; }
</style>
<p id="who"></p>
<div id="greetings"></div>
<script>
  const buttons = ['Hello', 'Good morning', 'Ahoy'].map((words) => {
    const button = document.createElement('button');
    button.textContent = words;
    button.onclick = () => parley.propose({ words });
    return document.getElementById('greetings').appendChild(button);
  });
  parley.onShow(({ data, values, isDisabled }) => {
    document.getElementById('who').textContent = 'To ' + data.who + ':';
    for (const button of buttons) {
      button.disabled = isDisabled;
      button.setAttribute('aria-pressed', String(button.textContent === values.words));
    }
  });
</script>
`;

const pluginTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancel, playTool, submit } from '@parleyhq/core/testing';
import { greet } from './plugin.ts';

test('it says what the person wrote, once, though the process dies meanwhile', async () => {
  const play = playTool(greet, { args: { who: 'Ada' }, human: ['crash', submit({ words: 'Good morning' })] });
  assert.deepEqual(await play.end(), { result: { said: 'Good morning' } });
  assert.deepEqual(play.progress, ['Good morning, Ada!\\n']);
  assert.deepEqual(play.effects, { say: 1 });
});

test('it says nothing if the person cancels', async () => {
  const play = playTool(greet, { args: { who: 'Ada' }, human: [cancel()] });
  assert.equal((await play.end()).error?.code, 'cancelled');
  assert.deepEqual(play.progress, []);
});
`;
