import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { ExitError } from './exit-error.ts';
import { readVersion } from './version.ts';

/** Writes a plugin that loads and whose test passes. @throws ExitError where the folder has files, or its name cannot be a plugin's */
export async function writePlugin(folder: string): Promise<void> {
  const path = resolve(folder);
  const name = basename(path);
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name)) {
    throw new ExitError(
      2,
      `"${name}" is no name of a plugin: a lower-case letter, then letters, digits and "-", at most 64.`,
    );
  }
  await mkdir(path, { recursive: true });
  if ((await readdir(path)).length > 0) throw new ExitError(1, `${path} is not empty: nothing was written.`);
  for (const [file, text] of Object.entries(makeFiles(name, readVersion()))) await writeFile(join(path, file), text);
  process.stdout.write(`A plugin with a tool and a test is in ${path}:
  npm install && npm test       # in that folder
  parley check ${join(folder, 'plugin.mjs')}
  parley serve --watch --plugin ${join(folder, 'plugin.mjs')}
`);
}

function makeFiles(name: string, version: string): Record<string, string> {
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    exports: './plugin.mjs',
    scripts: { test: 'node --test' },
    dependencies: { '@parleyhq/core': `^${version}`, zod: '^4.2.0' },
  };
  return {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'plugin.mjs': plugin(name),
    'plugin.test.mjs': pluginTest,
    'README.md': readme(name),
  };
}

const plugin = (name: string) => `import { definePlugin, defineTool } from '@parleyhq/core';
import * as z from 'zod';

/** Asks what to say to whom, and says it once, whatever happens to the process. */
export const greet = defineTool({
  name: 'greet',
  description: 'Greet somebody, once a person has said how.',
  parameters: { who: z.string().min(1) },
  async handler({ who }, ctx) {
    const { words } = await ctx.ask('words', z.object({ words: z.string().max(200).meta({ title: 'Words' }) }), {
      title: \`What shall I say to \${who}?\`,
      initialValues: { words: 'Hello' },
    });
    await ctx.step('say', () => ctx.progress(\`\${words}, \${who}!\\n\`));
    return { said: words };
  },
});

export default definePlugin({ name: '${name}', tools: [greet] });
`;

const pluginTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancel, playTool, submit } from '@parleyhq/core/testing';
import { greet } from './plugin.mjs';

test('it says what the person wrote, once, though the process dies meanwhile', async () => {
  const play = playTool(greet, { args: { who: 'Ada' }, human: ['crash', submit({ words: 'Good morning' })] });
  assert.deepEqual(await play.end(), { result: { said: 'Good morning' } });
  assert.deepEqual(play.progress, ['Good morning, Ada!\\n']);
  assert.deepEqual(play.effects, { say: 1 });
});

test('it says nothing where the person cancels', async () => {
  const play = playTool(greet, { args: { who: 'Ada' }, human: [cancel()] });
  assert.equal((await play.end()).error?.code, 'cancelled');
  assert.deepEqual(play.progress, []);
});
`;

const readme = (name: string) => `# ${name}

A plugin of Parley, the server where AI agents stop and ask people.

    npm test                                      # plays the tool, without a server
    parley check ./plugin.mjs                     # says what does not fit
    parley serve --watch --plugin ./plugin.mjs    # then type: /call greet {"who": "Ada"}
`;
