import type { FileReference, Plugin } from '@parleyhq/core';
import { maxAttachments } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { FileDesk } from '../support/file-desk.ts';
import { Journey } from '../support/journey.ts';
import { startLocalServer } from '../support/local-server.ts';

const quorum = { decide: { approve: 2 } };

/** A tool that asks for consent, and returns what it gets with the answer and what is in its files. */
const gatekeeper: Plugin = {
  name: 'gatekeeper',
  tools: [
    {
      name: 'release',
      description: 'Asks for consent.',
      parameters: { type: 'object' },
      async handler(args, ctx) {
        const { reason, files = [] } = await ctx.approve({ key: 'release', title: 'Release?', ...(args as object) });
        const texts = files.map(async (file) => new Response(await ctx.openFile(file)).text());
        return { reason: reason ?? null, texts: await Promise.all(texts) };
      },
    },
  ],
};

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]);

async function ask(args: object = {}) {
  const desk = await FileDesk.open([gatekeeper]);
  const prompt = await desk.journey.ask('release', args);
  const attach = (more: Parameters<FileDesk['upload']>[1] = {}) => desk.upload(prompt, { field: '', ...more });
  const deny = (files: readonly unknown[]) =>
    desk.journey.answer(prompt, { action: 'deny', reason: 'Not yet.', files });
  return { desk, prompt, attach, deny };
}

test('[REV6] a file is attached to a reason: the log has its reference, the tool its bytes, the model its name', async () => {
  const { desk, prompt, attach, deny } = await ask();
  const { http, file, headers } = await attach({ name: 'log.txt', content: 'E42' });
  expect([http, headers.get('location')]).toEqual([201, `../../uploads/${file.fileId}`]);
  expect(await deny([{ fileId: file.fileId }])).toMatchObject({ ok: true });
  expect((await desk.journey.event('interaction_response')).payload).toMatchObject({
    reason: 'Not yet.',
    files: [file],
  });
  const { payload } = await desk.journey.event('tool_result');
  const reason = 'Not yet.\n\nAttached: log.txt (3 bytes)';
  expect(payload).toMatchObject({ result: { reason, texts: ['E42'] }, files: [file] });
  const read = (index: string) => desk.request('GET', `/interactions/${prompt.interactionId}/files/${index}`);
  const response = await read('0');
  expect([await response.text(), response.headers.get('content-disposition')?.split(';')[0]]).toEqual([
    'E42',
    'attachment',
  ]);
  expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'; sandbox;/);
  expect(await Promise.all(['1', file.fileId, '-1'].map(async (at) => (await read(at)).status))).toEqual([
    404, 404, 404,
  ]);
});

test('[REV6] the note that the model reads names what was attached', async () => {
  const { desk, attach } = await ask({ scopes: ['once'] });
  const { file } = await attach({ name: 'a.png', content: png });
  const prompt = await desk.journey.tab.prompt(desk.journey.session);
  await desk.journey.answer(prompt, { action: 'approve', files: [file] });
  const { payload } = await desk.journey.event('tool_result');
  expect(payload.files).toEqual([expect.objectContaining({ name: 'a.png', mediaType: 'image/png' })]);
  expect(JSON.stringify([payload.result, payload.note])).toContain('Attached: a.png (9 bytes)');
});

test('[REV6, PLG13] what was not uploaded for this answer by this person cannot be attached', async () => {
  const { desk, prompt, attach, deny } = await ask();
  const responder = await desk.server.makeToken({ role: 'responder', name: 'Bea' });
  const { file: others } = await attach({ content: 'x', as: responder.token });
  const { fileId } = await attach({ size: 5 });
  const whole = { ...others, fileId: 'f-none' };
  const refused = { error: { code: 'invalid', details: { fieldErrors: { files: expect.any(String) } } } };
  for (const file of [others, { fileId }, whole]) expect(await deny([file])).toMatchObject(refused);
  const { file } = await attach({ content: 'mine' });
  expect(await deny([file, file])).toMatchObject(refused);
  expect(await deny(Array.from({ length: maxAttachments + 1 }, () => file))).toMatchObject({
    error: { code: 'bad_frame' },
  });
  const tooLarge = await attach({ size: 10 * 1024 * 1024 + 1 });
  expect(tooLarge).toMatchObject({ http: 400, error: { code: 'invalid' } });
  expect(await deny([file])).toMatchObject({ ok: true });
  expect(await attach({ content: 'late' })).toMatchObject({ error: { code: 'closed' } });
  expect(prompt.interactionId).toBeDefined();
});

test('[REV6] an answer is repeated with its files, and is another one without them', async () => {
  const { desk, prompt, attach } = await ask();
  const { file } = await attach({ content: 'x' });
  const answer = { action: 'deny', answerId: 'a-1', files: [{ fileId: file.fileId }] };
  const first = await desk.journey.answer(prompt, answer);
  expect(await desk.journey.answer(prompt, answer)).toEqual({ ...first, requestId: expect.anything() });
  const { files: _, ...without } = answer;
  expect(await desk.journey.answer(prompt, without)).toMatchObject({ error: { code: 'idempotency_conflict' } });
});

test('[REV6, TEAM3] a vote takes no files', async () => {
  const { attach, deny } = await ask(quorum);
  const refused = { error: { code: 'invalid', message: 'Files cannot be attached to this answer: say it in words.' } };
  expect(await attach({ content: 'x' })).toMatchObject(refused);
  expect(await deny([{ fileId: 'f-1' }])).toMatchObject(refused);
});

test('[REV6, PLG13] an attached file is kept with its session; one that no answer names goes with its call', async () => {
  const { desk, attach, deny } = await ask();
  const [{ file }] = [await attach({ content: 'yes' }), await attach({ content: 'no' })];
  expect(await desk.kept()).toHaveLength(4);
  await deny([file]);
  await expect.poll(() => desk.kept(), { timeout: 30_000 }).toHaveLength(2);
  expect((await desk.kept()).join()).toContain((file satisfies FileReference).fileId);
});

test('[REV6, PLG13] a server that keeps no files believes nothing that a client says of one', async () => {
  const { tab, session } = await Journey.begin(await startLocalServer({ plugins: [gatekeeper] }));
  await tab.follow(session);
  await tab.say(session, '/call release {}');
  const file = { fileId: 'f-1', name: 'a.txt', mediaType: 'text/plain', size: 3, sha256: 'h' };
  const refused = { error: { code: 'invalid', details: { fieldErrors: { files: expect.any(String) } } } };
  expect(await tab.answer(session, await tab.prompt(session), { action: 'deny', files: [file] })).toMatchObject(
    refused,
  );
});
