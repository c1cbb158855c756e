import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { begin, callOf, startMcp } from './mcp-stage.ts';

/** A server that npm has installed, started as npx would. */
function installed(variable: string, name: string, ...args: string[]) {
  const main = join(process.env[variable] ?? '', 'node_modules/@modelcontextprotocol', name, 'dist/index.js');
  return { command: process.execPath, args: [main, ...args] };
}

interface Prompt {
  readonly name: string;
  readonly arguments?: readonly object[];
}

test('[AGT4] server-everything: its tools, resources and prompts work, and its question has all of its fields', async () => {
  const server = await startMcp({ everything: installed('PARLEY_MCP_EVERYTHING', 'server-everything') });
  const journey = await begin(server);
  expect((await journey.run('everything__echo', { message: 'hello' })).result).toBe('Echo: hello');
  expect((await journey.run('everything__get-sum', { a: 1, b: 2 })).result).toContain('3');
  const image = { type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBOR/) };
  expect((await journey.run('everything__get-tiny-image')).result).toMatchObject({
    content: expect.arrayContaining([image]),
  });
  const weather = (await journey.run('everything__get-structured-content', { location: 'Chicago' })).result;
  expect(weather).toMatchObject({ temperature: expect.any(Number) });

  const shelf = (await journey.run('everything__list_resources')).result as unknown as { resources: { uri: string }[] };
  const [document] = shelf.resources;
  expect((await journey.run('everything__read_resource', { uri: document?.uri })).error).toBeUndefined();
  const { prompts } = (await journey.run('everything__list_prompts')).result as unknown as { prompts: Prompt[] };
  const simple = prompts.find(({ arguments: wanted = [] }) => wanted.length === 0);
  expect((await journey.run('everything__get_prompt', { name: simple?.name })).result).toMatch(/^user:\n/);

  await expect.poll(() => callOf(server, 'everything__trigger-elicitation-request')).toBe('interaction_request');
  const other = await begin(server);
  const gate = await other.ask('everything__trigger-elicitation-request');
  await other.answer(gate, { action: 'approve' });
  const [, question] = await other.prompts(2);
  expect(question).toMatchObject({ interactionType: 'input', source: { kind: 'mcp', name: 'everything' } });
  expect(question!.inputSchema!.fields.length).toBeGreaterThan(8);
  await other.submit(question!, { name: 'Ada' });
  expect(JSON.stringify((await other.result()).result)).toContain('Ada');
});

test('[AGT4, APR3] server-filesystem: what reads runs, what writes is asked about, and what it refuses is an error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  writeFileSync(join(folder, 'a.txt'), 'hello');
  const server = await startMcp({ files: installed('PARLEY_MCP_FILESYSTEM', 'server-filesystem', folder) });
  const journey = await begin(server);
  const read = await journey.run('files__read_text_file', { path: join(folder, 'a.txt') });
  expect(JSON.stringify(read.result)).toContain('hello');
  const prompt = await journey.ask('files__write_file', { path: join(folder, 'b.txt'), content: 'new' });
  await journey.answer(prompt, { action: 'approve' });
  await journey.result(prompt);
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('new');
  expect((await journey.run('files__read_text_file', { path: '/etc/hostname' })).error).toMatchObject({
    code: 'mcp_error',
  });
});
