import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { FileDesk } from '../support/file-desk.ts';

let desk: FileDesk;
beforeEach(async () => {
  desk = await FileDesk.open();
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const canary = 'Ada Lovelace, analyst';

describe('a file of an answer', () => {
  test('[PLG13a] is uploaded, answered with, read by the handler, and in no log', async () => {
    const prompt = await desk.ask();
    const { http, file } = await desk.upload(prompt, { name: 'Ada.txt', content: canary });
    const reference = {
      fileId: expect.any(String),
      name: 'Ada.txt',
      mediaType: 'text/plain',
      size: 21,
      sha256: sha256(canary),
    };
    expect([http, file]).toEqual([201, reference]);
    await desk.submit(prompt, { fileId: file.fileId });
    const { payload } = await desk.journey.event('interaction_response');
    expect(payload.input).toEqual({ cv: reference });
    expect(await desk.journey.outcome()).toEqual({ result: [canary] });
    const beforeResult = desk.journey
      .events()
      .filter(({ type }) => type !== 'tool_result' && type !== 'assistant_done');
    expect(JSON.stringify(beforeResult)).not.toContain(canary);
  });

  test('[PLG13a] may be several', async () => {
    const prompt = await desk.ask({ field: { multiple: true, min: 2 } });
    const [one, two] = [await desk.upload(prompt, { content: 'one' }), await desk.upload(prompt, { content: 'two' })];
    expect(await desk.submit(prompt, [one.file])).toMatchObject({ error: { code: 'invalid' } });
    expect(await desk.submit(prompt, [one.file, one.file])).toMatchObject({ error: { code: 'invalid' } });
    expect(await desk.submit(prompt, [one.file, two.file])).toMatchObject({ ok: true });
    expect(await desk.journey.outcome()).toEqual({ result: ['one', 'two'] });
    expect(await (await desk.fetch(prompt, 1)).text()).toBe('two');
  });

  test('[PLG13a] is fetched by its field and index in an answer, and runs nothing wherever it is opened', async () => {
    const prompt = await desk.ask();
    const { file } = await desk.upload(prompt, {
      name: 'Ünï "1".html',
      type: 'text/html',
      content: '<script>1</script>',
    });
    expect((await desk.fetch(prompt)).status).toBe(404);
    await desk.submit(prompt, file);
    const response = await desk.fetch(prompt);
    expect(await response.text()).toBe('<script>1</script>');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''%C3%9Cn%C3%AF%20_1_.html",
      'content-security-policy': expect.stringMatching(/default-src 'none'; sandbox;/),
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-store',
    });
    const elsewhere = ['1', '-1', '01x', file.fileId, file.sha256];
    expect(await Promise.all(elsewhere.map(async (index) => (await desk.fetch(prompt, index)).status))).toEqual(
      elsewhere.map(() => 404),
    );
  });

  test('[PLG13a] that is a picture is shown inline, and one that only claims to be is not', async () => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]);
    const prompt = await desk.ask({ field: { multiple: true } });
    const real = await desk.upload(prompt, { name: 'a.png', type: 'application/pdf', content: png });
    const false_ = await desk.upload(prompt, { name: 'b.png', type: 'image/png', content: '<html>' });
    const svg = await desk.upload(prompt, { name: 'c.svg', type: 'image/svg+xml', content: '<svg/>' });
    expect([real, false_, svg].map(({ file }) => file.mediaType)).toEqual([
      'image/png',
      'application/octet-stream',
      'image/svg+xml',
    ]);
    await desk.submit(prompt, [real.file, false_.file, svg.file]);
    const shown = await Promise.all([0, 1, 2].map((index) => desk.fetch(prompt, index)));
    expect(
      shown.map(({ headers }) => [headers.get('content-type'), headers.get('content-disposition')?.split(';')[0]]),
    ).toEqual([
      ['image/png', 'inline'],
      ['application/octet-stream', 'attachment'],
      ['application/octet-stream', 'attachment'],
    ]);
  });

  test('[PLG13a] is deleted with its session', async () => {
    const prompt = await desk.ask();
    const { file } = await desk.upload(prompt, { content: canary });
    await desk.submit(prompt, file);
    expect(await desk.kept()).toHaveLength(2);
    await desk.journey.tab.ask({ type: 'delete_session', sessionId: desk.journey.session });
    expect(await desk.kept()).toEqual([]);
    expect((await desk.fetch(prompt)).status).toBe(404);
  });

  test('[PLG13a] that no answer names is deleted when its call ends; the answered one is kept', async () => {
    const prompt = await desk.ask();
    const [wanted] = [await desk.upload(prompt, { content: 'yes' }), await desk.upload(prompt, { content: 'no' })];
    await desk.upload(prompt, { size: 10 });
    expect(await desk.kept()).toHaveLength(6);
    await desk.submit(prompt, wanted.file);
    await desk.journey.outcome();
    await expect
      .poll(() => desk.kept(), { timeout: 30_000 })
      .toEqual(expect.arrayContaining([`${wanted.fileId}.json`, `${wanted.file.sha256}.${wanted.fileId}`]));
    await expect.poll(() => desk.kept(), { timeout: 30_000 }).toHaveLength(2);
    expect(await (await desk.fetch(prompt)).text()).toBe('yes');
  });
});

