import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { readSchema } from '../plugin/schemas.ts';
import { describeAnswer } from '../prompt/answer.ts';
import { describeValue } from './field.ts';
import type { FileReference } from './file.ts';
import { file } from './file-schema.ts';
import { formFromSchema } from './form-from-schema.ts';

const schema = z.object({
  cv: file({ title: 'CV', accept: ['.pdf'], maxBytes: 1000 }),
  photos: z
    .array(file({ accept: ['image/*'] }))
    .min(1)
    .max(3)
    .optional()
    .meta({ title: 'Photos' }),
});

test('[PLG13a, PLG9] a schema asks for files, one or several', () => {
  expect(formFromSchema(readSchema(schema, 'here').jsonSchema, { takesFiles: true }).fields).toEqual([
    { id: 'cv', type: 'file', label: 'CV', required: true, accept: ['.pdf'], maxBytes: 1000 },
    { id: 'photos', type: 'file', label: 'Photos', multiple: true, accept: ['image/*'], min: 1, max: 3 },
  ]);
  expectTypeOf<z.output<typeof schema>['cv']>().toEqualTypeOf<FileReference>();
});

test('[PLG13a] a form whose author could not read files cannot ask for them', () => {
  expect(() => formFromSchema(readSchema(schema, 'here').jsonSchema)).toThrow(
    'The property "cv" is a file, and nobody could read it here.',
  );
});

test('[PLG13a] people read its name and size', () => {
  const fileOf = (name: string, size: number) => ({ fileId: name, name, mediaType: 'text/plain', size, sha256: '0' });
  const value = [fileOf('a.txt', 1), fileOf('b.txt', 2)];
  const field = { id: 'f', type: 'file' as const };
  expect(describeValue(field, value)).toBe('a.txt (1 byte), b.txt (2 bytes)');
  const request = { prompt: 'Files?', inputSchema: { type: 'form', fields: [field] } };
  expect(describeAnswer(request as never, { action: 'submit', input: { f: value } } as never)).toBe(
    'Files?\nf: a.txt (1 byte), b.txt (2 bytes)',
  );
});
