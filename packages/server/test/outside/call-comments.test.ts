import type { Json, ServerFrameOf } from '@parleyhq/core';
import { beforeEach, describe, expect, test } from 'vitest';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.ts';
import { loadShippedPlugin } from '../support/journey.ts';
import { connectMcp, readAnswer } from '../support/mcp-client.ts';
import type { Tab } from '../support/tab.ts';

let server: GuardedServer;
let owner: Tab;
let token: string;
beforeEach(async () => {
  server = await startGuardedServer({ plugins: [await loadShippedPlugin('ask-user')] });
  owner = await server.enter({ role: 'operator', name: 'Ann' });
  token = (await server.makeToken({ role: 'asker', name: 'ci' })).token;
});

type Opened = ServerFrameOf<'interaction_opened'>;

const args = { question: 'Ship it?', comments: true };
const approval = { title: 'Ship it?', subject: { kind: 'command', text: 'ship' }, comments: true };
const call = { type: 'call_tool', channel: 'nightly', callId: 'ship-1', toolName: 'ask_human', args } as const;

async function opened(): Promise<Opened> {
  return (await owner.until((frame) => frame.type === 'interaction_opened')) as Opened;
}

function comment(prompt: Opened, commentId: string, text: string): Promise<unknown> {
  const { sessionId, interaction } = prompt;
  return owner.ask({
    type: 'comment_interaction',
    sessionId,
    interactionId: interaction.interactionId,
    commentId,
    text,
  });
}

function replyFrame({ sessionId, interaction: { interactionId } }: Opened) {
  return { type: 'reply_comment', sessionId, interactionId, commentId: 'r-1', text: 'Yes.', replyTo: 'k-1' } as const;
}

/** Waits for the reply to a comment, as people see it. */
async function replyTo({ sessionId }: Opened, commentId: string): Promise<object> {
  await owner.follow(sessionId);
  return (await owner.event(sessionId, 'interaction_comment', ({ payload }) => payload.replyTo === commentId)).payload;
}

async function submit({ sessionId, interaction }: Opened): Promise<void> {
  await owner.answer(sessionId, interaction, { action: 'submit', input: { answer: 'yes' } });
}

/** Members of a comment by Ann, as programs get it. */
const membersOf = (commentId: string, text: string) => ({
  commentId,
  text,
  by: { principal: expect.any(String), name: 'Ann' },
  at: expect.any(String),
});
const said = (commentId: string, text: string) => expect.objectContaining(membersOf(commentId, text));

