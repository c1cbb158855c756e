import { definePlugin, defineTool, type Tool } from '@parleyhq/core';
import { ParleyServer } from '@parleyhq/server';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as old from 'zod-3.25/v4';
import { Journey } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const ofZod = defineTool({
  name: 'of_zod',
  description: 'Asks by a schema of zod.',
  parameters: z.object({ size: z.int().min(1) }),
  async handler({ size }, ctx) {
    const { name } = await ctx.ask('name', z.object({ name: z.string().min(2) }));
    return { size: size + 1, name: name.toUpperCase() };
  },
});

const ofOldZod = defineTool({
  name: 'of_old_zod',
  description: 'Asks by a schema of zod 3.25.',
  parameters: { size: old.int().min(1) },
  async handler({ size }, ctx) {
    const { name } = await ctx.ask('name', { name: old.string().min(2) });
    return { size: size + 1, name: name.toUpperCase() };
  },
});

const wrapped = toStandardJsonSchema(v.object({ size: v.pipe(v.number(), v.integer(), v.minValue(1)) }));
const ofValibot = defineTool({
  name: 'of_valibot',
  description: 'Asks by a schema of valibot.',
  parameters: wrapped,
  async handler({ size }, ctx) {
    const schema = toStandardJsonSchema(v.object({ name: v.pipe(v.string(), v.minLength(2)) }));
    const { name } = await ctx.ask('name', schema);
    return { size: size + 1, name: name.toUpperCase() };
  },
});

const ofArktype = defineTool({
  name: 'of_arktype',
  description: 'Asks by a schema of arktype.',
  parameters: type({ size: 'number.integer >= 1' }),
  async handler({ size }, ctx) {
    const { name } = await ctx.ask('name', type({ name: 'string >= 2' }));
    return { size: size + 1, name: name.toUpperCase() };
  },
});

const ofJsonSchema = defineTool({
  name: 'of_json_schema',
  description: 'Asks by JSON Schema.',
  parameters: { properties: { size: { type: 'integer', minimum: 1 } }, required: ['size'] },
  async handler({ size }, ctx) {
    const properties = { name: { type: 'string', minLength: 2 } };
    const { name } = await ctx.ask('name', { properties, required: ['name'] });
    return { size: Number(size) + 1, name: String(name).toUpperCase() };
  },
});

const tools = [ofZod, ofOldZod, ofValibot, ofArktype, ofJsonSchema];
let limit: number | undefined;
const plugin = definePlugin({
  name: 'schemas',
  tools,
  configSchema: type({ limit: 'number' }),
  setup({ config }) {
    limit = config.limit; // typed by the schema
  },
});
const server = useLocalServer({ plugins: [plugin], pluginConfigs: { schemas: { limit: 3 } } });

describe.each(tools.map(({ name }) => name))('[PLG9] parameters and a form %s', (name) => {
  test('are checked and typed', async () => {
    const journey = await Journey.begin(server);
    const prompt = await journey.ask(name, { size: 2 });
    expect(prompt.inputSchema?.fields).toEqual([{ id: 'name', type: 'text', minLength: 2, required: true }]);
    await journey.submit(prompt, { name: 'Ada' });
    expect(await journey.outcome(prompt)).toEqual({ result: { size: 3, name: 'ADA' } });
  });

  test('refuse invalid values, naming the path', async () => {
    const journey = await Journey.begin(server);
    const { error } = await journey.run(name, { size: 'two' });
    expect(error).toMatchObject({ code: 'invalid_args', message: expect.stringMatching(/^size: /) });
  });
});

test('[PLG9] a config schema of any library types and validates the settings', async () => {
  expect(limit).toBe(3);
  const misfit = new ParleyServer({
    store: server.store,
    plugins: [plugin],
    pluginConfigs: { schemas: { limit: 'x' } },
  });
  await expect(misfit.listen({ port: 0, host: '127.0.0.1' })).rejects.toThrow(
    /^The config of plugin "schemas" does not fit: limit: /,
  );
});

test('[PLG9, PLG8] a tool whose schema only validates does not load', () => {
  const tool = { name: 'blind', description: 'Is.', parameters: v.object({}), handler: () => 1 } as Tool;
  expect(() => new ParleyServer({ store: server.store, plugins: [{ name: 'p', tools: [tool] }] })).toThrow(
    'Plugin "p": tool "blind" has a schema that cannot be read: a schema of valibot that only validates.',
  );
});
