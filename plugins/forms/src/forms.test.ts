import { checkValues, type FormSchema, fieldTypes } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { scriptContext, submit } from '../test/script.ts';

const cancel = { action: 'cancel' } as const;

test('[INT16] all_fields shows every field type but files and returns the values, with the secret redacted', async () => {
  const person = scriptContext(submit({ name: 'Ada', age: 36, password: 'correct horse' }));

  expect(await person.run('all_fields')).toEqual({
    ok: true,
    values: { name: 'Ada', age: 36, news: false, password: { redacted: true } },
  });

  const { inputSchema, initialValues, completedView } = person.asked[0]!;
  const types = new Set(inputSchema?.fields.map((field) => field.type));
  const everywhere = fieldTypes.filter((type) => type !== 'file'); // not every server stores files
  expect([...types].sort()).toEqual(everywhere.sort());
  expect(inputSchema?.sections?.some((section) => section.optional)).toBe(true);
  expect(initialValues).toBeDefined();
  expect(completedView?.summaryTemplate).toContain('{{input.name}}');
});

test('[INT16] the form of all_fields accepts a full answer, and requires a phone number only if it is shown', async () => {
  const person = scriptContext(cancel);
  await person.run('all_fields');
  const form = person.asked[0]?.inputSchema as FormSchema;
  const values = {
    name: 'Ada',
    email: 'ada@example.org',
    code: 'ABC-123',
    about: 'Mathematics',
    age: 36,
    budget: 10.5,
    city: { other: 'Porto' },
    languages: ['en', 'pt'],
    contact: 'phone',
    phone: '555',
    day: '2026-03-31',
    time: '09:30',
    moment: '2026-03-31T09:30:00+02:00',
    news: false,
  };

  expect(checkValues(form, values, matches)).toEqual({});
  expect(checkValues(form, { ...values, contact: 'email' }, matches)).toHaveProperty('phone');
  expect(checkValues(form, { ...values, street: 'Main Street 1' }, matches)).toEqual({ postcode: 'Required.' });
  expect(checkValues(form, { name: 'Ada' }, matches)).toEqual({});
});

test.each(['all_fields', 'collect_email', 'quick_question', 'survey'])('[PLG7] %s reports a cancel', async (tool) => {
  expect(await scriptContext(cancel).run(tool)).toEqual({ ok: false, cancelled: true });
});

test('[INT8] collect_email asks again, with an error at the field, until it gets an address', async () => {
  const person = scriptContext(...['ada', 'ada@home', 'ada@example.org'].map((email) => submit({ email })));

  expect(await person.run('collect_email')).toEqual({ ok: true, email: 'ada@example.org' });

  expect(person.asked).toHaveLength(3);
  expect(person.asked[0]?.error).toBeUndefined();
  expect(person.asked[2]).toMatchObject({
    error: 'Invalid email address',
    fieldErrors: { email: 'Invalid email address' },
  });
});

test('[INT8] collect_email validates in the tool and keeps what was typed', async () => {
  const person = scriptContext(submit({ email: 'ada' }), cancel);

  expect(await person.run('collect_email')).toEqual({ ok: false, cancelled: true });

  expect(person.asked[0]?.inputSchema?.fields[0]).not.toHaveProperty('format');
  expect(person.asked[1]?.initialValues).toEqual({ email: 'ada' });
});

test('[INT10] quick_question reports a timeout if nobody answers in time', async () => {
  const person = scriptContext('timeout');
  expect(await person.run('quick_question', { timeoutMs: 50 })).toEqual({ ok: false, timedOut: true });
  expect(person.asked[0]?.timeoutMs).toBe(50);
});

test('[INT7] quick_question returns the answer that came in time', async () => {
  const person = scriptContext(submit({ answer: 'tea' }));
  expect(await person.run('quick_question')).toEqual({ ok: true, answer: 'tea' });
  expect(person.asked[0]?.timeoutMs).toBe(15_000);
});

test('[INT9] survey continues without an answer and accepts a late one', async () => {
  const person = scriptContext('timeout');
  expect(await person.run('survey')).toEqual({ pending: true, queued: true, message: expect.any(String) });
});

test('[INT7] survey returns the answer that came in time', async () => {
  const person = scriptContext(submit({ rating: 5 }));
  expect(await person.run('survey')).toEqual({ ok: true, values: { rating: 5 } });
});

test('[INT13] ask_parallel opens its prompts at once and matches each answer to its prompt', async () => {
  const person = scriptContext(submit({ colour: 'red' }), submit({ animal: 'cat' }), submit({ number: 7 }));
  expect(await person.run('ask_parallel')).toEqual({ ok: true, answers: { colour: 'red', animal: 'cat', number: 7 } });
  expect(person.asked.map((prompt) => prompt.key)).toEqual(['colour', 'animal', 'number']);
});

test('[INT13] ask_parallel keeps the other answers when one prompt is cancelled', async () => {
  const person = scriptContext(submit({ colour: 'red' }), cancel, submit({ number: 7 }));
  expect(await person.run('ask_parallel')).toEqual({ ok: false, answers: { colour: 'red', number: 7 } });
});

function matches(pattern: string, value: string): boolean {
  return new RegExp(`^(?:${pattern})$`, 'u').test(value);
}