describe('an upload', () => {
  test('[PLG13a] is sent in parts, and continues where it was interrupted', async () => {
    const prompt = await desk.ask();
    const { http, fileId, headers } = await desk.upload(prompt, { size: 9 });
    expect([http, headers.get('upload-complete')]).toEqual([201, '?0']);
    expect(await desk.send(fileId, 0, 'one')).toMatchObject({ http: 200, offset: 3 });
    expect(await desk.send(fileId, 0, 'one')).toMatchObject({
      http: 409,
      error: { code: 'stale', details: { offset: 3 } },
    });
    expect(await desk.send(fileId, 7, 'x')).toMatchObject({ http: 409 });
    const head = await desk.request('HEAD', `/uploads/${fileId}`);
    expect([head.status, head.headers.get('upload-offset'), head.headers.get('upload-length')]).toEqual([
      200,
      '3',
      '9',
    ]);
    const last = await desk.send(fileId, 3, ' two ok');
    expect(last).toMatchObject({ http: 400, error: { code: 'invalid' } });
    const { offset } = await desk.look(fileId);
    const whole = await desk.send(fileId, offset, ' two e'.slice(offset - 3));
    expect(whole).toMatchObject({ http: 200, offset: 9, file: { sha256: sha256('one two e') } });
    expect(await desk.send(fileId, 9, '')).toMatchObject({ http: 200, file: { fileId } });
  });

  test('[PLG13a] can be discarded by its person, who may begin another', async () => {
    const prompt = await desk.ask();
    const { fileId } = await desk.upload(prompt, { size: 9 });
    expect((await desk.request('DELETE', `/uploads/${fileId}`)).status).toBe(204);
    expect(await desk.look(fileId)).toMatchObject({ http: 404 });
    expect(await desk.kept()).toEqual([]);
  });

  test('[PLG13a] leaves nothing behind after a kill in the middle', async () => {
    const prompt = await desk.ask();
    const { fileId } = await desk.upload(prompt, { size: 9 });
    const leftovers = [
      `${fileId}.json.new`,
      `${fileId}.1b671a64-40d5-491e-99b0-da01ff1f3341`,
      `${sha256('x')}.${fileId}`,
    ];
    await Promise.all(leftovers.map((name) => desk.plant(name)));
    expect(await desk.kept()).toHaveLength(5);
    expect((await desk.request('DELETE', `/uploads/${fileId}`)).status).toBe(204);
    expect(await desk.kept()).toEqual([]);
  });

  test('[PLG13a] must fit its field before any of it is accepted', async () => {
    const prompt = await desk.ask({ field: { accept: ['.txt', 'image/*'], maxBytes: 10 } });
    const say = async (upload: Parameters<FileDesk['upload']>[1]) => (await desk.upload(prompt, upload)).error;
    const faults = (words: string) => ({ code: 'invalid', details: { fieldErrors: { cv: words } } });
    expect(await say({ size: 11 })).toMatchObject(faults('cv.txt (11 bytes) is too large: at most 10 bytes.'));
    expect(await say({ size: 0 })).toMatchObject(faults('cv.txt is empty.'));
    expect(await say({ name: 'cv.exe', size: 1 })).toMatchObject(
      faults('cv.exe is of another kind than .txt, images.'),
    );
    expect(await say({ name: 'a', type: 'image/png', content: '<html>' })).toMatchObject(
      faults('a is of another kind than .txt, images.'),
    );
    expect(await desk.kept()).toEqual([]);
  });

  test('[PLG13a, SEC5] is stored under a name without folders and invisible characters', async () => {
    const prompt = await desk.ask();
    const names = {
      '../../etc/passwd': 'passwd',
      'C:\\Users\\ada\\cv.pdf': 'cv.pdf',
      'cv\u202efdp.exe': 'cvfdp.exe',
      'a\u0000b\r\nc.txt': 'abc.txt',
      '..': 'file',
      '': 'file',
      [`${'n'.repeat(500)}.pdf`]: `${'n'.repeat(195)}….pdf`,
    };
    const told = Object.keys(names).map(async (name) => (await desk.upload(prompt, { name, content: 'x' })).file.name);
    expect(await Promise.all(told)).toEqual(Object.values(names));
    expect((await desk.kept()).every((kept) => /^[0-9a-f.-]+(json)?$/.test(kept))).toBe(true);
  });

  test('[PLG13a, SEC4] can be continued, seen and used in an answer by nobody else', async () => {
    const prompt = await desk.ask();
    const { token } = await desk.server.makeToken({ role: 'responder' });
    const theirs = await desk.upload(prompt, { content: 'theirs', as: token });
    const begun = await desk.upload(prompt, { size: 5, as: token });
    expect(await desk.look(begun.fileId)).toMatchObject({ http: 404 });
    expect(await desk.send(begun.fileId, 0, 'hello')).toMatchObject({ http: 404 });
    expect((await desk.request('DELETE', `/uploads/${begun.fileId}`)).status).toBe(404);
    expect(await desk.submit(prompt, theirs.file)).toMatchObject({
      error: { code: 'invalid', details: { fieldErrors: { cv: expect.stringContaining('not here any more') } } },
    });
    const { token: viewer } = await desk.server.makeToken({ role: 'viewer' });
    expect(await desk.upload(prompt, { content: 'x', as: viewer })).toMatchObject({ http: 403 });
    const { token: stranger } = await desk.server.makeToken({ role: 'responder', sessions: ['another'] });
    expect(await desk.upload(prompt, { content: 'x', as: stranger })).toMatchObject({ http: 404 });
    expect(await desk.upload(prompt, { content: 'x', as: 'nobody' })).toMatchObject({ http: 401 });
  });

  test('[PLG13a] for one question can answer no other one, and only in its field', async () => {
    const first = await desk.ask();
    const { file } = await desk.upload(first, { content: 'x' });
    await desk.journey.answer(first, { action: 'cancel' });
    await desk.journey.outcome();
    const next = await desk.ask();
    expect(await desk.submit(next, file)).toMatchObject({ error: { code: 'invalid' } });
    expect(await desk.submit(next, { ...file, fileId: '../x' })).toMatchObject({ error: { code: 'invalid' } });
    expect(await desk.submit(next, 'cv.txt')).toMatchObject({ error: { code: 'invalid' } });
    expect(await desk.upload(next, { content: 'x', field: 'other' })).toMatchObject({ http: 404 });
    expect(await desk.upload(first, { content: 'x' })).toMatchObject({ http: 409, error: { code: 'closed' } });
  });
});
