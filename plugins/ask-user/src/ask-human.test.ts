import { describe, expect, test } from 'vitest';
import { answered, scriptTool, submit } from '../test/script.ts';
import { askHuman } from './ask-human.ts';

const question = 'Which one?';
const options = [{ label: 'Red', description: 'Warm' }, { label: 'Blue' }];
const labels = (...names: string[]) => names.map((label) => ({ label }));

/** Asks with these arguments and returns the fields of the form. */
async function fieldsOf(args: object) {
  const { run, asked } = scriptTool(askHuman, { action: 'cancel' });
  await run({ question, ...args });
  return asked[0]?.inputSchema?.fields;
}

test('[ASK3] a question alone is answered by a text, without a deadline, and waits even if nobody is there', async () => {
  const { run, asked } = scriptTool(askHuman, submit({ answer: 'blue' }));
  expect(await run({ question, title: 'Paint', risk: 'high' })).toEqual({ ok: true, answer: 'blue', ...answered });
  expect(asked[0]).toMatchObject({
    type: 'input',
    title: 'Paint',
    prompt: question,
    risk: 'high',
    timeoutMs: null,
    onUnavailable: 'wait',
    inputSchema: { fields: [{ id: 'answer', type: 'text', required: true }] },
  });
});

test('[ASK3] a cancel and a passed deadline are results', async () => {
  const cancelled = scriptTool(askHuman, { action: 'cancel' });
  expect(await cancelled.run({ question })).toEqual({ ok: false, cancelled: true, ...answered });
  const late = scriptTool(askHuman, 'timeout');
  expect(await late.run({ question, timeoutSeconds: 1.5 })).toEqual({ ok: false, error: 'timeout' });
  expect(late.asked[0]?.timeoutMs).toBe(1500);
});

test('[ASK3, APR5] the words that come with an answer or a cancel are its reason', async () => {
  const answering = scriptTool(askHuman, { ...submit({ answer: 'blue' }), reason: 'It is calm.' });
  expect(await answering.run({ question })).toEqual({ ok: true, answer: 'blue', reason: 'It is calm.', ...answered });
  const cancelling = scriptTool(askHuman, { action: 'cancel', reason: 'Not mine.' });
  expect(await cancelling.run({ question })).toEqual({ ok: false, cancelled: true, reason: 'Not mine.', ...answered });
});

describe('options', () => {
  test.each([
    [{ options }, 'radio', undefined],
    [{ options: labels(...'abcdef') }, 'select', undefined],
    [{ options, multiple: true }, 'multiselect', undefined],
    [{ options, other: true }, 'radio', true],
  ])("[ASK3] %j make a %s, with a text of one's own: %s", async (args, type, other) => {
    const [field] = (await fieldsOf(args)) ?? [];
    expect([field?.type, field?.other, field?.required]).toEqual([type, other, true]);
  });

  test('[ASK3] are shown with their descriptions', async () => {
    expect((await fieldsOf({ options }))?.[0]?.options).toEqual([
      { value: 'Red', label: 'Red', description: 'Warm' },
      { value: 'Blue', label: 'Blue' },
    ]);
  });

  test.each([
    ['Red', 'Red'],
    [{ other: 'Green' }, 'Green'],
    [
      ['Red', { other: 'Green' }],
      ['Red', 'Green'],
    ],
  ])('[ASK3] the choice %j is the answer %j', async (chosen, answer) => {
    const { run } = scriptTool(askHuman, submit({ answer: chosen }));
    expect(await run({ question, options, other: true, multiple: Array.isArray(chosen) })).toEqual({
      ok: true,
      answer,
      ...answered,
    });
  });
});

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'As in the passport', minLength: 2, maxLength: 50 },
    mail: { type: 'string', format: 'email' },
    from: { type: 'string', format: 'date' },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
    share: { type: 'number' },
    agree: { type: 'boolean' },
    size: { type: 'string', enum: ['S', 'M'], default: 'M' },
    tone: { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] },
    extras: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
    days: { type: 'array', items: { anyOf: [{ const: 'mo', title: 'Monday' }] } },
  },
  required: ['name', 'agree'],
};

