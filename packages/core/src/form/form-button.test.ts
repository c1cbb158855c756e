import { expect, test } from 'vitest';
import { actor, form, inputDraft, matches, requestFrom } from '../../test/support/samples.ts';
import { checkAnswer, completeAnswer, describeAnswer } from '../prompt/answer.ts';
import { digestText } from '../prompt/interaction.ts';
import { pickFitting } from './field-check.ts';

const fields = form([
  { id: 'name', type: 'text', label: 'Name', required: true },
  { id: 'kind', type: 'radio', label: 'Kind', options: [{ value: 'a', label: 'A' }] },
  { id: 'more', type: 'text', label: 'More', required: true, when: { field: 'kind', equals: 'a' } },
]);
const actions = [
  { id: 'back', label: 'Back', keepsInput: true },
  { id: 'skip', label: 'Skip' },
];
const asked = requestFrom({ ...inputDraft, prompt: 'Who?', inputSchema: fields, actions });
const check = (answer: object) => checkAnswer(asked, { action: 'submit', ...answer }, matches);

test('[PLG11] a custom button submits the valid part of what was typed, or nothing', () => {
  expect(check({ button: 'back' })).toBeUndefined();
  expect(check({ button: 'back', input: { kind: 'a' } })).toBeUndefined();
  expect(check({ button: 'back', input: { kind: 'b' } })).toEqual({ kind: 'Must be one of the choices.' });
  expect(check({ button: 'skip', input: {} })).toBeUndefined();
  expect(check({ button: 'skip', input: { name: 'x' } })).toEqual({ input: 'This button takes no input.' });
  expect(check({ button: 'nope' })).toEqual({ button: '"nope" was not offered.' });
  expect(check({ button: 'back', action: 'cancel' })).toEqual({ button: '"back" was not offered.' });
});

test('[PLG11] a client leaves out invalid values, and those that depended on them', () => {
  expect(pickFitting(fields, { name: 'x', kind: 'b', more: 'y' }, matches)).toEqual({ name: 'x' });
});

test('[PLG11, INT9] a late answer names the button that was pressed', () => {
  const answer = { action: 'submit', button: 'back', input: { name: 'Ada' } } as const;
  const ids = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a' };
  expect(describeAnswer(asked, { ...answer, ...ids, by: actor() })).toBe('Who?\nBack\nName: Ada');
  expect(completeAnswer(asked, { action: 'submit', button: 'skip' })).toEqual({
    ...{ action: 'submit', button: 'skip' },
    input: {},
  });
});

test('[PLG11, DUR5] buttons are part of the digest; a form without any keeps its old digest', () => {
  const spec = { type: 'input', inputSchema: fields } as const;
  expect(digestText('tool', { ...spec, actions })).not.toBe(digestText('tool', spec));
  expect(digestText('tool', spec)).not.toContain('actions');
});
