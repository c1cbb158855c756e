import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PersonTab } from '@parleyhq/client/process';
import type { InteractionRequest } from '@parleyhq/core';
import { makePushKeys, openFolderFiles } from '@parleyhq/server';
import { addToken, type TestServer, useInTest } from '@parleyhq/server/testing';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import notifiers from '../src/index.ts';
import { asking, begin, ownToken, startTelling } from './asking.ts';
import { MailServer } from './mail-server.ts';

let post: MailServer;
let server: TestServer;
let ann: { readonly id: string; readonly token: string };
const keys = makePushKeys();

beforeEach(async () => {
  post = await useInTest(new MailServer());
  server = await startTelling([entry()]);
  ann = await addToken(server, { role: 'responder', name: 'ann' });
});

function entry(part: object = {}) {
  const config = { server: post.address, from: 'parley@example.org' };
  return { notifier: 'mail', oneTimeLinks: true, config, people: { ann: { to: 'ann@example.org' } }, ...part };
}

/** Returns all links in a mail. */
const linksIn = (text: string) => [...text.matchAll(/https?:\/\/\S+/g)].map(([link]) => link);

/** Asks, and returns the key from the mail; undefined if it has none. */
async function ask(
  args: object = {},
  tab?: PersonTab,
): Promise<{ journey: PersonTab; prompt: InteractionRequest; text: string; key: string }> {
  const journey = tab ?? (await begin(server));
  const prompt = await journey.ask('ask', args);
  const { text } = await post.mail((mail) => mail.text.includes(prompt.interactionId));
  const key =
    linksIn(text)
      .find((link) => link.includes('/once#'))
      ?.split('#')[1] ?? '';
  return { journey, prompt, text, key };
}

