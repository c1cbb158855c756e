import {
  definePlugin,
  defineTool,
  type FormSchema,
  type InteractionDemand,
  type Json,
  type ToolContext,
} from '@parleyhq/core';
import { ParleyServer } from '@parleyhq/server';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { Journey } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const form: FormSchema = { type: 'form', fields: [{ id: 'size', type: 'number' }] };

/**
 * Mistakes that the type checker finds, which `@ts-expect-error` proves, and that are also found at run time, for authors without
 * types.
 */
const mistakes: Record<string, { readonly words: string; make(ctx: ToolContext): Promise<unknown> }> = {
  'an approval with `scope`': {
    words: 'Did you mean "scopes"?',
    // @ts-expect-error it is `scopes`
    make: (ctx) => ctx.approve({ key: 'k', scope: ['once'] }),
  },
  'a scope that there is not': {
    words: '"allways"',
    // @ts-expect-error it is `always`
    make: (ctx) => ctx.approve({ key: 'k', scopes: ['allways'] }),
  },
  'an approval without a key': {
    words: 'ctx.approve: key:',
    // @ts-expect-error what would a lasting consent cover?
    make: (ctx) => ctx.approve({ title: 'Sure?' }),
  },
  'a question without a key': {
    words: 'a key and a question',
    // @ts-expect-error the question is the second argument
    make: (ctx) => ctx.confirm('Really?'),
  },
  'a schema without a key': {
    words: 'key before the schema',
    // @ts-expect-error the schema is the second argument
    make: (ctx) => ctx.ask(z.object({ size: z.number() })),
  },
  'an option of a form': {
    words: 'Did you mean "title"?',
    // @ts-expect-error it is `title`
    make: (ctx) => ctx.ask('size', z.object({ size: z.number() }), { titel: 'Size' }),
  },
  'a first value of no field': {
    words: 'Did you mean "size"?',
    // @ts-expect-error it is `size`
    make: (ctx) => ctx.ask('size', z.object({ size: z.number() }), { initialValues: { sise: 1 } }),
  },
  'an audience of a role that there is not': {
    words: 'audience',
    // @ts-expect-error it is `operator`
    make: (ctx) => ctx.ask('size', z.object({ size: z.number() }), { audience: { roles: ['boss'] } }),
  },
  'a risk that there is not': {
    words: 'risk',
    // @ts-expect-error it is `high`
    make: (ctx) => ctx.approve({ key: 'k', risk: 'huge' }),
  },
  'a check that is no function': {
    words: 'ctx.approve: check:',
    // @ts-expect-error it judges the arguments
    make: (ctx) => ctx.approve({ key: 'k', check: true }),
  },
  'a subject with a typo': {
    words: '"subject.txt"',
    // @ts-expect-error it is `text`
    make: (ctx) => ctx.approve({ key: 'k', subject: { kind: 'text', txt: 'rm' } }),
  },
  'an approval with a form': {
    words: '"inputSchema"',
    // @ts-expect-error a form is asked for by `ctx.ask`
    make: (ctx) => ctx.approve({ key: 'k', inputSchema: form }),
  },
  'a bound of another type': {
    words: 'inputSchema.fields.0.max',
    make: (ctx) =>
      ctx.requestInteraction({
        type: 'input',
        // @ts-expect-error it is a number
        inputSchema: { type: 'form', fields: [{ id: 'size', type: 'number', label: 'Size', max: { at: 10 } }] },
      }),
  },
  'a first value of no field of a request': {
    words: 'initialValues: the form has no field "sise". Did you mean "size"?',
    make: (ctx) =>
      ctx.requestInteraction({
        type: 'input',
        inputSchema: { type: 'form', fields: [{ id: 'size', type: 'number', label: 'Size' }] },
        // @ts-expect-error it is `size`
        initialValues: { sise: 1 },
      }),
  },
  'an error of no field of a request': {
    words: 'fieldErrors: the form has no field "sise". Did you mean "size"?',
    make: (ctx) =>
      ctx.requestInteraction({
        type: 'input',
        inputSchema: {
          type: 'form',
          fields: [
            { id: 'size', type: 'number', label: 'Size' },
            { id: 'colour', type: 'text', label: 'Colour' },
          ],
        },
        // @ts-expect-error it is `size`
        fieldErrors: { colour: 'No.', sise: 'No.' },
      }),
  },
  'a deadline in words': {
    words: 'timeoutMs',
    // @ts-expect-error it is in milliseconds
    make: (ctx) => ctx.requestInteraction({ type: 'input', inputSchema: form, timeoutMs: '5 minutes' }),
  },
  'a callback with a time of another name': {
    words: 'there is no "ttl"',
    // @ts-expect-error it is `ttlMs`
    make: (ctx) => ctx.callback('paid', { ttl: 1000 }),
  },
  'a file that is only an id': {
    words: 'ctx.openFile',
    // @ts-expect-error it is the reference of an answer
    make: (ctx) => ctx.openFile('f-1'),
  },
  'a step without a key': {
    words: 'a key and a function',
    // @ts-expect-error the function is the second argument
    make: (ctx) => ctx.step(() => 1),
  },
  'a function in the state': {
    words: '"run" is a function',
    // @ts-expect-error state is JSON
    make: (ctx) => ctx.state.set('job', { run: () => 1 }),
  },
  'a field without a type': {
    words: 'inputSchema.fields.0.type',
    // @ts-expect-error a field has a type
    make: (ctx) => ctx.requestInteraction({ type: 'input', inputSchema: { type: 'form', fields: [{ id: 'size' }] } }),
  },
  'a presentation that there is not': {
    words: 'presentation',
    // @ts-expect-error it is `composer`
    make: (ctx) => ctx.requestInteraction({ type: 'input', inputSchema: form, presentation: 'compose' }),
  },
  'an outcome with a typo': {
    words: 'Did you mean "complete"?',
    make: (ctx) =>
      ctx.requestInteraction({
        type: 'input',
        key: 'answered',
        inputSchema: form,
        // @ts-expect-error it is `complete`
        onResponse: () => ({ compleet: 1 }),
      }),
  },
};

