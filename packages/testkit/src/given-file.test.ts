import { defineTool, type FileReference, file } from '@parleyhq/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { deny, givenFile, playTool, submit } from './index.ts';

const schema = z.object({ cv: file({ title: 'CV', accept: ['.pdf'], maxBytes: 1000 }) });

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

test('[PLG13a, PLG5] a given file has the hash of its content', () => {
  expect(givenFile('abc.txt', 'abc').sha256).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
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

test('[REV6] a person of the kit attaches files to an answer, and the tool reads them', async () => {
  const tool = defineTool({
    name: 'release',
    description: 'Asks for consent.',
    parameters: {},
    async handler(_, ctx) {
      const { files = [] } = await ctx.approve({ key: 'release', title: 'Release?' });
      return Promise.all(files.map(async (file) => new Response(await ctx.openFile(file)).text()));
    },
  });
  const said = { ...deny('It failed.'), files: [givenFile('log.txt', 'E42', 'text/plain')] };
  expect(await playTool(tool, { args: {}, human: [said] }).end()).toEqual({ result: ['E42'] });
  const unknown = { ...deny(), files: [{ fileId: 'f-1' }] };
  await expect(playTool(tool, { args: {}, human: [unknown] }).end()).rejects.toThrow(
    'files: A file of this is not here',
  );
});
