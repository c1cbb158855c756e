import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { maxAttachments } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { FileDesk } from '../support/file-desk.ts';
import { Journey } from '../support/journey.ts';
import { startLocalServer } from '../support/local-server.ts';

const refused = { error: { code: 'invalid', details: { fieldErrors: { files: expect.any(String) } } } };

async function enter() {
  const desk = await FileDesk.open();
  const { tab, session: sessionId } = desk.journey;
  let count = 0;
  const send = (files: { fileId: string }[], text = 'Look at this.', messageId = `message-${++count}`) =>
    tab.request({ type: 'user_message', sessionId, messageId, text, files });
  return { desk, tab, sessionId, send };
}

test('[REV6] a message has files: every tab gets their references, and their bytes', async () => {
  const { desk, send } = await enter();
  const other = await desk.journey.join(desk.server.local, { hello: { token: desk.server.token } });
  const { http, file, headers } = await desk.uploadForMessage({ name: 'log.txt', content: 'E42' });
  expect([http, headers.get('location')]).toEqual([201, `uploads/${file.fileId}`]);
  expect(await send([{ fileId: file.fileId }], 'Look at this.', 'm 1')).toMatchObject({ ok: true });
  expect((await other.event('user_message')).payload).toMatchObject({ text: 'Look at this.', files: [file] });
  const read = (index: string, id = 'm 1') => desk.request('GET', `/messages/${encodeURIComponent(id)}/files/${index}`);
  const response = await read('0');
  expect([await response.text(), response.headers.get('content-disposition')?.split(';')[0]]).toEqual([
    'E42',
    'attachment',
  ]);
  expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'; sandbox;/);
  const others = [read('1'), read('-1'), read(file.fileId), read('0', 'm-none')];
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
});

test('[REV6] a message may be files alone, and a message without words or files is refused', async () => {
  const { desk, send } = await enter();
  const { file } = await desk.uploadForMessage({ content: 'x' });
  expect(await send([file], '')).toMatchObject({ ok: true });
  expect(await send([], ' ')).toMatchObject({ error: { code: 'invalid' } });
});

test('[REV6, PLG13, SEC4] only whole files that this person uploaded for messages can be sent', async () => {
  const { desk, send } = await enter();
  const ann = await desk.server.makeToken({ role: 'responder', name: 'Ann' });
  const viewer = await desk.server.makeToken({ role: 'viewer' });
  const { file: others } = await desk.uploadForMessage({ content: 'x', as: ann.token });
  const { fileId: half } = await desk.uploadForMessage({ size: 5 });
  const prompt = await desk.ask();
  const { file: answers } = await desk.upload(prompt, { content: 'x' });
  await desk.journey.answer(prompt, { action: 'cancel' });
  await desk.journey.event('turn_end');
  for (const file of [others, { fileId: half }, { ...others, fileId: 'f-none' }, answers])
    expect(await send([file])).toMatchObject(refused);
  const { file } = await desk.uploadForMessage({ content: 'mine' });
  expect(await send([file, file])).toMatchObject(refused);
  expect(await send(Array.from({ length: maxAttachments + 1 }, () => file))).toMatchObject({
    error: { code: 'bad_frame' },
  });
  expect(await desk.uploadForMessage({ content: 'x', as: viewer.token })).toMatchObject({ http: 403 });
  expect((await desk.upload(prompt, { content: 'x', field: '' })).error.code).toBe('closed');
  expect(await send([file])).toMatchObject({ ok: true });
});

test('[REV6, INT19] a queued message keeps its files when it is edited, and its author may send them again', async () => {
  const { desk, tab, sessionId, send } = await enter();
  await desk.ask();
  const { file } = await desk.uploadForMessage({ content: 'x' });
  expect(await send([file], 'One', 'm-1')).toMatchObject({ result: { queued: true } });
  await tab.ask({ type: 'edit_queued', sessionId, messageId: 'm-1', text: '' });
  await tab.ask({ type: 'cancel_turn', sessionId });
  const { payload } = await desk.journey.event('message_unqueued');
  expect(payload).toMatchObject({ messageId: 'm-1', reason: 'returned' });
  expect(desk.journey.events('message_queued').map((event) => event.payload)).toMatchObject([
    { text: 'One', files: [file] },
    { text: '', files: [file], isEdit: true },
  ]);
  await desk.journey.event('turn_end');
  expect(await send([file], 'Two')).toMatchObject({ ok: true });
  expect((await desk.journey.event('user_message', ({ payload }) => payload.text === 'Two')).payload.files).toEqual([
    file,
  ]);
});