describe('a schema', () => {
  test('[ASK3] of MCP becomes a form', async () => {
    expect(await fieldsOf({ schema })).toEqual([
      {
        id: 'name',
        type: 'text',
        label: 'Name',
        description: 'As in the passport',
        required: true,
        minLength: 2,
        maxLength: 50,
      },
      { id: 'mail', type: 'text', format: 'email' },
      { id: 'from', type: 'date' },
      { id: 'count', type: 'number', step: 1, min: 1, max: 9, defaultValue: 2 },
      { id: 'share', type: 'number' },
      { id: 'agree', type: 'checkbox' },
      { id: 'size', type: 'radio', defaultValue: 'M', options: [choice('S'), choice('M')] },
      { id: 'tone', type: 'radio', options: [choice('r', 'Red')] },
      { id: 'extras', type: 'multiselect', min: 1, max: 2, defaultValue: ['a'], options: [choice('a'), choice('b')] },
      { id: 'days', type: 'multiselect', options: [choice('mo', 'Monday')] },
    ]);
  });

  test('[ASK3] is answered by values of its types; an untouched checkbox is false', async () => {
    const { run } = scriptTool(askHuman, submit({ name: 'Ada', count: 3, days: ['mo'] }));
    const values = { name: 'Ada', count: 3, days: ['mo'], agree: false };
    expect(await run({ question, schema })).toEqual({ ok: true, values, ...answered });
  });
});

const form = { type: 'form', fields: [{ id: 'plan', type: 'radio', options: [choice('a')], other: true }] };

test('[ASK3] a form is shown as it is, and gives its values', async () => {
  const { run, asked } = scriptTool(askHuman, submit({ plan: { other: 'c' } }));
  expect(await run({ question, form })).toEqual({ ok: true, values: { plan: { other: 'c' } }, ...answered });
  expect(asked[0]?.inputSchema).toEqual(form);
});

test('[ASK3] an audience is passed on', async () => {
  const by = { id: 'p-2', role: 'operator' } as const;
  const { run, asked } = scriptTool(askHuman, { action: 'cancel', by });
  await run({ question, audience: { role: 'operator', exclude: ['requester'] } });
  expect(asked[0]?.audience).toEqual({ role: 'operator', exclude: ['requester'] });
});

const object = (properties: object, more: object = {}) => ({ schema: { type: 'object', properties, ...more } });
const fields = (...all: object[]) => ({ form: { type: 'form', fields: all } });

test.each<[object, RegExp]>([
  [{ question: '' }, /nothing to read/],
  [{ question: '\u200b' }, /nothing to read/],
  [{ question: 'x'.repeat(65_537) }, /Too big/],
  [{ options, schema }, /"options".*one of "options", "schema" and "form"/],
  [{ schema, form }, /does not go with "schema"/],
  [{ multiple: true }, /about "options"/],
  [{ other: true, schema }, /about "options"/],
  [{ options: [] }, /Too small/],
  [{ options: ['Red'] }, /expected object/],
  [{ options: labels('Red', 'Red') }, /a label of its own/],
  [{ timeoutSeconds: 0 }, /Too small/],
  [{ risk: 'extreme' }, /"low"/],
  [{ audience: { princpals: ['ann'] } }, /Unrecognized key: "princpals"/],
  [{ decide: { approve: 2 } }, /Unrecognized key: "decide"/],
  [{ schema: { type: 'string' } }, /expected "object"/],
  [object({ a: { type: 'object' } }), /must be "string", "number"/],
  [object({ a: { type: 'string', secret: true } }), /Unrecognized key: "secret"/],
  [object({ a: { type: 'number', multipleOf: 3 } }), /Unrecognized key: "multipleOf"/],
  [object({ a: { type: 'array', items: { type: 'string' } } }), /"a" fits no field/],
  [object({ a: { type: 'string' } }, { required: ['b'] }), /"b" is required, and there is no such property/],
  [object({ a: { type: 'string', enum: ['x'], default: 'y' } }), /properties\.a\.defaultValue: does not fit/],
  [object({ a: { type: 'integer', minimum: 3, maximum: 2 } }), /properties\.a\.min: 3 is above max/],
  [object({ a: { type: 'string', pattern: '(' } }), /not a regular expression/],
  [fields({ id: 'a', type: 'file' }), /fields\.0\.type/],
  [fields({ id: 'a', type: 'text', requierd: true }), /Did you mean "required"/],
  [fields({ id: 'a', type: 'radio' }), /needs options/],
  [fields({ id: 'a', type: 'text', min: 3 }), /a field of type "text" has none/],
  [{ form: { fields: [] } }, /type/],
  [fields({ id: 'cv', type: 'file' }), /fields\.0\.type: files cannot be asked for here/],
])('[ASK3] %j is refused with what is wrong', async (args, words) => {
  const { run, asked } = scriptTool(askHuman);
  await expect(run({ question, ...args })).rejects.toMatchObject({
    code: 'invalid_args',
    message: expect.stringMatching(words),
  });
  expect(asked).toEqual([]);
});

function choice(value: string, label = value) {
  return { value, label };
}
