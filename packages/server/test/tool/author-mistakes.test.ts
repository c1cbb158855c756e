import { Writable } from 'node:stream';
import type { InteractionDemand, Plugin, ToolContext } from '@parleyhq/core';
import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { Journey } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const form = (...fields: object[]) => ({ type: 'form', fields });
const input = (field: object, more: object = {}) => ({
  type: 'input',
  inputSchema: form({ id: 'size', ...field }),
  ...more,
});
const text = { type: 'text' };

/** Typical mistakes of an author in JavaScript, whom no type checker helps. */
const mistakes: Record<string, (ctx: ToolContext) => unknown> = {};
const told: [name: string, words: string[]][] = [];

function mistake(name: string, words: string[], handler: (ctx: never) => unknown): void {
  mistakes[name] = handler as (ctx: ToolContext) => unknown;
  told.push([name, words]);
}

function wrongRequest(name: string, words: string[], demand: object): void {
  mistake(name, ['requestInteraction:', ...words], (ctx: ToolContext) =>
    ctx.requestInteraction(demand as InteractionDemand),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: what no type would let through
type Loose = any;

mistake('scope for scopes', ['ctx.approve:', '"scope"', 'Did you mean "scopes"?'], (ctx: Loose) =>
  ctx.approve({ key: 'k', scope: ['once'] }),
);
mistake('approvalScopes for scopes', ['ctx.approve:', '"approvalScopes"', '"scopes"'], (ctx: Loose) =>
  ctx.approve({ key: 'k', approvalScopes: ['once'] }),
);
mistake('an approval with a stranger', ['ctx.approve:', '"zebra"', 'Known: ', 'scopes'], (ctx: Loose) =>
  ctx.approve({ key: 'k', zebra: 1 }),
);
mistake('a scope that is none', ['ctx.approve: scopes:', '"allways"', 'Did you mean "always"?'], (ctx: Loose) =>
  ctx.approve({ key: 'k', scopes: ['allways'] }),
);
mistake('scopes as a text', ['ctx.approve: scopes:', 'list', '"once"'], (ctx: Loose) =>
  ctx.approve({ key: 'k', scopes: 'once' }),
);
mistake('an approval without a key', ['ctx.approve: key:'], (ctx: Loose) => ctx.approve({ title: 'Sure?' }));
mistake('an approval of a text', ['ctx.approve:', 'key'], (ctx: Loose) => ctx.approve('deploy'));
mistake('an approval with a form', ['ctx.approve:', '"inputSchema"'], (ctx: Loose) =>
  ctx.approve({ key: 'k', inputSchema: form({ id: 'a', type: 'text' }) }),
);
for (const [door, use] of [
  ['a step', (ctx) => ctx.step('a\0b', () => 1)],
  ['a request', (ctx) => ctx.requestInteraction({ type: 'approval', title: 'Sure?', key: 'a\ud800' })],
  ['a callback', (ctx) => ctx.callback('a\0b')],
  ['a state', (ctx) => ctx.state.set('a\0b', 1)],
  ['a look at a state', (ctx) => ctx.state.get('a\0b')],
] satisfies [string, (ctx: ToolContext) => unknown][])
  mistake(`${door} whose key no database keeps`, ['has a NUL or half of a character'], use);
mistake('an endless lifetime', ['ctx.approve: grantTtlMs:', 'a hundred years'], (ctx: Loose) =>
  ctx.approve({ key: 'k', grantTtlMs: Number.POSITIVE_INFINITY }),
);
mistake('a lifetime of NaN', ['ctx.approve: grantTtlMs:', 'milliseconds'], (ctx: Loose) =>
  ctx.approve({ key: 'k', grantTtlMs: Number.NaN }),
);
mistake('a check that is no function', ['ctx.approve: check:'], (ctx: Loose) => ctx.approve({ key: 'k', check: true }));
mistake('a risk of an approval', ['ctx.approve: risk'], (ctx: Loose) => ctx.approve({ key: 'k', risk: 'huge' }));
mistake('a subject with a typo', ['ctx.approve:', '"subject.txt"', '"text"'], (ctx: Loose) =>
  ctx.approve({ key: 'k', subject: { kind: 'text', txt: 't' } }),
);
mistake('a question as a key', ['ctx.confirm:', 'a key and a question'], (ctx: Loose) => ctx.confirm('Really?'));
mistake('a schema without a key', ['ctx.ask:', 'key before the schema'], (ctx: Loose) =>
  ctx.ask(z.object({ size: z.number() })),
);
mistake('a key without a schema', ['ctx.ask:', 'z.object('], (ctx: Loose) => ctx.ask('size', { size: 'number' }));
mistake('an option of a question', ['ctx.ask:', '"titel"', '"title"'], (ctx: Loose) =>
  ctx.ask('size', z.object({ size: z.number() }), { titel: 'Size' }),
);
mistake('initial values of a question', ['ctx.ask: initialValues:', '"sise"', '"size"'], (ctx: Loose) =>
  ctx.ask('size', z.object({ size: z.number() }), { initialValues: { sise: 1 } }),
);
mistake('a step without a key', ['ctx.step:', 'a key and a function'], (ctx: Loose) => ctx.step(() => 1));
mistake('a function in the state', ['state.set("jobs")', '"list.0.run" is a function'], (ctx: Loose) =>
  ctx.state.set('jobs', { list: [{ run: () => 1 }] }),
);
mistake('NaN in the state', ['state.set("n")', 'the value is NaN'], (ctx: Loose) => ctx.state.set('n', Number.NaN));

wrongRequest('a form on an approval', ['inputSchema:', '"input"', '"approval"'], {
  type: 'approval',
  inputSchema: form({ id: 'a', type: 'text' }),
});
wrongRequest('scopes on a form', ['approvalScopes:', '"approval"'], input(text, { approvalScopes: ['once'] }));
wrongRequest('an address on a form', ['url:', '"url"'], input(text, { url: 'https://example.org' }));
wrongRequest('a stranger', ['"zebra"', 'Known: ', 'inputSchema'], input(text, { zebra: 1 }));
wrongRequest('a stranger in a field', ['"inputSchema.fields.0.colour"', 'Known: '], input({ ...text, colour: 1 }));
wrongRequest('min above max', ['fields.0.min: 5 is above max, 1'], input({ type: 'number', min: 5, max: 1 }));
wrongRequest(
  'dates the wrong way round',
  ['fields.0.min: 2026-02-01 is above max, 2026-01-01'],
  input({ type: 'date', min: '2026-02-01', max: '2026-01-01' }),
);
wrongRequest(
  'too many choices',
  ['fields.0.min: 3 is above'],
  input({
    type: 'multiselect',
    options: [{ value: 'a', label: 'A' }],
    min: 3,
    max: 1,
  }),
);
wrongRequest(
  'minLength above maxLength',
  ['fields.0.minLength: 5 is above maxLength, 1'],
  input({
    ...text,
    minLength: 5,
    maxLength: 1,
  }),
);
wrongRequest('a bound of another type', ['fields.0.max:', 'number'], input({ type: 'number', max: '10' }));
wrongRequest('a bound that is no date', ['fields.0.min:', 'date'], input({ type: 'date', min: '2026-02-30' }));
wrongRequest('a bound of a text', ['fields.0.min:', '"text" has none', 'minLength'], input({ ...text, min: 3 }));
wrongRequest('choices of a text', ['fields.0.options:', '"text" has none'], input({ ...text, options: [] }));
wrongRequest(
  'a default of another type',
  ['fields.0.defaultValue:', 'number'],
  input({
    type: 'number',
    defaultValue: 'ten',
  }),
);
wrongRequest(
  'a default that is no option',
  ['fields.0.defaultValue:', 'choices'],
  input({
    type: 'radio',
    options: [{ value: 'a', label: 'A' }],
    defaultValue: 'b',
  }),
);
wrongRequest(
  'a default above max',
  ['fields.0.defaultValue:', 'at most 3'],
  input({
    type: 'number',
    max: 3,
    defaultValue: 4,
  }),
);
wrongRequest('a condition that is no option', ['fields.1.when.equals:', '"c"', '"a"'], {
  type: 'input',
  inputSchema: form(
    { id: 'a', type: 'radio', options: [{ value: 'b', label: 'B' }] },
    { id: 'more', type: 'text', when: { field: 'a', equals: 'c' } },
  ),
});
wrongRequest(
  'an initial value of no field',
  ['initialValues:', '"sise"', 'Did you mean "size"?'],
  input(text, {
    initialValues: { sise: 'x' },
  }),
);
wrongRequest(
  'an error of no field',
  ['fieldErrors:', '"sise"', '"size"'],
  input(text, {
    fieldErrors: { sise: 'No.' },
  }),
);
wrongRequest(
  'a summary of nothing',
  ['summaryTemplate:', '{{nope}}', 'input.size'],
  input(text, {
    completedView: { summaryTemplate: '{{by}}: {{nope}}' },
  }),
);
wrongRequest(
  'a summary of no field',
  ['{{input.sise}}', '"input.size"'],
  input(text, {
    completedView: { summaryTemplate: '{{input.sise}}' },
  }),
);
wrongRequest('a deadline of NaN', ['timeoutMs'], input(text, { timeoutMs: Number.NaN }));

mistakes.nan = () => ({ list: [{ share: Number.NaN }] });
mistakes['nan in a step'] = (ctx) => ctx.step('mean', () => ({ share: Number.NaN }));

const outcomes: Record<string, unknown> = {
  'an outcome with a typo': { compleet: 1 },
  'a stranger beside an outcome': { complete: 1, done: true },
  'a typo in pending': { pending: { mesage: 'Later.' } },
  'a switch of pending': { pending: { message: 'Later.', queued: 'no' } },
  'an error of no field': { reprompt: { fieldErrors: { sise: 'No.' } } },
  'a form on a reprompt of an approval': { reprompt: { type: 'approval', inputSchema: form({ id: 'a', ...text }) } },
};
for (const [name, outcome] of Object.entries(outcomes)) {
  mistakes[`outcome: ${name}`] = (ctx) =>
    ctx.requestInteraction({ ...input(text), onResponse: () => outcome } as unknown as InteractionDemand);
}

const lines: Record<string, unknown>[] = [];
const plugin: Plugin = {
  name: 'hasty',
  tools: [
    {
      name: 'hurry',
      description: 'Makes a mistake.',
      parameters: { type: 'object' },
      handler: ({ kind }, ctx) => mistakes[String(kind)]?.(ctx),
    },
    {
      name: 'raw',
      description: 'Takes a raw shape.',
      parameters: { name: z.string(), count: z.number().optional() },
      handler: (args) => args,
    },
    {
      name: 'careless',
      description: 'Waits for nobody.',
      parameters: { type: 'object' },
      handler: (_, ctx) => ((ctx.confirm('sure', 'Sure?') as unknown) ? 'done' : 'not done'),
    },
    {
      name: 'racing',
      description: 'Gives up early.',
      parameters: { type: 'object' },
      handler: (_, ctx) => Promise.race([ctx.confirm('sure', 'Sure?'), ctx.step('soon', () => 'first')]),
    },
    {
      name: 'fleeting',
      description: 'Sends without waiting.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        void ctx.step('send', () => Promise.reject(new Error('no route')));
        return ctx.step('note', () => 'sent');
      },
    },
    {
      name: 'lasting',
      description: 'Still sends when it ends.',
      parameters: { type: 'object' },
      handler(_, ctx) {
        const ended = new Promise<void>((done) => ctx.signal.addEventListener('abort', () => done()));
        void ctx.step('send', () => ended.then(() => Promise.reject(new Error('no route'))));
        return 'sent';
      },
    },
    {
      name: 'careful',
      description: 'Waits.',
      parameters: { type: 'object' },
      handler: async (_, ctx) => Promise.all([ctx.confirm('one', 'One?'), ctx.confirm('two', 'Two?')]),
    },
  ],
};
const server = useLocalServer({
  plugins: [plugin],
  log: pino(
    { level: 'warn' },
    new Writable({
      write(line, _, done) {
        lines.push(JSON.parse(String(line)));
        done();
      },
    }),
  ),
});

test.each(told)('[PLG8] a mistake is refused where it is made, with an explanation: %s', async (kind, words) => {
  const journey = await Journey.begin(server);
  const { error } = await journey.run('hurry', { kind });
  expect(error?.code).toBe('tool_error');
  for (const word of words) expect(error?.message).toContain(word);
  expect(journey.events('interaction_request')).toEqual([]);
});

test.each([
  ['an outcome with a typo', ['"compleet"', 'Did you mean "complete"?']],
  ['a stranger beside an outcome', ['"done"', 'complete, reprompt, pending']],
  ['a typo in pending', ['"pending.mesage"', '"message"']],
  ['a switch of pending', ['pending.queued', 'true or false']],
  ['an error of no field', ['reprompt: fieldErrors:', '"sise"', '"size"']],
  ['a form on a reprompt of an approval', ['reprompt: inputSchema:', '"approval"']],
])('[PLG8, INT12] %s is an invalid outcome, with an explanation', async (name, words) => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('hurry', { kind: `outcome: ${name}` });
  await journey.submit(prompt, { size: 'x' });
  const { error } = await journey.outcome(prompt);
  expect(error?.code).toBe('invalid_outcome');
  for (const word of words) expect(error?.message).toContain(word);
});

