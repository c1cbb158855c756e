import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonSchema } from '../basics/json.ts';
import { checkJsonSchema } from './json-schema-check.ts';

interface Case {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const require = createRequire(import.meta.url);
const folder = join(dirname(require.resolve('json-schema-test-suite/package.json')), 'tests/draft4');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

/** Tests with remote references, which are not fetched: reading a schema must not cause network requests. */
const elsewhere = /can't resolve reference (?!#)/;

test.each(files)('[PLG9] the JSON Schema Test Suite, %s', (name) => {
  const cases: Case[] = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const faults = cases.flatMap(({ description, schema, tests }) => {
    let check: ReturnType<typeof checkJsonSchema>;
    try {
      check = checkJsonSchema(schema);
    } catch (error) {
      const { message } = error as Error;
      return elsewhere.test(message) ? [] : [`${description}: ${message}`];
    }
    return tests
      .filter(({ data, valid }) => 'issues' in (check['~standard'].validate(data) as object) === valid)
      .map((each) => `${description}: ${each.description}`);
  });
  expect(faults).toEqual([]);
});

test('[PLG9] two schemas with the same id are distinguished', () => {
  const [number, text] = ['number', 'string'].map((type) =>
    checkJsonSchema({ $id: 'https://example.org/it', $ref: '#/$defs/it', $defs: { it: { $id: 'member', type } } }),
  );
  expect([number, text].map((check) => check?.['~standard'].validate(1))).toMatchObject([
    { value: 1 },
    { issues: [{}] },
  ]);
});

test('[PLG9, AGT6] an issue has the path of its value; a union reports only that no option fits', () => {
  const check = checkJsonSchema({
    required: ['a/b'],
    properties: {
      n: { type: 'integer' },
      u: { anyOf: [{ type: 'string', minLength: 2 }, { type: 'null' }] },
      e: { enum: ['x', 1] },
    },
    additionalProperties: false,
  });
  expect(check['~standard'].validate({ n: 'x', u: 1, e: 2, z: 0 })).toMatchObject({
    issues: [
      { path: ['a/b'], message: 'it is missing' },
      { path: [], message: 'Unrecognized key: "z"' },
      { path: ['n'], message: 'expected integer, received string' },
      { path: ['u'], message: 'no option fits' },
      { path: ['e'], message: 'expected one of "x", 1' },
    ],
  });
});
