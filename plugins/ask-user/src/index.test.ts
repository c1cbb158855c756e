import { checkValues, type FormSchema } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { scriptContext } from '../test/script.ts';
import plugin from './index.ts';

const askUser = plugin.tools[0]!;

function parse(args: object) {
  return askUser.parameters.parse(args);
}

test('[PLG7] the answer is returned as given', async () => {
  const { ctx, asked } = scriptContext({ action: 'submit', input: { answer: 'blue' } });
  expect(await askUser.handler(parse({ question: 'Colour?' }), ctx)).toEqual({ ok: true, answer: 'blue' });
  expect(asked[0]).toMatchObject({
    type: 'input',
    prompt: 'Colour?',
    inputSchema: { fields: [{ id: 'answer', type: 'text', required: true }] },
  });
});

test('[PLG7] a cancel is a result, not an error', async () => {
  const { ctx } = scriptContext({ action: 'cancel' });
  expect(await askUser.handler(parse({ question: 'Colour?' }), ctx)).toEqual({ ok: false, cancelled: true });
});

test('[INT10] no answer until the deadline is reported as a timeout', async () => {
  const { ctx } = scriptContext('timeout');
  expect(await askUser.handler(parse({ question: 'Colour?' }), ctx)).toEqual({ ok: false, error: 'timeout' });
});

test.each([
  [{ options: ['red', 'blue'] }, 'select'],
  [{ options: [{ value: 'red', label: 'Red' }], inputType: 'radio' }, 'radio'],
  [{ inputType: 'date' }, 'date'],
])('[PLG7] %j makes a field of type %s', async (args, type) => {
  const { ctx, asked } = scriptContext({ action: 'cancel' });
  await askUser.handler(parse({ question: 'Which?', ...args }), ctx);
  expect(asked[0]?.inputSchema?.fields[0]?.type).toBe(type);
});

test('[PLG7] options are strings, or values with labels', async () => {
  const { ctx, asked } = scriptContext({ action: 'cancel' });
  await askUser.handler(parse({ question: 'Which?', options: ['red', { value: 'b', label: 'Blue' }] }), ctx);
  expect(asked[0]?.inputSchema?.fields[0]?.options).toEqual([
    { value: 'red', label: 'red' },
    { value: 'b', label: 'Blue' },
  ]);
});

test('[PLG7] a checkbox can be left unticked', async () => {
  const { ctx, asked } = scriptContext({ action: 'submit', input: {} });
  expect(await askUser.handler(parse({ question: 'Sure?', inputType: 'checkbox' }), ctx)).toEqual({
    ok: true,
    answer: false,
  });
  const form = asked[0]?.inputSchema as FormSchema;
  expect(checkValues(form, { answer: false }, () => true)).toEqual({});
});

test('[AGT6] an empty question is refused', () => {
  expect(askUser.parameters.safeParse({ question: '' }).success).toBe(false);
});
