import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkJsonSchema } from './json-schema-check.ts';

interface Case {
  readonly description: string;
  readonly schema: object;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const folder = join(
  dirname(createRequire(import.meta.url).resolve('json-schema-test-suite/package.json')),
  'tests/draft4',
);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

/** What a schema elsewhere says is not fetched: whoever reads a schema would ask the network of others. */
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