test('[REV6, REV5] what is to be done instead may have files', async () => {
  const { desk, tab, sessionId } = await enter();
  await desk.ask();
  const { file } = await desk.uploadForMessage({ content: 'x' });
  const { fileId } = file;
  await tab.ask({ type: 'deny_open', sessionId, messageId: 'm-1', text: 'Do it like this', files: [{ fileId }] });
  const [queued] = desk.journey.events('message_queued');
  expect(queued?.payload).toMatchObject({ text: 'Do it like this', files: [file] });
  expect((await desk.journey.event('interaction_response')).payload).toMatchObject({ reason: 'Do it like this' });
});

test('[REV6, FRM6] a repeated message has the reply of the first, although its files are used up', async () => {
  const { desk, send } = await enter();
  const { file } = await desk.uploadForMessage({ content: 'x' });
  const first = await send([file], 'Once', 'm-1');
  expect(await send([{ fileId: 'f-none' }], 'Once', 'm-1')).toEqual({ ...first, requestId: expect.anything() });
});

test('[REV6, PLG13] files of messages stay with their session; one that was never sent goes after a day', async () => {
  const { desk, send } = await enter();
  const [sent, fresh, old] = [
    (await desk.uploadForMessage({ content: 'sent' })).file,
    (await desk.uploadForMessage({ content: 'fresh' })).file,
    (await desk.uploadForMessage({ content: 'old' })).file,
  ];
  await send([sent]);
  for (const { fileId } of [sent, old]) {
    const record = JSON.parse(desk.readFile(`${fileId}.json`));
    const yesterday = { ...record, begunAt: record.begunAt - 26 * 3_600_000 };
    await writeFile(join(desk.folder, desk.journey.session, `${fileId}.json`), JSON.stringify(yesterday));
  }
  await desk.server.local.restart();
  const names = async () => (await desk.kept()).join();
  await expect.poll(names, { timeout: 30_000 }).not.toContain(old.fileId);
  expect(await names()).toContain(sent.fileId);
  expect(await names()).toContain(fresh.fileId);
  expect(JSON.parse(desk.readFile(`${sent.fileId}.json`))).toMatchObject({ isAnswered: true });
});

test('[REV6, PLG13] a file that is too old can no longer be sent; one that is removed or refused counts no more', async () => {
  const { desk, tab, sessionId, send } = await enter();
  const age = async (fileId: string) => {
    const record = JSON.parse(desk.readFile(`${fileId}.json`));
    const yesterday = { ...record, begunAt: record.begunAt - 24.5 * 3_600_000 };
    await writeFile(join(desk.folder, desk.journey.session, `${fileId}.json`), JSON.stringify(yesterday));
  };
  const { file: old } = await desk.uploadForMessage({ content: 'old' });
  await age(old.fileId);
  expect(await send([old])).toMatchObject(refused);
  const { file: removed } = await desk.uploadForMessage({ content: 'removed' });
  expect((await desk.request('DELETE', `/uploads/${removed.fileId}`)).status).toBe(204);
  expect(await send([removed])).toMatchObject(refused);
  await desk.ask();
  const { file } = await desk.uploadForMessage({ content: 'x' });
  const long = 'x'.repeat(200_000);
  for (let n = 1; n <= 10; n += 1) expect(await send([], long, `long-${n}`)).toMatchObject({ ok: true });
  expect(await send([file], long)).toMatchObject({ error: { code: 'queue_full' } });
  expect(await send([file], 'First', 'm-1')).toMatchObject({ ok: true });
  await tab.ask({ type: 'remove_queued', sessionId, messageId: 'm-1' });
  expect(await send([file], 'Again', 'm-2')).toMatchObject({ ok: true });
  expect(JSON.parse(desk.readFile(`${file.fileId}.json`))).toMatchObject({ messageId: 'm-2', isAnswered: true });
});

test('[REV6] a server that keeps no files says so', async () => {
  const { tab, session } = await Journey.begin(await startLocalServer());
  const files = [{ fileId: 'f-1' }];
  expect(
    await tab.request({ type: 'user_message', sessionId: session, messageId: 'm-1', text: 'x', files }),
  ).toMatchObject({
    error: { code: 'not_found', message: 'This server keeps no files.' },
  });
});
