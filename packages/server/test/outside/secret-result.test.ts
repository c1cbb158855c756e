import { beforeEach, expect, test } from 'vitest';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.ts';
import { loadPlugin } from '../support/journey.ts';
import type { Sendable, Tab } from '../support/tab.ts';

const secret = 'correct horse battery';
const whole = { values: { password: secret }, said: `It is ${secret}.` };
const redacted = { values: { password: { redacted: true } }, said: 'It is [redacted].' };

let server: GuardedServer;
let owner: Tab;
let token: string;
beforeEach(async () => {
  server = await startGuardedServer({ plugins: [await loadPlugin('asking.mjs')] });
  owner = await server.enter();
  token = (await server.makeToken({ role: 'asker', name: 'ci' })).token;
});

const frame = { type: 'call_tool', channel: 'ci', callId: 'pw', toolName: 'ask_secret', args: {} } as const;

/** Fetches the call over HTTP. */
async function fetchCall(wait = 0, as = token): Promise<Record<string, unknown>> {
  const { type: _, ...body } = frame;
  const response = await fetch(`${server.origin}/api/calls?wait=${wait}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${as}` },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function typePassword(sessionId: string): Promise<void> {
  await owner.follow(sessionId);
  await owner.answer(sessionId, await owner.prompt(sessionId), { action: 'submit', input: { password: secret } });
}

test('[ASK5] a secret goes to waiting callers and to one more fetch; then it is dropped, and the result says so', async () => {
  const { sessionId } = await fetchCall();
  const waiting = fetchCall(60);
  await fetchCall(); // the earlier request is waiting now
  await typePassword(String(sessionId));
  expect(await waiting).toMatchObject({ status: 'done', result: whole });
  expect(await fetchCall()).toMatchObject({ status: 'done', result: whole });
  expect(await fetchCall()).toMatchObject({ status: 'done', result: redacted, delivered: false });
  const { payload } = await owner.event(String(sessionId), 'tool_result');
  expect(JSON.stringify(owner.frames)).not.toContain(secret);
  expect(payload).toMatchObject({ isRedacted: true });
});

test("[ASK5] an operator who waits, too, gets no secret and does not use up the caller's fetch", async () => {
  const { toolCallId, sessionId } = await fetchCall();
  const path = `${server.origin}/api/calls/${toolCallId}?wait=60`;
  const [caller, operator] = [token, server.token].map((as) =>
    fetch(path, { headers: { authorization: `Bearer ${as}` } }).then((response) => response.json()),
  );
  await fetchCall(); // both are waiting now
  await typePassword(String(sessionId));
  expect(await operator).toMatchObject({ result: redacted, delivered: false });
  expect(await caller).toMatchObject({ result: whole });
  expect(await fetchCall()).toMatchObject({ result: whole });
  expect(await fetchCall()).toMatchObject({ result: redacted, delivered: false });
});

test('[ASK5] a connection of the caller gets it with its frame, and nobody else’s does', async () => {
  const asker = await server.local.open({ hello: { token } });
  const begun = await asker.ask<{ sessionId: string; toolCallId: string }>(frame as Sendable);
  const other = await server.enter({ role: 'asker', name: 'other' });
  await typePassword(begun.sessionId);
  const told = await asker.until(({ type }) => type === 'call_result');
  expect(told).toMatchObject({ ...begun, result: whole });
  const path = `${server.origin}/api/calls/${begun.toolCallId}`;
  const read = await fetch(path, { headers: { authorization: `Bearer ${server.token}` } });
  expect(await read.json()).toMatchObject({ result: redacted, delivered: false }); // an operator's fetch is not the caller's
  await other.ask({ type: 'list_sessions' }); // everything sent before has arrived
  expect(JSON.stringify([other.frames, owner.frames])).not.toContain(secret);
  expect(await fetchCall()).toMatchObject({ result: whole });
});
