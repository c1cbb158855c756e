import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import type { JsonSchema } from '../basics/json.ts';
import { toModelTool } from './model-tool.ts';

const of = (parameters: JsonSchema) => toModelTool({ description: 'Picks.', parameters });

test('[AGT8] a union at the top of a schema is stated in the description', () => {
  const properties = { a: { type: 'string' }, b: { type: 'string' } };
  const anyOf = [{ required: ['a'] }, { required: ['b'] }];
  const { description, schema } = of({ type: 'object', properties, anyOf });
  expect(description).toBe(`Picks.\nThe arguments also fit this schema: ${JSON.stringify({ anyOf })}`);
  expect(schema).toEqual({ type: 'object', properties });
});

test('[AGT8] an invalid name is replaced for the model, and the tool receives its own', () => {
  const text = { type: 'string' };
  const long = 'x'.repeat(65);
  const properties = {
    'filter[id]': text,
    名前: text,
    住所: { ...text, title: 'Address' },
    filter_id_: text,
    [long]: true,
  };
  const { schema, toArgs } = of({
    type: 'object',
    properties,
    required: ['名前', 'filter_id_'],
    not: { required: ['住所'] },
  });
  expect(schema).toEqual({
    type: 'object',
    properties: {
      filter_id__2: { title: 'filter[id]', ...text },
      _: { title: '名前', ...text },
      __2: { title: 'Address', ...text },
      filter_id_: text,
      [long.slice(0, 64)]: true,
    },
    required: ['_', 'filter_id_'],
  });
  expect(toArgs({ filter_id__2: 'a', _: 'b', __2: 'c', filter_id_: 'd', [long.slice(0, 64)]: 5, other: 6 })).toEqual({
    'filter[id]': 'a',
    名前: 'b',
    住所: 'c',
    filter_id_: 'd',
    [long]: 5,
    other: 6,
  });
  expect(toArgs({ 名前: 'b' })).toEqual({ 名前: 'b' });
  expect(toArgs('text')).toBe('text');
});

test('[AGT8] names in nested objects are kept, because no API checks them', () => {
  const properties = { at: { type: 'object', properties: { 'filter[id]': { type: 'string' } } } };
  expect(of({ type: 'object', properties }).schema).toEqual({ type: 'object', properties });
});

const text = { type: 'string' };

test.each<[object, object]>([
  [{ n: { type: 'number', minimum: 1, exclusiveMinimum: true } }, { n: { type: 'number', exclusiveMinimum: 1 } }],
  [{ n: { ...text, required: true } }, { n: text }],
  [{ n: { ...text, title: 5, description: null, examples: {} } }, { n: text }],
  [{ n: { ...text, minLength: -1, deprecated: 'yes' } }, { n: text }],
  [{ n: { type: 'array', items: [text] } }, { n: { type: 'array', prefixItems: [text] } }],
  [{ n: { allOf: [] } }, { n: {} }],
  [{ n: { anyOf: [text, 5] } }, { n: { anyOf: [text] } }],
  [{ n: text, required: ['n'] }, { n: text }],
])('[AGT8] %j is sent as the API accepts it', (properties, sent) => {
  const { schema } = of({ type: 'object', properties });
  expect(schema.properties).toEqual(sent);
  expect(new Ajv2020({ strict: false }).validateSchema(schema as object)).toBe(true);
});

test.each([{}, { type: 'object' }, { type: ['object', 'null'], properties: null }, { $defs: 5, required: ['a', 'a'] }])(
  '[AGT8] %j is sent as an object',
  (parameters) => {
    expect(of(parameters as JsonSchema).schema).toMatchObject({ type: 'object' });
  },
);

test('[AGT8] one property with too many errors accepts anything, and the others are unchanged', () => {
  const odd = { anyOf: Array.from({ length: 50 }, () => 5) };
  const ref = { $ref: '#/$defs/a' };
  expect(of({ properties: { odd, ref }, $defs: { a: { type: 'string', minLength: -1 } } }).schema).toEqual({
    type: 'object',
    properties: { odd: {}, ref },
    $defs: { a: { type: 'string' } },
  });
});

test('[AGT8, SEC6] many errors and many invalid names are handled one property at a time', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, n) => [`名${n}前`, { type: 'string', minLength: -1, 'a/b~c': 1, examples: {} }]),
  );
  const { schema, toArgs } = of({ type: 'object', properties });
  const names = Object.keys(schema.properties as object);
  expect(new Set(names).size).toBe(20_000);
  expect(names.every((name) => /^[\w.-]{1,64}$/.test(name))).toBe(true);
  expect(Object.values(schema.properties as object)[0]).toEqual({ title: '名0前', type: 'string', 'a/b~c': 1 });
  expect(toArgs({ [names[19_999] ?? '']: 'x' })).toEqual({ 名19999前: 'x' });
});

test('[AGT8, SEC6] names that become equal are numbered without a search for each', () => {
  const names = Array.from({ length: 20_000 }, (_, n) => '名'.repeat((n % 200) + 1) + '前'.repeat(Math.floor(n / 200)));
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  expect(Object.keys(of({ type: 'object', properties }).schema.properties as object)).toHaveLength(
    Object.keys(properties).length,
  );
});
