import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failToStart } from '../../server/test/support/fail-to-start.ts';
import { Journey } from '../../server/test/support/journey.ts';
import { pluginOf } from '../../server/test/support/plugin-file.ts';
import { startServer, useServer } from '../../server/test/support/use-server.ts';

const tool = (members: string) =>
  `{ name: 'wipe', description: 'Wipes.', parameters: { type: 'object' }, handler: () => 'wiped', ${members} }`;

describe.each([
  ['a tool', `{ name: 'p', tools: [${tool("aproval: 'always'")}] }`, ['"p"', '"wipe"', '"aproval"', '"approval"']],
  ['a plugin', `{ name: 'p', tools: [], setUp() {} }`, ['"p"', '"setUp"', '"setup"']],
  ['an approval', `{ name: 'p', tools: [${tool("approval: 'alway'")}] }`, ['"wipe"', '"approval"', '"always"']],
  ['a stranger on a tool', `{ name: 'p', tools: [${tool('zebra: 1')}] }`, ['"wipe"', '"zebra"', 'readOnly, durable']],
  ['a stranger on a plugin', `{ name: 'p', tools: [], zebra: 1 }`, ['"p"', '"zebra"', 'configSchema, tools']],
  ['the name of a tool', `{ name: 'p', tools: [{ nam: 'wipe', handler() {} }] }`, ['"p"', 'begins with a letter']],
  ['a missing description', `{ name: 'p', tools: [{ name: 'wipe', handler() {} }] }`, ['"wipe"', 'no description']],
  ['an empty description', `{ name: 'p', tools: [${tool("description: ' '")}] }`, ['"wipe"', '"description"', 'agent']],
  [
    'mixed parameters',
    `{ name: 'p', tools: [${tool('parameters: { a: { _zod: 1 }, b: 1 }')}] }`,
    ['"b"', 'zod schema'],
  ],
  [
    'properties beside the keywords',
    `{ name: 'p', tools: [${tool("parameters: { size: { type: 'number' } }")}] }`,
    ['"size"', 'properties: { size: … }'],
  ],
  ['a switch', `{ name: 'p', tools: [${tool("readOnly: 'no'")}] }`, ['"wipe"', '"readOnly"', 'true or false']],
])('[PLG2, PLG4, PLG8] a typo in %s', (_, plugin, words) => {
  test('makes the start fail with its name and the most similar known one', async () => {
    const { code, stdout, stderr } = await failToStart({ plugins: [pluginOf(`export default ${plugin};`)] });
    expect([code, stdout]).toEqual([1, '']);
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

test('[PLG2] an undefined member counts as absent', async () => {
  const plugin = pluginOf(`export default { name: 'p', tools: [${tool('aproval: undefined')}] };`);
  const server = await startServer({ plugins: [plugin] });
  const journey = await Journey.begin(server);
  expect(await journey.run('wipe')).toEqual({ result: 'wiped' });
});

test('[PLG4] settings of a plugin that is not loaded make the start fail', async () => {
  const plugin = pluginOf(`export default { name: 'notes', tools: [] };`);
  const config = join(dirname(plugin), 'parley.config.json');
  await writeFile(config, JSON.stringify({ pluginConfigs: { note: {}, shell: {} } }));
  const { code, stderr } = await failToStart({ plugins: [plugin], args: ['--no-auth', '--config', config] });
  expect(code).toBe(2);
  expect(stderr).toContain('no plugin "note" is loaded. Did you mean "notes"?');
});

describe('requests', () => {
  const asker = pluginOf(`
      const field = { id: 'name', type: 'text' };
      const form = { type: 'form', fields: [field] };
      const asks = {
        typo: { type: 'input', promt: 'Who?', timeout: 5, inputSchema: form },
        hook: { type: 'input', inputSchema: form, onRespons() {} },
        field: { type: 'input', inputSchema: { ...form, fields: [{ ...field, requird: true }] } },
        option: { type: 'input', inputSchema: { ...form,
          fields: [{ id: 'a', type: 'radio', options: [{ value: 'a', label: 'A', lable: 'B' }] }] } },
        section: { type: 'input', inputSchema: { ...form, sections: [{ id: 's', titel: 'S', fields: ['name'] }] } },
        form: { type: 'input', inputSchema: { ...form, submitlabel: 'Go' } },
        subject: { type: 'approval', subject: { kind: 'text', text: 't', txt: 't' } },
        fine: { type: 'input', inputSchema: form, initialValues: { name: 'A' }, prompt: undefined, promt: undefined },
        again: { type: 'input', inputSchema: form,
          onResponse: ({ input }) => input.name === 'again'
            ? { reprompt: { eror: 'No.' } }
            : { reprompt: { error: 'Once more.', onResponse() {} } } },
      };
      export default { name: 'asker', tools: [{
        name: 'ask', description: 'Asks.', parameters: { type: 'object' },
        handler: ({ kind }, ctx) => ctx.requestInteraction(asks[kind]),
      }] };`);
  const server = useServer({ plugins: [asker] });

  test.each([
    ['typo', ['"promt"', '"prompt"', '"timeout"', '"timeoutMs"']],
    ['hook', ['"onRespons"', '"onResponse"']],
    ['field', ['"inputSchema.fields.0.requird"', '"required"']],
    ['option', ['"inputSchema.fields.0.options.0.lable"', '"label"']],
    ['section', ['"inputSchema.sections.0.titel"', '"title"']],
    ['form', ['"inputSchema.submitlabel"', '"submitLabel"']],
    ['subject', ['"subject.txt"', '"text"']],
  ])('[INT16, PLG3] a request with a typo is refused, naming it: %s', async (kind, words) => {
    const journey = await Journey.begin(server);
    const { error } = await journey.run('ask', { kind });
    expect(error?.code).toBe('tool_error');
    for (const word of words) expect(error?.message).toContain(word);
  });

  test('[INT16] undefined members count as absent, and values have the ids of fields', async () => {
    const journey = await Journey.begin(server);
    const prompt = await journey.ask('ask', { kind: 'fine' });
    expect(await journey.submit(prompt, { name: 'Ada' })).toMatchObject({ ok: true });
    expect(await journey.outcome()).toMatchObject({ result: { action: 'submit' } });
  });

  test('[INT8, INT12] a reprompt with a typo is an invalid outcome', async () => {
    const journey = await Journey.begin(server);
    const prompt = await journey.ask('ask', { kind: 'again' });
    await journey.submit(prompt, { name: 'Ada' });
    const next = await journey.next(prompt);
    expect(next.error).toBe('Once more.');
    await journey.submit(next, { name: 'again' });
    const { error } = await journey.outcome();
    expect(error).toMatchObject({ code: 'invalid_outcome', message: expect.stringContaining('"eror"') });
  });
});
