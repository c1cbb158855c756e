import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeFolder, pluginOf } from '../support/plugin-file.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startTwo } from './support/start-nodes.ts';

/** Asks for a file, and returns its hash. */
const plugin = `
import { createHash } from 'node:crypto';
export default {
  name: 'clerk',
  tools: [{
    name: 'hash_file', description: 'Asks.', parameters: { type: 'object' },
    handler: async (args, ctx) => {
      const fields = [{ id: 'cv', type: 'file', label: 'CV', required: true }];
      const { input } = await ctx.requestInteraction({ type: 'input', title: 'CV', inputSchema: { type: 'form', fields } });
      const hash = createHash('sha256');
      for await (const chunk of await ctx.openFile(input.cv)) hash.update(chunk);
      return { hash: hash.digest('hex') };
    },
  }],
};
`;

const token = 'parley_the-owner-of-both-nodes';
const owner = { hello: { token } };
const content = randomBytes(300_000);
const half = content.length / 2;
const sha256 = createHash('sha256').update(content).digest('hex');

test('[OPS4, PLG13a] a file is begun at one node, finished and answered with at the other, and read at both', {
  timeout: 120_000,
}, async () => {
  const env = { PARLEY_TOKEN: token, PARLEY_FILES_DIR: makeFolder() };
  const { nodes } = await startTwo({ plugins: [pluginOf(plugin)], args: [], env });
  const [a, b] = nodes;
  const [atA, atB] = [await a.open(owner), await b.open(owner)];
  const session = await atA.createSession();
  await atB.until((frame) => frame.type === 'session_created' && frame.session.id === session);
  for (const tab of [atA, atB]) await tab.follow(session);
  await atA.say(session, '/call hash_file {}');
  const prompt = await atB.prompt(session); // the handler runs at the first
  const request = (node: ServerProcess, method: string, path: string, headers = {}, body?: Buffer<ArrayBuffer>) =>
    fetch(`${node.httpUrl}/api/sessions/${session}/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body && { body }),
    });
  const field = `interactions/${prompt.interactionId}/files/cv`;
  const named = { 'content-type': 'application/pdf', 'content-disposition': 'attachment; filename="cv.pdf"' };
  const size = { 'upload-length': String(content.length) };
  const begun = await (await request(a, 'POST', field, { ...named, ...size }, content.subarray(0, half))).json();
  expect(begun).toMatchObject({ offset: half, size: content.length });
  const upload = `uploads/${begun.fileId}`;
  expect(await (await request(b, 'GET', upload)).json()).toEqual(begun);
  const rest = { 'upload-offset': String(half) };
  const { file } = await (await request(b, 'PATCH', upload, rest, content.subarray(half))).json();
  expect(file).toMatchObject({ name: 'cv.pdf', size: content.length, sha256 });
  expect(await (await request(a, 'GET', upload)).json()).toMatchObject({ file });
  expect(await atB.answer(session, prompt, { action: 'submit', input: { cv: file } })).toMatchObject({ ok: true });
  const { payload } = await atA.event(session, 'tool_result');
  expect(payload).toMatchObject({ result: { hash: sha256 } });
  for (const node of nodes) {
    const fetched = await request(node, 'GET', `${field}/0`);
    expect(Buffer.from(await fetched.arrayBuffer()).equals(content)).toBe(true);
  }
});
