import { expect, test } from 'vitest';
import { readElicitation } from './elicitation.ts';

const requestedSchema = { type: 'object', properties: { colour: { type: 'string' } } };
const url = 'https://a.example';

test.each([
  [
    { requestedSchema },
    { action: 'submit', input: { colour: 'red' } },
    { action: 'accept', content: { colour: 'red' } },
  ],
  [{ mode: 'form', requestedSchema }, { action: 'approve' }, { action: 'cancel' }],
  [{ mode: 'url', url }, { action: 'approve' }, { action: 'accept' }],
  [{ mode: 'url', url }, { action: 'submit', input: {} }, { action: 'cancel' }],
  [{ mode: 'url', url }, { action: 'deny' }, { action: 'decline' }],
  [{ requestedSchema }, { action: 'cancel' }, { action: 'decline' }],
  [{ requestedSchema }, { action: 'timeout' }, { action: 'cancel' }],
  [{ requestedSchema }, undefined, { action: 'cancel' }],
])('[AGT4, ACP4] %j answered by %j is %j', (params, answer, elicited) => {
  expect(readElicitation(params).read(answer)).toEqual(elicited);
});

const secret = { type: 'string', _meta: { agent: { isSecret: true } } };

test.each([
  [{ requestedSchema: { type: 'object', properties: { secret } } }],
  [{ mode: 'voice' }],
  [{ mode: 'url' }],
  [{}],
  [undefined],
  [{ requestedSchema: { type: 'array' } }],
])('[AGT4, ACP4] %j cannot be shown', (params) => {
  expect(() => readElicitation(params)).toThrow(TypeError);
});
