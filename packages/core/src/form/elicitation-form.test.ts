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
])('[AGT4, INT17] %s looks like a secret, which a form must not ask for', (name) => {
  expect(() => one(name, { type: 'string' })).toThrow('looks like a secret');
});

test.each([
  ['its format', { type: 'string', format: 'password' }],
  ['what it may be read as', { type: 'string', writeOnly: true }],
  ['a union with null', { anyOf: [{ type: 'string', format: 'password' }, { type: 'null' }] }],
  ['a list of types', { type: ['string', 'null'], title: 'Password' }],
])('[AGT4, INT17] a secret by %s is not asked for in a form', (_, property) => {
  expect(() => one('it', property)).toThrow('"it" looks like a secret');
});

test.each([{ format: 'password' }, { title: 'Password' }])(
  '[AGT4, INT17] a secret that a property refers to, %j, is not asked for in a form',
  (members) => {
    const hidden = { type: 'object', properties: { it: { $ref: '#/$defs/hidden' } } };
    expect(() => makeForm({ ...hidden, $defs: { hidden: { type: 'string', ...members } } })).toThrow('secret');
  },
);

test('[AGT4, INT17] the title within a union with null is checked, too', () => {
  expect(() => one('it', { anyOf: [{ type: 'string', title: 'Password' }, { type: 'null' }] })).toThrow('secret');
});

test('[AGT4] a schema that is only a reference is resolved', () => {
  const whole = { $ref: '#/$defs/form', $defs: { form: { type: 'object', properties: { it: { type: 'string' } } } } };
  expect(makeForm(whole).form.fields).toMatchObject([{ id: 'it', type: 'text' }]);
});

test.each([
  { type: 'string', secret: true },
  { type: 'string', multiline: true },
  { anyOf: [{ type: 'string', secret: true }, { type: 'null' }] },
])('[AGT4, INT17] %j is a text field whatever its keywords', (property) => {
  expect(one('it', property).form.fields[0]?.type).toBe('text');
});

test.each(['keyword', 'tokens', 'maxTokens', 'spin', 'opinion', 'passenger', 'compass', 'keyboard', 'card'])(
  '[AGT4] %s does not',
  (name) => {
    expect(one(name, { type: 'string' }).form.fields).toHaveLength(1);
  },
);

test('[AGT4] a yes or no about a secret is not a secret', () => {
  expect(one('forgotPassword', { type: 'boolean' }).form.fields[0]?.type).toBe('checkbox');
});

test.each([
  ['an object within', { type: 'object' }],
  ['a list of objects', { type: 'array', items: { type: 'object' } }],
])('[AGT4] %s fits no form', (_, property) => {
  expect(() => one('nested', property)).toThrow(TypeError);
});

test('[AGT4] names that are not valid field ids are restored in the answer', () => {
  const properties = { 'first name': { type: 'string' }, 'a.b': { type: 'number' }, plain: { type: 'string' } };
  const { form, read } = makeForm({ type: 'object', properties, required: ['a.b'] });
  expect(form.fields.map(({ id, label, required }) => [id, label, required])).toEqual([
    ['field0', 'first name', undefined],
    ['field1', 'a.b', true],
    ['plain', 'plain', undefined],
  ]);
  expect(read({ field0: 'Ada', field1: 1 })).toEqual({ 'first name': 'Ada', 'a.b': 1 });
});

test('[AGT4] a name that equals a generated field id is kept apart', () => {
  const properties = { 'a b': { type: 'string' }, field0: { type: 'string' } };
  const { form, read } = makeForm({ type: 'object', properties });
  const [first, second] = form.fields.map(({ id }) => id) as [string, string];
  expect(read({ [first]: 'A', [second]: 'B' })).toEqual({ 'a b': 'A', field0: 'B' });
});