const plugin = definePlugin({
  name: 'typed',
  tools: [
    defineTool({
      name: 'err',
      description: 'Makes a mistake.',
      parameters: { mistake: z.string() },
      handler: ({ mistake }, ctx) => mistakes[mistake]?.make(ctx),
    }),
  ],
});
const server = useLocalServer({ plugins: [plugin] });

test.each(Object.entries(mistakes))('[PLG8] %s is refused at run time, too', async (mistake, { words }) => {
  const journey = await Journey.begin(server);
  await journey.call('err', { mistake });
  if (mistake === 'an outcome with a typo') {
    const [prompt] = await journey.prompts(1);
    if (prompt) await journey.submit(prompt, { size: 1 });
  }
  const { error } = await journey.outcome();
  expect(error?.message).toContain(words);
});

describe('[PLG8] parts of a plugin', () => {
  const load = (tool: object) => () =>
    new ParleyServer({ store: server.store, plugins: [{ name: 'p', tools: [tool as never] }] });
  const fine = { name: 't', description: 'Is.', parameters: {}, handler: () => 1 };

  test('a tool with a typo', () => {
    // @ts-expect-error it is `approval`
    expect(load(defineTool({ ...fine, aproval: 'always' }))).toThrow('Did you mean "approval"?');
  });

  test('[DUR10] a tool whose `hibernates` is not a boolean', () => {
    expect(load(defineTool({ ...fine, hibernates: true }))).not.toThrow();
    // @ts-expect-error it is a switch
    expect(load(defineTool({ ...fine, hibernates: 'yes' }))).toThrow('its "hibernates" must be true or false');
  });

  test('a tool without a description', () => {
    // @ts-expect-error agents choose tools by it
    expect(load(defineTool({ name: 't', parameters: {}, handler: () => 1 }))).toThrow('has no description');
  });

  test('a handler with an argument that does not exist', () => {
    const tool = defineTool({
      name: 't',
      description: 'Is.',
      parameters: { size: z.number() },
      // @ts-expect-error there is a size, and no colour
      handler: ({ colour }) => String(colour),
    });
    expect(load(tool)).not.toThrow();
  });
});

test('[PLG9] results are typed: the type checker reads what follows, and nothing runs it', () => {
  expect(typeResults).toBeTypeOf('function');
});

async function typeResults(ctx: ToolContext): Promise<void> {
  const input = await ctx.requestInteraction({ type: 'input', inputSchema: form });
  if (input.action === 'submit') expectTypeOf(input.input).toEqualTypeOf<Readonly<Record<string, Json>>>();
  if (input.action === undefined) expectTypeOf(input.error).toEqualTypeOf<'timeout'>();
  // @ts-expect-error a form is submitted, not approved
  if (input.action === 'approve') return;

  const patient = await ctx.requestInteraction({ type: 'approval', timeoutMs: null });
  expectTypeOf(patient.action).toEqualTypeOf<'approve' | 'deny' | 'cancel'>();

  const hooked = await ctx.requestInteraction({
    type: 'input',
    inputSchema: form,
    onResponse: ({ action }) => (action === 'submit' ? { complete: { at: new Date(0) } } : { reprompt: {} }),
    onTimeout: () => ({ pending: { message: 'Later.' } }),
  });
  if ('pending' in hooked) expectTypeOf(hooked.message).toEqualTypeOf<string>();
  else expectTypeOf(hooked.at).toEqualTypeOf<string>();

  expectTypeOf(await ctx.requestInteraction({} as InteractionDemand)).toBeUnknown();
  const known = {} as Readonly<Record<string, Json>>;
  const fields: FormSchema['fields'] = [{ id: 'size', type: 'number', label: 'Size' }, ...form.fields];
  await ctx.requestInteraction({ type: 'input', inputSchema: { type: 'form', fields }, initialValues: { later: 1 } });
  const inputSchema: FormSchema = { type: 'form', fields: [{ id: 'size', type: 'number', label: 'Size' }] };
  await ctx.requestInteraction({ type: 'input', inputSchema, initialValues: known, fieldErrors: { size: 'No.' } });
  expectTypeOf(await ctx.step('made', () => ({ at: new Date(0), size: 1 }))).toEqualTypeOf<{
    at: string;
    size: number;
  }>();
  expectTypeOf(await ctx.step('done', () => undefined)).toBeNull();
  const approval = await ctx.approve({ key: (args: { branch: string }) => args.branch });
  if (approval.approved) expectTypeOf(approval.args.branch).toBeString();
}
