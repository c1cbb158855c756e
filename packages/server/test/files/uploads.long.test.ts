import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, readdir, rename, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { FileUpload } from '@parleyhq/client';
import type { FileReference, InteractionRequest } from '@parleyhq/core';
import { beforeEach, expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { pluginOf } from '../support/plugin-file.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startServer } from '../support/use-server.ts';

const plugin = pluginOf(`import { createHash } from 'node:crypto';
export default { name: 'hasher', tools: [{
  name: 'hash_file', onInterrupted: 'retry', description: 'Asks for a file and hashes it.', parameters: { type: 'object' },
  async handler(_, ctx) {
    const fields = [{ id: 'cv', type: 'file', maxBytes: 50_000_000 }];
    const said = await ctx.requestInteraction({ type: 'input', inputSchema: { type: 'form', fields }, timeoutMs: null });
    const hash = createHash('sha256');
    for await (const bytes of await ctx.openFile(said.input.cv)) hash.update(bytes);
    return hash.digest('hex');
  },
}] };`);

const timeout = 90_000;
const content = randomBytes(3_000_000);
const sha256 = createHash('sha256').update(content).digest('hex');

let server: ServerProcess;
let journey: Journey;
let prompt: InteractionRequest;
beforeEach(async () => {
  server = await startServer({ plugins: [plugin] });
  journey = await Journey.begin(server);
  prompt = await journey.ask('hash_file');
});

interface State {
  readonly fileId: string;
  readonly offset: number;
  readonly file?: FileReference;
}

const place = () => `/api/sessions/${journey.session}`;
const files = () => `${place()}/interactions/${prompt.interactionId}/files/cv`;

async function request(method: string, path: string, headers: Record<string, string> = {}, body?: Buffer<ArrayBuffer>) {
  const response = await fetch(server.httpUrl + path, { method, headers, ...(body && { body }) });
  return (await response.json()) as State;
}

const begin = () => request('POST', files(), { 'upload-length': String(content.length) });
const send = (fileId: string, from: number, to = content.length) =>
  request('PATCH', `${place()}/uploads/${fileId}`, { 'upload-offset': String(from) }, content.subarray(from, to));

/** Begins to send everything, and stops after this many bytes without an end. */
async function sendWithoutEnd(fileId: string, count: number): Promise<void> {
  const socket = connect(server.ready.port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    `PATCH ${place()}/uploads/${fileId} HTTP/1.1`,
    `Host: 127.0.0.1:${server.ready.port}`,
    'Upload-Offset: 0',
    `Content-Length: ${content.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(content.subarray(0, count));
  const part = join(server.dataDir, 'files', journey.session, `${fileId}.part`);
  await expect.poll(async () => (await stat(part)).size, { timeout: 30_000 }).toBe(count);
}

test('[PLG13a] a kill in the middle of an upload loses nothing that was written, and it continues', {
  timeout,
}, async () => {
  const { fileId } = await begin();
  await sendWithoutEnd(fileId, 1_234_567);
  await server.restart();
  expect(await request('GET', `${place()}/uploads/${fileId}`)).toMatchObject({ offset: 1_234_567 });
  const { file } = await send(fileId, 1_234_567);
  expect(file).toMatchObject({ size: content.length, sha256 });
  const again = await journey.join(server);
  await again.submit(prompt, { cv: file });
  expect(await again.outcome()).toEqual({ result: sha256 });
});

test('[PLG13a] a continued upload takes over from a connection that was lost silently', { timeout }, async () => {
  const { fileId } = await begin();
  await sendWithoutEnd(fileId, 500_000);
  expect(await request('GET', `${place()}/uploads/${fileId}`)).toMatchObject({ offset: 500_000 });
  expect((await send(fileId, 500_000)).file).toMatchObject({ sha256 });
});

test('[PLG13a] a kill right after the answer was taken keeps the file for the handler and for whoever fetches it', {
  timeout,
}, async () => {
  const { fileId } = await begin();
  const { file } = await send(fileId, 0);
  const answered = journey.submit(prompt, { cv: file });
  await answered;
  await server.restart();
  const again = await journey.join(server);
  expect(await again.outcome()).toEqual({ result: sha256 });
  const fetched = await fetch(`${server.httpUrl}${files()}/0`);
  expect(
    createHash('sha256')
      .update(Buffer.from(await fetched.arrayBuffer()))
      .digest('hex'),
  ).toBe(sha256);
});

test('[PLG13a] a kill before the upload was completed, or an orphan that it left, is repaired at the next start', {
  timeout,
}, async () => {
  const { fileId } = await begin();
  await send(fileId, 0, 1000);
  const other = await begin();
  await journey.answer(prompt, { action: 'cancel' });
  await server.restart();
  const folder = join(server.dataDir, 'files', journey.session);
  await expect.poll(() => readdir(folder), { timeout: 30_000 }).toEqual([]);
  expect(await request('GET', `${place()}/uploads/${fileId}`)).toMatchObject({ error: { code: 'not_found' } });
  expect(await request('GET', `${place()}/uploads/${other.fileId}`)).toMatchObject({ error: { code: 'not_found' } });
});

test('[PLG13a] the client sends in parts, reports its progress, and continues after a broken connection', {
  timeout,
}, async () => {
  const small = content.subarray(0, 400_000);
  const hash = createHash('sha256').update(small).digest('hex');
  const seen: number[] = [];
  let count = 0;
  const breaking: typeof fetch = async (input, init) => {
    count += 1;
    if (count % 3 === 0) throw new TypeError('the line broke');
    const response = await fetch(input, init);
    if (count % 4 === 0) throw new TypeError('the line broke behind it');
    return response;
  };
  const target = {
    origin: server.httpUrl,
    sessionId: journey.session,
    interactionId: prompt.interactionId,
    field: 'cv',
  };
  const blob = Object.assign(new Blob([small], { type: 'application/pdf' }), { name: 'Ada\ud800.pdf' });
  const upload = new FileUpload(target, blob, { fetch: breaking, onProgress: (sent) => seen.push(sent) });
  const file = await upload.run();
  expect(file).toMatchObject({ name: 'Ada.pdf', mediaType: 'application/pdf', sha256: hash });
  expect(seen.at(-1)).toBe(small.length);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  await journey.submit(prompt, { cv: file });
  expect(await journey.outcome()).toEqual({ result: hash });
});

test('[PLG13a] files of a deleted session that a crash left are removed at the next start; those of an unknown session are kept', {
  timeout,
}, async () => {
  const folder = join(server.dataDir, 'files');
  await send((await begin()).fileId, 0);
  await cp(join(folder, journey.session), join(folder, 'of-another-database'), { recursive: true });
  const left = await readdir(join(folder, 'of-another-database'));
  await cp(join(folder, journey.session), join(folder, 'left'), { recursive: true });
  await journey.tab.ask({ type: 'delete_session', sessionId: journey.session });
  await server.kill();
  await rename(join(folder, 'left'), join(folder, journey.session));
  await server.start();
  await expect.poll(() => readdir(folder), { timeout: 30_000 }).toEqual(['of-another-database']);
  await server.restart();
  await server.kill('SIGTERM');
  expect(await readdir(join(folder, 'of-another-database'))).toEqual(left);
});