test.each([
  ['nan', 'The result is not JSON: "list.0.share" is NaN.'],
  ['nan in a step', 'The value of step "mean" is not JSON: "share" is NaN.'],
])('[PLG8, PLG6] a value that JSON would lose is named by its path: %s', async (kind, message) => {
  const journey = await Journey.begin(server);
  expect((await journey.run('hurry', { kind })).error).toEqual({ code: 'invalid_result', message });
});

describe('[PLG8] a raw shape as parameters', () => {
  test('stands for the object schema: it validates', async () => {
    const journey = await Journey.begin(server);
    expect(await journey.run('raw', { name: 'Ada' })).toEqual({ result: { name: 'Ada' } });
    const { error } = await journey.run('raw', { name: 7 });
    expect(error).toMatchObject({ code: 'invalid_args', message: expect.stringMatching(/^name: /) });
  });
});

describe('[PLG8] in the log', () => {
  const warnings = (tool: string) => lines.filter((line) => line.tool === tool).map(({ msg }) => msg);

  test('names a request that was not awaited, and the call that ended while it was open', async () => {
    const journey = await Journey.begin(server);
    expect(await journey.run('careless')).toEqual({ result: 'done' });
    expect(warnings('careless')).toEqual([
      'nobody awaited ctx.confirm: the handler went on without the answer',
      'the handler ended while it was asking: is an await missing?',
    ]);
  });

  test('names a call that ends with a prompt open, even if the prompt was awaited', async () => {
    const journey = await Journey.begin(server);
    expect(await journey.run('racing')).toEqual({ result: 'first' });
    expect(warnings('racing')).toEqual(['the handler ended while it was asking: is an await missing?']);
  });

  test('names a step that failed and was not awaited, with its tool', async () => {
    const journey = await Journey.begin(server);
    expect(await journey.run('fleeting')).toEqual({ result: 'sent' });
    expect(await journey.run('lasting')).toEqual({ result: 'sent' }); // its step fails after its end
    await vi.waitFor(() => expect(warnings('lasting')).toHaveLength(1), 30_000);
    expect(warnings('fleeting')).toEqual(['nobody awaited ctx.step("send"): it failed']);
    expect(warnings('lasting')).toEqual(['nobody awaited ctx.step("send"): it failed']);
    expect(lines.find(({ tool }) => tool === 'fleeting')).toMatchObject({ thrown: 'Error' });
  });

  test('says nothing about requests that were awaited', async () => {
    const journey = await Journey.begin(server);
    await journey.call('careful');
    for (const prompt of await journey.prompts(2)) await journey.answer(prompt, { action: 'approve' });
    expect(await journey.outcome()).toEqual({ result: [true, true] });
    expect(warnings('careful')).toEqual([]);
  });
});
