import { expect, test } from 'vitest';
import { makeForm } from './elicitation-form.ts';

const one = (name: string, property: object) => makeForm({ type: 'object', properties: { [name]: property } });

test.each([
  'password',
  'passwd',
  'dbPassword',
  'api_key',
  'apiKey',
  'API-Key',
  'secret',
  'clientSecret',
  'access_token',
  'token',
  'privateKey',
  'credentials',
  'card_number',
  'cvv',
  'pin',
  'PIN',
  'passphrase',
])('[AGT4, INT17] %s looks like a secret, which no form asks for', (name) => {
  expect(() => one(name, { type: 'string' })).toThrow('looks like a secret');
});

test.each(['keyword', 'tokens', 'maxTokens', 'spin', 'opinion', 'passenger', 'compass', 'keyboard', 'card'])(
  '[AGT4] %s does not',
  (name) => {
    expect(one(name, { type: 'string' }).form.fields).toHaveLength(1);
  },
);

test('[AGT4] a yes or no about a secret is no secret', () => {
  expect(one('forgotPassword', { type: 'boolean' }).form.fields[0]?.type).toBe('checkbox');
});

test.each([
  ['an object within', { type: 'object' }],
  ['a list of objects', { type: 'array', items: { type: 'object' } }],
])('[AGT4] %s fits no form', (_, property) => {
  expect(() => one('nested', property)).toThrow(TypeError);
});

test('[AGT4] names that our fields cannot have come back as they were', () => {
  const properties = { 'first name': { type: 'string' }, 'a.b': { type: 'number' }, plain: { type: 'string' } };
  const { form, read } = makeForm({ type: 'object', properties, required: ['a.b'] });
  expect(form.fields.map(({ id, label, required }) => [id, label, required])).toEqual([
    ['field0', 'first name', undefined],
    ['field1', 'a.b', true],
    ['plain', 'plain', undefined],
  ]);
  expect(read({ field0: 'Ada', field1: 1 })).toEqual({ 'first name': 'Ada', 'a.b': 1 });
});

test('[AGT4] a name that ours would take the place of is refused', () => {
  const properties = { 'a b': { type: 'string' }, field0: { type: 'string' } };
  expect(() => makeForm({ type: 'object', properties })).toThrow('cannot be told apart');
});
