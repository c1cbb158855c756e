import type { FormSchema, Plugin, ServerFrameOf } from '@parleyhq/core';
import { openFolderFiles } from '@parleyhq/server';
import { beforeEach, expect, test } from 'vitest';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.ts';
import { loadShippedPlugin } from '../support/journey.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { makeFolder } from '../support/plugin-file.ts';
import type { Tab } from '../support/tab.ts';

const form: FormSchema = { type: 'form', fields: [{ id: 'answer', type: 'text' }] };
const stopper: Plugin = {
  name: 'stopper',
  tools: [
    {
      name: 'stopping',
      description: 'Asks, and fails.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        await ctx.requestInteraction({ type: 'input', inputSchema: form, timeoutMs: null, onUnavailable: 'wait' });
        throw ctx.error('stopped', 'No.');
      },
    },
  ],
};

let server: GuardedServer;
let owner: Tab;
let token: string;
beforeEach(async () => {
  server = await startGuardedServer({
    plugins: [await loadShippedPlugin('ask-user'), stopper],
    files: openFolderFiles(makeFolder()),
  });
  owner = await server.enter({ role: 'operator', name: 'Ann' });
  token = (await server.makeToken({ role: 'asker', name: 'ci' })).token;
});

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]);
const args = { question: 'What does it look like?' };
const attached = (name: string, mediaType: string, bytes: number) => ({
  ...{ name, mediaType, bytes, fileId: expect.any(String) },
  url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/calls\/[^/]+\/files\/[^/]+$/),
});

interface Given {
  readonly name: string;
  readonly type: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
}

const screenshot: Given = { name: 'a.png', type: 'image/png', content: png };
const log: Given = { name: 'log.txt', type: 'text/plain', content: 'E42' };
const archive: Given = { name: 'a.zip', type: 'application/zip', content: 'PK' };
const large: Given = { name: 'b.bin', type: 'application/octet-stream', content: new Uint8Array(5 * 1024 * 1024) };

async function opened(): Promise<ServerFrameOf<'interaction_opened'>> {
  return (await owner.until(({ type }) => type === 'interaction_opened')) as ServerFrameOf<'interaction_opened'>;
}

/** Answers the next question with files. */
async function answer(...given: readonly Given[]): Promise<void> {
  const { sessionId, interaction } = await opened();
  const files: { fileId: string }[] = [];
  for (const { name, type, content } of given) {
    const response = await fetch(
      `${server.origin}/api/sessions/${sessionId}/interactions/${interaction.interactionId}/files`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${server.token}`,
          ...{ 'upload-length': String(Buffer.byteLength(content)), 'content-type': type },
          'content-disposition': `attachment; filename="${name}"`,
        },
        body: content,
      },
    );
    files.push((await response.json()) as { fileId: string });
  }
  const asOwner = await server.enter();
  await asOwner.answer(sessionId, interaction, { action: 'submit', input: { answer: 'Like this.' }, files });
}

function get(url: string, as = token): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${as}` } });
}

test('[REV6, ASK8] a program gets what was attached as addresses, which only its own token may fetch', async () => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ channel: 'nightly', callId: 'look-1', toolName: 'ask_human', args });
  const asked = fetch(`${server.origin}/api/calls?wait=60`, { method: 'POST', headers, body });
  await answer(screenshot, log);
  const { toolCallId, result } = (await (await asked).json()) as {
    toolCallId: string;
    result: { files: { url: string }[] };
  };
  const files = [attached('a.png', 'image/png', 9), attached('log.txt', 'text/plain', 3)];
  expect(result).toMatchObject({ ok: true, answer: 'Like this.', files });
  const [{ url: picture }, { url: text }] = result.files as [{ url: string }, { url: string }];
  const shown = await get(picture);
  expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(new Uint8Array(await shown.arrayBuffer())).toEqual(png);
  expect(await (await get(text)).text()).toBe('E42');
  const other = (await server.makeToken({ role: 'asker', name: 'other' })).token;
  expect((await get(text, other)).status).toBe(404);
  expect((await fetch(text)).status).toBe(401);
  expect((await get(`${text}x`)).status).toBe(404);
  const again = (await (await get(`${server.origin}/api/calls/${toolCallId}`)).json()) as { result: object };
  expect(again.result).toMatchObject({ files });
});

test('[REV6, ASK5] a connected program gets them with its result', async () => {
  const program = await server.local.open({ hello: { token } });
  await program.ask({ type: 'call_tool', channel: 'nightly', callId: 'look-1', toolName: 'ask_human', args });
  await answer(log);
  const { result } = (await program.until(({ type }) => type === 'call_result')) as ServerFrameOf<'call_result'>;
  expect(result).toMatchObject({ answer: 'Like this.', files: [attached('log.txt', 'text/plain', 3)] });
});

test.each(['2025', '2026'] as const)(
  '[REV6, ASK6] a client of MCP %s gets images, resources and links',
  async (era) => {
    const client = await connectMcp(server.origin, { token, era });
    const asked = client.callTool({ name: 'ask_human', arguments: args });
    await answer(screenshot, log, archive, large);
    const { content, structuredContent } = await asked;
    const { files } = structuredContent as { files: { url: string }[] };
    const uri = files.map(({ url }) => url);
    expect(files).toHaveLength(4);
    expect((content as object[]).slice(1)).toEqual([
      { type: 'image', mimeType: 'image/png', data: Buffer.from(png).toString('base64') },
      { type: 'resource', resource: { uri: uri[1], mimeType: 'text/plain', text: 'E42' } },
      {
        type: 'resource',
        resource: { uri: uri[2], mimeType: 'application/zip', blob: Buffer.from('PK').toString('base64') },
      },
      {
        type: 'resource_link',
        uri: uri[3],
        name: 'b.bin',
        mimeType: 'application/octet-stream',
        size: 5 * 1024 * 1024,
      },
    ]);
  },
);

test('[REV6, ASK4] a permission, whose program takes words only, refuses files', async () => {
  const program = await server.local.open({ hello: { token } });
  const permission = { tool_name: 'Bash', input: { command: 'ls' } };
  await program.ask({
    type: 'call_tool',
    channel: 'nightly',
    callId: 'may-1',
    toolName: 'permission',
    args: permission,
  });
  const { sessionId, interaction } = await opened();
  const refused = {
    error: { code: 'invalid', details: { fieldErrors: { files: expect.stringMatching(/in words/) } } },
  };
  const deny = { action: 'deny', files: [{ fileId: 'f-1' }] };
  expect(await owner.answer(sessionId, interaction, deny)).toMatchObject(refused);
});

test('[REV6] a call that ends in an error hands over what was attached, too', async () => {
  const operator = (await server.makeToken({ role: 'operator', name: 'Ops' })).token;
  const client = await connectMcp(server.origin, { token: operator });
  const headers = { authorization: `Bearer ${operator}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ channel: 'nightly', callId: 'stop-1', toolName: 'stopping', args: {} });
  const asked = fetch(`${server.origin}/api/calls?wait=60`, { method: 'POST', headers, body });
  await answer(log);
  const files = [attached('log.txt', 'text/plain', 3)];
  expect(await (await asked).json()).toMatchObject({ error: { code: 'stopped' }, files });
  const { content, isError } = await client.callTool({ name: 'check_answer', arguments: { callId: 'stop-1' } });
  expect([isError, (content as object[])[1]]).toMatchObject([true, { type: 'resource', resource: { text: 'E42' } }]);
});