test.each<[string, property: object]>([
  ['a number out of bounds', { type: 'integer', minimum: 1, default: 0 }],
  ['no choice', { enum: ['a', 'b'], default: 'c' }],
  ['a date-time without offset', { type: 'string', format: 'date-time', default: '2026-03-31T09:30:00' }],
  ['null', { anyOf: [{ type: 'string' }, { type: 'null' }], default: null }],
  ['not known to match', { type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(40)}!` }],
])('[AGT4] a default that is %s is left out', (_, property) => {
  expect(one('it', property).form.fields[0]).not.toHaveProperty('defaultValue');
});

test('[AGT4] choices of numbers, and constants, are chosen and come back as numbers', () => {
  expect(one('it', { enum: [1, 2], default: 2 }).form.fields[0]).toMatchObject({ type: 'radio', defaultValue: '2' });
  expect(one('it', { enum: [1, 2, null] }).read({ it: '2' })).toEqual({ it: 2 });
  expect(one('it', { const: 7 }).read({ it: '7' })).toEqual({ it: 7 });
  expect(one('it', { anyOf: [{ const: 1, title: 'One' }, { type: 'null' }] }).read({})).toEqual({});
});

test.each<[string, schema: object]>([
  [
    'more fields than a form may have',
    Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`f${n}`, { type: 'string' }])),
  ],
  ['bounds that nothing meets', { n: { type: 'number', minimum: 3, maximum: 1 } }],
  ['no choice at all', { n: { type: 'string', enum: [] } }],
])('[AGT4] %s cannot be shown, and the error says why', (_, properties) => {
  expect(() => makeForm({ type: 'object', properties })).toThrow(/^its form cannot be shown: /);
});

test('[AGT4] what a property refers to is asked for, and read as it is', () => {
  const properties = { level: { $ref: '#/$defs/Level' }, several: { type: 'array', items: { $ref: '#/$defs/Level' } } };
  const $defs = { Level: { enum: [1, 2], title: 'Level' } };
  const { form, read } = makeForm({ type: 'object', properties, $defs });
  expect(form.fields.map(({ label, type }) => [label, type])).toEqual([
    ['Level', 'radio'],
    ['several', 'multiselect'],
  ]);
  expect(read({ level: '2', several: ['1'] })).toEqual({ level: 2, several: [1] });
});

test.each([
  { required: null },
  { required: ['it', 5] },
  { title: null, description: null, additionalProperties: null },
])('[AGT4] a schema with %j makes a form', (members) => {
  const { form } = makeForm({ type: 'object', properties: { it: { title: null, type: 'string' } }, ...members });
  expect(form.fields).toHaveLength(1);
});

test.each(['uuid', 'time', 'duration', 'ipv4', 'whatever', null])(
  '[AGT4] a text of the format %s is asked for',
  (format) => {
    expect(one('it', { type: 'string', format }).form.fields).toHaveLength(1);
  },
);

test('[AGT4, SEC6] long lists of choices, default values and required names are read in linear time', () => {
  const list = (length: number) => Array.from({ length }, (_, index) => `c${index}`);
  const many = { type: 'array', items: { enum: list(19_000) }, default: list(300_000) };
  expect(() => makeForm({ type: 'object', properties: { many } })).toThrow('at most 20000 choices');
  const few = Object.fromEntries(list(190).map((name) => [name, { type: 'string' }]));
  const each = { type: 'array', items: { enum: ['a'] }, default: list(300_000) };
  const repeated = Object.fromEntries(list(190).map((name) => [name, { $ref: '#/$defs/each' }]));
  expect(() => makeForm({ type: 'object', properties: repeated, $defs: { each } })).toThrow('at most 20000 choices');
  const properties = Object.fromEntries(list(100_000).map((name) => [name, { type: 'string' }]));
  const required = Array.from({ length: 300_000 }, () => 'none');
  expect(() => makeForm({ type: 'object', properties, required })).toThrow('at most 200 fields');
  expect(makeForm({ type: 'object', properties: few, required }).form.fields).toHaveLength(190);
});