function use(key: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.url}/api/once${body ? '/answer' : ''}`, {
    method: 'POST',
    headers: { 'parley-key': key, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** Returns the settlements of a prompt; INT3 allows one. */
const settlementsOf = (tab: PersonTab, { interactionId }: InteractionRequest) =>
  [...tab.events('interaction_response'), ...tab.events('interaction_closed')].filter(
    ({ payload }) => payload.interactionId === interactionId,
  );

const codeOf = async (response: Response) => [response.status, (await response.json()).error?.code];

test('[NTF3] a one-time link opens one card for one person, and answers it once, in their name', async () => {
  const { journey, prompt, key } = await ask({
    title: 'Deploy?',
    subject: { kind: 'command', text: 'deploy v2' },
    approvalScopes: ['once', 'session', 'always'],
  });
  const opened = await (await use(key)).json();
  expect(opened).toMatchObject({
    sessionId: journey.sessionId,
    principal: { id: ann.id, name: 'ann', role: 'responder' },
    interaction: { title: 'Deploy?', subject: { text: 'deploy v2' }, approvalScopes: ['once'] },
  });
  expect(server.server.openPrompts).toBe(1);
  const taken = await (await use(key, { action: 'approve' })).json();
  const settlement = await journey.event('interaction_response');
  expect(settlement.payload).toMatchObject({
    action: 'approve',
    approvalScope: 'once',
    by: { name: 'ann', transport: 'mail', label: 'one-time link' },
  });
  expect(taken).toEqual({ ok: true, seq: settlement.seq });
  expect(await codeOf(await use(key))).toEqual([409, 'closed']);
  expect(await codeOf(await use(key, { action: 'deny' }))).toEqual([409, 'idempotency_conflict']);
  expect(settlementsOf(journey, prompt)).toHaveLength(1);
});

test('[NTF3, FRM6] an answer behind a link that is sent again because its reply was lost gets that reply', async () => {
  const { journey, prompt, key } = await ask();
  const reply = await (await use(key, { action: 'deny', reason: 'Not today.' })).json();
  expect(reply).toMatchObject({ ok: true });
  await journey.event('turn_end');
  expect(await (await use(key, { action: 'deny', reason: 'Not today.' })).json()).toEqual(reply);
  expect(await codeOf(await use(key, { action: 'deny', reason: 'Never.' }))).toEqual([409, 'idempotency_conflict']);
  expect(settlementsOf(journey, prompt)).toHaveLength(1);
});

test('[NTF3] pressed twice at once it answers once', async () => {
  const { journey, prompt, key } = await ask();
  const replies = await Promise.all([use(key, { action: 'approve' }), use(key, { action: 'deny' })]);
  expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
  await journey.event('turn_end');
  expect(settlementsOf(journey, prompt)).toHaveLength(1);
});

test('[NTF3] a mail scanner that follows every link twice, with GET and HEAD, answers no prompt and uses up no link', async () => {
  const { text, key } = await ask();
  const links = linksIn(text);
  expect(links).toHaveLength(2);
  const paths = [
    '/api/once',
    '/api/once/answer',
    `/api/once?key=${key}`,
    `/once?key=${key}&action=approve`,
    `/once/${key}`,
  ];
  const all = [...links, ...paths.map((path) => server.url + path)];
  for (const method of ['GET', 'HEAD', 'GET', 'HEAD', 'OPTIONS'])
    for (const link of all) await fetch(link, { method, headers: { 'parley-key': key } });
  expect(server.server.openPrompts).toBe(1);
  expect((await use(key)).status).toBe(200);
  expect((await use(key, { action: 'deny' })).status).toBe(200);
});

test('[NTF3] a one-time link ends with its prompt', async () => {
  const { journey, prompt, key } = await ask();
  await journey.answer(prompt, { action: 'deny' });
  expect(await codeOf(await use(key))).toEqual([409, 'closed']);
  expect(await codeOf(await use(key, { action: 'approve' }))).toEqual([409, 'already_answered']);
  const asked = await ask({ timeoutMs: 300 });
  await asked.journey.event('interaction_closed');
  for (const body of [undefined, { action: 'approve' }])
    expect(await codeOf(await use(asked.key, body))).toEqual([409, 'closed']);
});

test('[NTF3] a link that was changed opens nothing, nor does a button’s token', async () => {
  const { key } = await ask();
  const other = await ask();
  const [body, signature] = key.split('.');
  const claims = JSON.parse(Buffer.from(body ?? '', 'base64url').toString());
  const forged = Buffer.from(JSON.stringify({ ...claims, principal: 'owner' })).toString('base64url');
  for (const changed of [
    '',
    'x',
    `${key}x`,
    `${key}.x`,
    `${forged}.${signature}`,
    `${other.key.split('.')[0]}.${signature}`,
    'x'.repeat(3000),
  ])
    for (const body of [undefined, { action: 'approve' }])
      expect(await codeOf(await use(changed, body))).toEqual([401, 'unauthorised']);
  expect(server.server.openPrompts).toBe(2);
});

test('[NTF3] a link works for its person only: it is rejected if somebody else is logged in', async () => {
  const { key } = await ask();
  const bob = await addToken(server, { role: 'operator', name: 'bob' });
  for (const token of [bob.token, ownToken])
    expect(await codeOf(await use(key, { action: 'approve' }, { authorization: `Bearer ${token}` }))).toEqual([
      403,
      'forbidden',
    ]);
  expect(server.server.openPrompts).toBe(1);
  const own = { authorization: `Bearer ${ann.token}` };
  expect((await use(key, { action: 'approve' }, own)).status).toBe(200);
});

test('[NTF3] a link ends with the token of its person', async () => {
  const { key } = await ask();
  await server.store.tokens.remove(ann.id);
  expect(await codeOf(await use(key, { action: 'approve' }))).toEqual([401, 'unauthorised']);
  expect(server.server.openPrompts).toBe(1);
});

test('[NTF3, SIGN1] a link of somebody who logs in at a provider works while they are logged in', async () => {
  await server.store.tokens.remove(ann.id);
  ann = await addToken(server, { role: 'responder', name: 'ann', issuer: 'https://login.example.org' });
  const { key } = await ask();
  expect(await codeOf(await use(key, { action: 'approve' }))).toEqual([401, 'unauthorised']);
  expect(server.server.openPrompts).toBe(1);
  const headers = { 'content-type': 'application/json', origin: server.url };
  const body = JSON.stringify({ token: ann.token });
  expect((await fetch(`${server.url}/api/login`, { method: 'POST', headers, body })).status).toBe(204);
  expect((await use(key)).status).toBe(200);
  for (const { id } of await server.store.logins.list(Date.now())) await server.store.logins.remove({ id });
  expect(await codeOf(await use(key))).toEqual([401, 'unauthorised']);
});

test('[NTF3] a link ends with the epoch, and with the configuration that enabled it', async () => {
  const plugins = [asking, notifiers];
  const config = { reach: { keys, allowsPrivate: true, notifiers: [entry()] }, plugins };
  server = await startTelling([], config);
  ann = await addToken(server, { role: 'responder', name: 'ann' });
  const { key } = await ask();
  await server.restart();
  expect((await use(key)).status).toBe(200);
  for (const other of [[], [entry({ oneTimeLinks: false })], [entry({ name: 'post' })]]) {
    config.reach.notifiers = other as never;
    await server.restart();
    expect(await codeOf(await use(key))).toEqual([401, 'unauthorised']);
  }
  const elsewhere = await startTelling([entry()], { reach: { keys, allowsPrivate: true, notifiers: [entry()] } });
  await addToken(elsewhere, { role: 'responder', name: 'ann', id: ann.id });
  server = elsewhere; // the same keys and people, but another database
  expect(await codeOf(await use(key))).toEqual([401, 'unauthorised']);
});

test('[NTF3] there is no one-time link at high risk, nor unless it is configured', async () => {
  const high = await ask({ risk: 'high' });
  expect(high.key).toBe('');
  expect(high.text).toContain(`/s/${high.journey.sessionId}/`);
  expect((await ask({ approvalScopes: ['session'] })).key).toBe('');
  server = await startTelling([entry({ oneTimeLinks: undefined })]);
  await addToken(server, { role: 'responder', name: 'ann' });
  expect((await ask()).key).toBe('');
});

test('[NTF3] two people with one address get no one-time links', async () => {
  const to = { to: 'team@example.org' };
  await expect(startTelling([entry({ people: { ann: to, bob: to } })])).rejects.toThrow(
    '"mail" has one address for "ann" and "bob"',
  );
  await startTelling([entry({ oneTimeLinks: false, people: { ann: to, bob: to } })]);
});

test('[NTF3] a link allows only a plain approval: no scope, no rule, no edit', async () => {
  const { key } = await ask({ editable: true });
  for (const more of [{ approvalScope: 'always' }, { ruleId: 'x' }, { editedArgs: {} }, { digest: 'x' }])
    expect(await codeOf(await use(key, { action: 'approve', ...more }))).toEqual([400, 'bad_frame']);
  expect(server.server.openPrompts).toBe(1);
});

test('[NTF3] a form is filled in behind a link, and invalid values are rejected without using it up', async () => {
  const inputSchema = { type: 'form', fields: [{ id: 'name', type: 'text', required: true }] };
  const { journey, key } = await ask({ type: 'input', inputSchema });
  expect(await codeOf(await use(key, { action: 'submit', input: {} }))).toEqual([400, 'invalid']);
  expect((await use(key, { action: 'submit', input: { name: 'Ada' } })).status).toBe(200);
  expect((await journey.result()).result).toMatchObject({ input: { name: 'Ada' } });
});

const textFile = (name: string, size = 5) => ({
  'upload-length': String(size),
  'content-type': 'text/plain',
  'content-disposition': `attachment; filename="${name}"`,
});

/** Sends a request about a five-byte file upload, authenticated by a key. */
async function upload(key: string, method: 'POST' | 'PATCH' | 'DELETE' | 'GET', path: string, headers = {}) {
  const response = await fetch(`${server.url}/api/sessions/${path}`, {
    method,
    headers: { 'parley-key': key, ...headers },
    ...((method === 'POST' || method === 'PATCH') && { body: 'hello' }),
  });
  const text = await response.text();
  const { error, file } = text === '' ? ({} as never) : JSON.parse(text);
  return { status: response.status, code: error?.code, file };
}

test('[NTF3, PLG13a] a key allows uploads for its own prompt only, as long as that is open', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-files-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  server = await startTelling([entry()], { files: openFolderFiles(folder) });
  ann = await addToken(server, { role: 'responder', name: 'ann' });
  const field = { id: 'cv', type: 'file', accept: ['.txt'], maxBytes: 5, required: true };
  const form = { type: 'input', inputSchema: { type: 'form', fields: [field] } };
  const first = await ask(form);
  const { journey } = first;
  const filesOf = ({ prompt }: typeof first) => `${journey.sessionId}/interactions/${prompt.interactionId}/files/cv`;
  const old = await upload(first.key, 'POST', filesOf(first), textFile('old.txt'));
  expect(old).toMatchObject({ status: 201, file: { name: 'old.txt', size: 5 } });
  expect((await use(first.key, { action: 'submit', input: { cv: old.file } })).status).toBe(200);
  expect((await journey.result()).result).toMatchObject({ input: { cv: old.file } });
  const { key, ...second } = await ask(form, journey);
  const send = (by: string, headers = {}) =>
    upload(by, 'POST', filesOf({ ...second, key }), { ...textFile('cv.txt'), ...headers });
  expect(await upload(key, 'POST', filesOf(first), textFile('cv.txt'))).toMatchObject({ status: 404 });
  for (const method of ['GET', 'PATCH', 'DELETE'] as const)
    expect(
      await upload(key, method, `${journey.sessionId}/uploads/${old.file.fileId}`, { 'upload-offset': '5' }),
    ).toMatchObject({ status: 404, code: 'not_found' });
  expect(await upload(key, 'GET', `${filesOf(first)}/0`)).toMatchObject({ status: 401 });
  const elsewhere = await ask(form);
  const place = `${elsewhere.journey.sessionId}/interactions/${elsewhere.prompt.interactionId}/files/cv`;
  expect(await upload(key, 'POST', place, textFile('cv.txt'))).toMatchObject({ status: 404 });
  expect(await send(`${key}x`)).toMatchObject({ status: 401, code: 'unauthorised' });
  expect(await send(first.key)).toMatchObject({ status: 409, code: 'closed' });
  expect(await send(key, textFile('cv.exe'))).toMatchObject({ status: 400, code: 'invalid' });
  expect(await send(key, textFile('cv.txt', 6))).toMatchObject({ status: 400, code: 'invalid' });
  expect(await send(key, { authorization: `Bearer ${ownToken}` })).toMatchObject({ status: 403, code: 'forbidden' });
  const { file } = await send(key);
  expect(await codeOf(await use(key, { action: 'submit', input: { cv: old.file } }))).toEqual([400, 'invalid']);
  expect((await use(key, { action: 'submit', input: { cv: file } })).status).toBe(200);
  expect(await send(key)).toMatchObject({ status: 409, code: 'closed' });
  expect(await upload(key, 'GET', `${filesOf({ ...second, key })}/0`)).toMatchObject({ status: 401 });
});

test('[NTF3] a key has one encoding: another encoding of the same bytes is rejected', async () => {
  const { key } = await ask({ decide: { approve: 2, deny: 2 } });
  expect(await (await use(key, { action: 'approve' })).json()).toMatchObject({
    ok: true,
    vote: true,
    votes: { approve: 1 },
  });
  for (const other of [`${key}=`, `${key}==`, `${key}.`])
    expect(await codeOf(await use(other, { action: 'deny' }))).toEqual([401, 'unauthorised']);
  expect(await codeOf(await use(key, { action: 'deny' }))).toEqual([409, 'idempotency_conflict']);
});

test('[NTF3] consent to a link is given behind a one-time link, too', async () => {
  const { journey, key } = await ask({ type: 'url', url: 'https://example.org/pay', prompt: 'Pay there?' });
  expect((await use(key, { action: 'approve' })).status).toBe(200);
  expect((await journey.event('interaction_response')).payload).toMatchObject({ action: 'approve' });
});

test('[NTF3, SEC6] a reason behind a link has the same maximum length as elsewhere', async () => {
  const { key } = await ask();
  expect(await codeOf(await use(key, { action: 'deny', reason: 'x'.repeat(10_001) }))).toEqual([400, 'bad_frame']);
  expect((await use(key, { action: 'deny', reason: 'x'.repeat(10_000) })).status).toBe(200);
});
