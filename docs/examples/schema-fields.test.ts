import { formFromSchema } from '@parleyhq/core';
import { readSchema } from '@parleyhq/core/schemas';
import { expect, test } from 'vitest';
import { fields, formWith, notes } from './schema-fields.ts';

const rows = [...fields.map(([schema, type]) => [schema, { type }] as const), ...notes];

test.each(rows)('[PLG9] a schema becomes the field that the guide says: %#', (schema, field) => {
  const { jsonSchema } = readSchema(formWith(schema), 'here');
  expect(formFromSchema(jsonSchema, { takesFiles: true }).fields[0]).toMatchObject(field);
});
