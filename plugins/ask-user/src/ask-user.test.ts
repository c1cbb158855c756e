import { checkValues, type FormSchema } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { scriptTool, submit } from '../test/script.ts';
import { askUser } from './ask-user.ts';

test('[PLG7] the answer is returned as given', async () => {
  const { run, asked } = scriptTool(askUser, submit({ answer: 'blue' }));
  expect(await run({ question: 'Colour?' })).toEqual({ ok: true, answer: 'blue' });
  expect(asked[0]).toMatchObject({
    type: 'input',
    prompt: 'Colour?',
    inputSchema: { fields: [{ id: 'answer', type: 'text', required: true }] },
  });
});

test('[PLG7] a cancel is a result, not an error', async () => {
  const { run } = scriptTool(askUser, { action: 'cancel' });
  expect(await run({ question: 'Colour?' })).toEqual({ ok: false, cancelled: true });
});

test('[INT10] no answer until the deadline is reported as a timeout', async () => {
  const { run } = scriptTool(askUser, 'timeout');
  expect(await run({ question: 'Colour?' })).toEqual({ ok: false, error: 'timeout' });
});

test.each([
  [{ options: ['red', 'blue'] }, 'select'],
  [{ options: [{ value: 'red', label: 'Red' }], inputType: 'radio' }, 'radio'],
  [{ inputType: 'date' }, 'date'],
])('[PLG7] %j makes a field of type %s', async (args, type) => {
  const { run, asked } = scriptTool(askUser, { action: 'cancel' });
  await run({ question: 'Which?', ...args });
  expect(asked[0]?.inputSchema?.fields[0]?.type).toBe(type);
});

test('[PLG7] options are strings, or values with labels', async () => {
  const { run, asked } = scriptTool(askUser, { action: 'cancel' });
  await run({ question: 'Which?', options: ['red', { value: 'b', label: 'Blue' }] });
  expect(asked[0]?.inputSchema?.fields[0]?.options).toEqual([
    { value: 'red', label: 'red' },
    { value: 'b', label: 'Blue' },
  ]);
});

test('[PLG7] a checkbox can be left unticked', async () => {
  const { run, asked } = scriptTool(askUser, submit({}));
  expect(await run({ question: 'Sure?', inputType: 'checkbox' })).toEqual({ ok: true, answer: false });
  const form = asked[0]?.inputSchema as FormSchema;
  expect(checkValues(form, { answer: false }, () => true)).toEqual({});
});

test('[AGT6] an empty question is refused', async () => {
  await expect(scriptTool(askUser).run({ question: '' })).rejects.toMatchObject({ code: 'invalid_args' });
});
