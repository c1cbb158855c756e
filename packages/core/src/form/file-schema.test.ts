import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { readSchema } from '../plugin/schemas.ts';
import { defineTool } from '../plugin/tool.ts';
import { describeAnswer } from '../prompt/answer.ts';
import { givenFile, playTool, submit } from '../testing/index.ts';
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

const reader = defineTool({
  name: 'reader',
  description: 'Reads a CV.',
  parameters: {},
  async handler(_, ctx) {
    const { cv } = await ctx.ask('cv', schema);
    return { name: cv.name, text: await new Response(await ctx.openFile(cv)).text() };
  },
});

test('[PLG13a, PLG5] a scripted person gives a file, which the tool reads', async () => {
  const cv = givenFile('../CV.pdf', 'Ada', 'application/pdf');
  expect(await playTool(reader, { human: [submit({ cv })] }).end()).toEqual({
    result: { name: 'CV.pdf', text: 'Ada' },
  });
});

test('[PLG13a, PLG5] the kit refuses what a server refuses', async () => {
  const play = playTool(reader);
  const prompt = await play.prompt();
  expect(() => prompt.submit({ cv: givenFile('cv.txt', new Uint8Array(3)) })).toThrow('cv.txt is of another kind');
  prompt.cancel();
  expect(await play.end()).toMatchObject({ error: { code: 'cancelled' } });
});

test.each([
  ['a name', 'cv.pdf', 'tool_error', 'needs a file of an answer'],
  ['a list', [givenFile('a', 'a')], 'tool_error', 'A field with "multiple" has a list'],
  [
    'one that is not here',
    { ...givenFile('a', 'a'), fileId: 'gone' },
    'file_gone',
    'The file "a" is not here any more.',
  ],
])('[PLG13a, PLG8] %s cannot be opened', async (_, given, code, message) => {
  const tool = defineTool({
    name: 'opener',
    description: 'Opens.',
    parameters: {},
    handler: (_args, ctx) => ctx.openFile(given as FileReference).then(() => 'opened'),
  });
  expect(await playTool(tool).end()).toEqual({ error: { code, message: expect.stringContaining(message) } });
});

test('[PLG13a] people read its name and size', () => {
  const value = [givenFile('a.txt', 'a'), givenFile('b.txt', 'bb')];
  const field = { id: 'f', type: 'file' as const };
  expect(describeValue(field, value)).toBe('a.txt (1 byte), b.txt (2 bytes)');
  const request = { prompt: 'Files?', inputSchema: { type: 'form', fields: [field] } };
  expect(describeAnswer(request as never, { action: 'submit', input: { f: value } } as never)).toBe(
    'Files?\nf: a.txt (1 byte), b.txt (2 bytes)',
  );
});