describe('a connected program', () => {
  test('[REV4] gets comments on its calls as frames, replies, and gets the answer', async () => {
    const asker = await server.local.open({ hello: { token } });
    const { sessionId, toolCallId } = await asker.ask<{ sessionId: string; toolCallId: string }>(call);
    const prompt = await opened();
    expect(prompt.interaction).toMatchObject({ commentsTo: 'caller' });
    await comment(prompt, 'k-1', 'Is it tested?');
    const { interactionId } = prompt.interaction;
    const told = await asker.until((frame) => frame.type === 'call_comment');
    const { type: _, ...members } = told as ServerFrameOf<'call_comment'>;
    expect(members).toEqual({ sessionId, toolCallId, interactionId, ...membersOf('k-1', 'Is it tested?') });
    const reply = replyFrame(prompt);
    const first = await asker.ask(reply);
    expect(await asker.ask(reply)).toEqual(first);
    expect(await replyTo(prompt, 'k-1')).toMatchObject({ text: 'Yes.', isAskers: true, by: { name: 'ci' } });
    await submit(prompt);
    expect(await asker.until((frame) => frame.type === 'call_result')).toMatchObject({ result: { answer: 'yes' } });
  });

  test('[REV4, ASK2] replies on its own calls only', async () => {
    const asker = await server.local.open({ hello: { token } });
    await asker.ask(call);
    const prompt = await opened();
    await comment(prompt, 'k-1', 'Is it tested?');
    const { interactionId } = prompt.interaction;
    const reply = replyFrame(prompt);
    const other = await server.local.open({
      hello: { token: (await server.makeToken({ role: 'asker', name: 'other' })).token },
    });
    expect(await other.request(reply)).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(await owner.request(reply)).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    const unknown = { ...reply, replyTo: 'k-0' };
    expect(await asker.request(unknown)).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(await asker.request({ ...reply, interactionId: `${interactionId}9` })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    await submit(prompt);
    expect(await asker.request(reply)).toMatchObject({ ok: false, error: { code: 'closed' } });
  });
});

describe('over HTTP', () => {
  const headers = () => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
  const get = async (path: string) =>
    (await fetch(`${server.origin}${path}`, { headers: headers() })).json() as Promise<Record<string, Json>>;
  const post = async (path: string, body: object) => {
    const response = await fetch(`${server.origin}${path}`, {
      method: 'POST',
      headers: headers(),
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, Json> };
  };

  test('[REV4] a wait ends early with each new comment, and goes on after the reply', async () => {
    const asking = post('/api/calls?wait=60', { channel: 'nightly', callId: 'ship-1', toolName: 'ask_human', args });
    const prompt = await opened();
    await comment(prompt, 'k-1', 'Is it tested?');
    const { status, body } = await asking;
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: 'open', comments: [said('k-1', 'Is it tested?')] });
    const { toolCallId } = body;
    const replied = await post(`/api/calls/${toolCallId}/comments`, { replyTo: 'k-1', text: 'Yes.' });
    expect(replied).toEqual({ status: 200, body: { seq: expect.any(Number) } });
    expect(await replyTo(prompt, 'k-1')).toMatchObject({ text: 'Yes.', isAskers: true });
    const waiting = get(`/api/calls/${toolCallId}?wait=60`);
    await comment(prompt, 'k-2', 'On which machine?');
    expect(await waiting).toMatchObject({
      comments: [said('k-1', 'Is it tested?'), { text: 'Yes.', isAskers: true }, said('k-2', 'On which machine?')],
    });
    const again = get(`/api/calls/${toolCallId}?wait=60`); // a comment that was returned once ends no further wait
    await submit(prompt);
    expect(await again).toMatchObject({ status: 'done', result: { answer: 'yes' } });
  });

  test('[REV4] a comment between two waits ends the next one at once', async () => {
    const { body } = await post('/api/calls', { channel: 'nightly', toolName: 'ask_human', args });
    const prompt = await opened();
    await comment(prompt, 'k-1', 'Is it tested?');
    expect(await get(`/api/calls/${body.toolCallId}?wait=60`)).toMatchObject({
      comments: [said('k-1', 'Is it tested?')],
    });
  });

  test('[REV4] comments end only the waits of whoever called', async () => {
    const { body } = await post('/api/calls', { channel: 'nightly', toolName: 'ask_human', args });
    const prompt = await opened();
    await comment(prompt, 'k-1', 'Is it tested?');
    const operator = (await server.makeToken({ role: 'operator', name: 'Bob' })).token;
    const path = `${server.origin}/api/calls/${body.toolCallId}`;
    const reading = fetch(`${path}?wait=60`, { headers: { authorization: `Bearer ${operator}` } });
    await comment(prompt, 'k-2', 'Where?');
    expect(await get(`/api/calls/${body.toolCallId}?wait=60`)).toMatchObject({ status: 'open' });
    await submit(prompt);
    expect(await (await reading).json()).toMatchObject({ status: 'done' });
  });

  test('[ASK4] a wait ends at its time', async () => {
    const { body } = await post('/api/calls', { channel: 'nightly', toolName: 'ask_human', args });
    expect(await get(`/api/calls/${body.toolCallId}?wait=1`)).toMatchObject({ status: 'open' });
  });

  test('[REV4] without "comments" a wait goes on, and the comments are there to be read', async () => {
    const asking = post('/api/calls?wait=60', {
      channel: 'nightly',
      toolName: 'ask_human',
      args: { question: 'Ship it?' },
    });
    const prompt = await opened();
    expect(prompt.interaction).not.toHaveProperty('commentsTo');
    await comment(prompt, 'k-1', 'Is it tested?');
    const path = `/api/calls/${prompt.interaction.toolCallId}`;
    expect(await get(path)).toMatchObject({ status: 'open', comments: [said('k-1', 'Is it tested?')] });
    await submit(prompt);
    expect((await asking).body).toMatchObject({ status: 'done', result: { answer: 'yes' } });
  });

  test('[REV4, FRM6] replies are checked, and repeated ones are stored once', async () => {
    const { body } = await post('/api/calls', { channel: 'nightly', toolName: 'ask_human', args });
    const path = `/api/calls/${body.toolCallId}/comments`;
    const prompt = await opened();
    expect(await post(path, { replyTo: 'k-1', text: 'Yes.' })).toMatchObject({ status: 404 });
    await comment(prompt, 'k-1', 'Is it tested?');
    expect(await post(path, { text: 'Yes.' })).toMatchObject({ status: 400 });
    expect(await post(path, { replyTo: 'k-1', text: ' ' })).toMatchObject({
      body: { error: { code: 'invalid' } },
    });
    const reply = { replyTo: 'k-1', text: 'Yes.', commentId: 'r-1' };
    expect(await post(path, reply)).toEqual(await post(path, reply));
    expect(await post(path, { ...reply, text: 'No.' })).toMatchObject({ status: 409 });
    const first = await post(path, reply);
    await submit(prompt);
    await get(`/api/calls/${body.toolCallId}?wait=60`);
    expect(await post(path, reply)).toEqual(first);
    expect(await post(path, { replyTo: 'k-1', text: 'Late.' })).toMatchObject({ body: { error: { code: 'closed' } } });
  });
});

describe('a client of MCP', () => {
  test.each(['2025', '2026'] as const)(
    '[REV4, ASK6] of %s gets comments instead of waiting on, replies, and waits on',
    async (era) => {
      const client = await connectMcp(server.origin, { token, era });
      const asking = client.callTool({ name: 'request_approval', arguments: approval });
      const prompt = await opened();
      await comment(prompt, 'k-1', 'Is it tested?');
      const { value } = readAnswer(await asking);
      expect(value).toMatchObject({ open: true, callId: expect.any(String), comments: [said('k-1', 'Is it tested?')] });
      expect(value.message).toContain('reply_comment');
      const { callId } = value as { callId: string };
      const reply = { name: 'reply_comment', arguments: { callId, replyTo: 'k-1', text: 'Yes.' } };
      expect(readAnswer(await client.callTool(reply))).toMatchObject({ isError: false, value: { ok: true } });
      await client.callTool(reply); // a repeat
      expect(await replyTo(prompt, 'k-1')).toMatchObject({ text: 'Yes.' });
      const wrong = { name: 'reply_comment', arguments: { callId, replyTo: 'k-0', text: 'Yes.' } };
      expect(readAnswer(await client.callTool(wrong))).toMatchObject({ isError: true });
      const checking = client.callTool({ name: 'check_answer', arguments: { callId } });
      await owner.answer(prompt.sessionId, prompt.interaction, { action: 'approve' });
      expect(readAnswer(await checking).value).toMatchObject({ approved: true });
      const stored = owner.events(prompt.sessionId).filter(({ type }) => type === 'interaction_comment');
      expect(stored).toHaveLength(2);
    },
  );
});
