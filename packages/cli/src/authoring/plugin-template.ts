/**
 * Returns the files of a plugin that loads, and whose type check and test pass (PLG12).
 * @param version - version of the Parley packages that it depends on
 * @param install - command that installs its dependencies
 */
export function makePluginFiles(name: string, version: string, install: string): Record<string, string> {
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    exports: './plugin.ts',
    scripts: { test: 'tsc && node --import tsx --test plugin.test.ts' },
    dependencies: { '@parleyhq/core': `^${version}`, zod: '^4.2.0' },
    devDependencies: {
      '@parleyhq/testkit': `^${version}`,
      '@types/node': '^20.19.0',
      tsx: '^4.20.0',
      typescript: '^6.0.0',
    },
  };
  return {
    'package.json': toJson(manifest),
    'tsconfig.json': toJson({ compilerOptions, include: ['*.ts'] }),
    'plugin.ts': plugin(name),
    'greetings.html': page,
    'plugin.test.ts': pluginTest,
    'README.md': readme(name, install),
    '.gitignore': 'node_modules/\n.parley/\n',
  };
}

const toJson = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
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
  views: { greetings: { entry: new URL('greetings.html', import.meta.url), height: 96 } },
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

const plainInstall = 'npm install';

/** Note for a plugin written by a checkout, whose first installation packs Parley's packages into the folder. */
const packed = `
The first installation puts Parley's packages into this folder, as files that \`package.json\` names: commit them, too. From then on
\`${plainInstall}\` is enough, wherever the folder is copied to.
`;

const readme = (name: string, install: string) => `# ${name}

A plugin of Parley, the server where AI agents stop and ask people.

    ${install}
    npm test                                     # checks the types and plays the tool, without a server
    parley check ./plugin.ts                     # reports what is wrong
    parley serve --watch --plugin ./plugin.ts    # then type: /call greet {"who": "Ada"}
${install === plainInstall ? '' : packed}
| | |
|---|---|
| \`plugin.ts\` | the tool \`greet\`, and the plugin |
| \`greetings.html\` | its view: a page in the form's card that proposes what to say |
| \`plugin.test.ts\` | plays the tool: a person who answers, one who cancels, a crash |

\`ctx.log\` is shown in the terminal while \`--watch\` runs.
`;
