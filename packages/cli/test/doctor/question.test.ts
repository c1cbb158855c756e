import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createToken } from '../../../server/test/support/command.ts';
import { makeFolder } from '../../../server/test/support/plugin-file.ts';
import { startServer } from '../../../server/test/support/use-server.ts';
import { runDoctor } from './run-doctor.ts';

const token = 'parley_the-owner-of-this-server';

/** Starts a server whose approvals are only for these people. */
async function start(audience?: object, settings: object = {}) {
  const file = join(makeFolder(), 'parley.config.json');
  writeFileSync(
    file,
    JSON.stringify({ ...settings, ...(audience && { policies: [{ tool: 'ask_human', audience }] }) }),
  );
  const server = await startServer({ args: ['--config', file], env: { PARLEY_TOKEN: token } });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const request = (path: string, init: RequestInit = {}) => fetch(`${server.httpUrl}${path}`, { headers, ...init });
  const ask = async () => {
    const body = JSON.stringify({
      channel: 'ci',
      callId: randomUUID(),
      toolName: 'ask_human',
      args: { question: 'Publish?' },
    });
    const response = await request('/api/calls', { method: 'POST', body });
    const call = (await response.json()) as { sessionId: string; toolCallId: string };
    const tab = await server.open({ hello: { token } });
    await tab.follow(call.sessionId);
    await tab.until((frame) => JSON.stringify(frame).includes('"interaction_request"'));
    await tab.close();
    return call;
  };
  const look = (id: string) => runDoctor([id, '--data-dir', server.dataDir], { PARLEY_TOKEN: token });
  return { server, request, ask, look, file };
}

test('[TEAM1] parley doctor <id> says who may answer, and that nobody has the session open', async () => {
  const { server, ask, look } = await start();
  await createToken(server.dataDir, '--role', 'responder', '--name', 'ann');
  await createToken(server.dataDir, '--role', 'viewer', '--name', 'bob');
  const { sessionId, toolCallId } = await ask();
  const address = `${server.httpUrl}/s/${sessionId}`;
  for (const id of [sessionId, toolCallId, sessionId.slice(0, -3), address, `${address}/${toolCallId}.1`]) {
    const { exit, codes, findings } = await look(id);
    expect({ exit, codes }).toEqual({ exit: 0, codes: ['nobody-connected'] });
    expect(findings[0]).toMatchObject({ subject: '“Publish?”', words: 'It is open. May answer: owner, ann.' });
  }
});

test('[SIGN2] it finds a question that needs a passkey which nobody has, and an address at which none works', async () => {
  const { server, ask, look, file } = await start(undefined, { stepUp: { tools: ['ask_human'] } });
  const { sessionId } = await ask();
  const { exit, codes } = await look(sessionId);
  expect({ exit, codes }).toEqual({ exit: 1, codes: ['passkey-missing', 'nobody-connected'] });
  const env = { PARLEY_TOKEN: token, PARLEY_PUBLIC_URL: 'http://127.0.0.2:9' };
  expect((await runDoctor(['--data-dir', server.dataDir, '--config', file], env)).codes).toContain('passkey-address');
});

test('[RPL3] it says that a call failed before anybody was asked', async () => {
  const { request, look } = await start();
  const body = JSON.stringify({ channel: 'ci', callId: randomUUID(), toolName: 'ask_human', args: {} });
  const response = await request('/api/calls?wait=30', { method: 'POST', body });
  const { sessionId, toolCallId } = (await response.json()) as { sessionId: string; toolCallId: string };
  for (const id of [sessionId, toolCallId]) {
    const { codes, findings } = await look(id);
    expect([codes, findings[0]?.words]).toEqual([['not-open'], expect.stringContaining('before anybody was asked:')]);
  }
});

test('[TEAM1] it finds a question that nobody may answer, and says for whom it is', async () => {
  const { server, ask, look } = await start({ principals: ['carol'] });
  await createToken(server.dataDir, '--role', 'responder', '--name', 'ann');
  const { sessionId } = await ask();
  const { exit, findings } = await look(sessionId);
  expect(exit).toBe(1);
  expect(findings[0]).toMatchObject({
    code: 'nobody-may-answer',
    words: expect.stringContaining('the question is for only carol'),
  });
});

test('[TEAM1] it says so if those who are asked may only look', async () => {
  const { server, ask, look } = await start({ principals: ['vic'] });
  await createToken(server.dataDir, '--role', 'viewer', '--name', 'vic');
  const { sessionId } = await ask();
  expect((await look(sessionId)).findings[0]?.words).toContain('vic may only look or ask');
});

test('[TEAM3] it finds a question that needs more approvals than there are people for it', async () => {
  const { server, request, look } = await start();
  await createToken(server.dataDir, '--role', 'responder', '--name', 'ann');
  const subject = { kind: 'text', text: 'v2' };
  const args = { title: 'Publish?', subject, audience: { principals: ['ann'] }, decide: { approve: 2 } };
  const body = JSON.stringify({ channel: 'ci', callId: randomUUID(), toolName: 'request_approval', args });
  const { sessionId } = (await (await request('/api/calls', { method: 'POST', body })).json()) as { sessionId: string };
  await expect.poll(async () => (await look(sessionId)).findings[0]?.words).toContain('It needs 2 approvals');
});

test('[INT15] it says how many are connected, and that all have turned answering off', async () => {
  const { server, ask, look } = await start();
  const { sessionId } = await ask();
  const tab = await server.open({ hello: { token } });
  await tab.follow(sessionId);
  expect((await look(sessionId)).codes).toEqual([]);
  await tab.ask({ type: 'set_interaction_mode', enabled: false });
  const { exit, codes } = await look(sessionId);
  expect({ exit, codes }).toEqual({ exit: 1, codes: ['nobody-connected'] });
});

test('[SEC2] without a token it says that who is connected is not known, and the rest', async () => {
  const { server, ask } = await start();
  const { sessionId } = await ask();
  const { exit, codes, findings } = await runDoctor([sessionId, '--data-dir', server.dataDir]);
  expect({ exit, codes }).toEqual({ exit: 0, codes: ['presence-unknown'] });
  expect(findings[0]).toMatchObject({ words: 'It is open. May answer: owner.' });
});

test('[RPL3] it says how a question ended, and that nothing has an unknown id', async () => {
  const { ask, look, request } = await start();
  const { sessionId, toolCallId } = await ask();
  await request(`/api/calls/${toolCallId}`, { method: 'DELETE' });
  const { exit, codes, findings } = await look(sessionId);
  expect({ exit, codes }).toEqual({ exit: 0, codes: ['not-open'] });
  expect(findings[0]?.words).toMatch(/the last prompt was closed on .* \(withdrawn\)/);
  expect(await look('no-such-id')).toMatchObject({ exit: 2, stderr: expect.stringContaining('no-such-id') });
});
