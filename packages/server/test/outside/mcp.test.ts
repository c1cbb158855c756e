import type { ChatEvent, InteractionRequest, ServerFrameOf } from '@parleyhq/core';
import { useInTest } from '@parleyhq/server/testing';
import { describe, expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import { loadPlugin, loadShippedPlugin } from '../support/journey.ts';
import { LocalServer } from '../support/local-server.ts';
import { connectMcp, type Era, postMcp, readAnswer } from '../support/mcp-client.ts';
import type { Tab } from '../support/tab.ts';

const askUser = await loadShippedPlugin('ask-user');
const eras = ['2025', '2026'] as const;

/** Starts a server with a person at a tab, and a program's token. */
async function open(durations: object = {}) {
  const plugins = [askUser, await loadPlugin('asking.mjs')];
  const server = await startGuardedServer({ plugins, durations });
  const owner = await server.enter();
  const { token } = await server.makeToken({ role: 'asker', name: 'ci' });
  const connect = (era: Era, name?: string) => connectMcp(server.origin, { token, era, ...(name && { name }) });
  return { server, owner, token, connect };
}

type Opened = ServerFrameOf<'interaction_opened'>;

/** Waits for the next prompt. */
async function nextPrompt(tab: Tab, accepts: (prompt: InteractionRequest) => boolean = () => true): Promise<Opened> {
  const frame = await tab.until((each) => each.type === 'interaction_opened' && accepts(each.interaction));
  return frame as Opened;
}

async function submit(tab: Tab, { sessionId, interaction }: Opened, answer: string): Promise<void> {
  await tab.answer(sessionId, interaction, { action: 'submit', input: { answer } });
}

async function eventsOf(tab: Tab, { sessionId }: Opened): Promise<readonly ChatEvent[]> {
  await tab.follow(sessionId);
  return tab.events(sessionId);
}

const question = { name: 'ask_human', arguments: { question: 'Which colour?' } };
const check = (callId: string, waitSeconds: number) => ({ name: 'check_answer', arguments: { callId, waitSeconds } });
const permission = { name: 'permission', arguments: { tool_name: 'Bash', input: { command: 'ls' } } };

describe.each(eras)('a client of %s', (era) => {
  test('[ASK6] sees the tools that only ask, marked as read-only', async () => {
    const { connect } = await open();
    const { tools } = await (await connect(era)).listTools();
    const names = tools.map(({ name }) => name);
    const asking = [
      'ask_human',
      'request_approval',
      'permission',
      'tell_human',
      'ask_one',
      'check_answer',
      'reply_comment',
    ];
    expect(names).toEqual(expect.arrayContaining(asking));
    for (const other of ['ask_user', 'do_more']) expect(names).not.toContain(other);
    for (const { annotations, inputSchema, description } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true });
      expect(inputSchema.type).toBe('object');
      expect(description).not.toBe('');
    }
  });

  test('[AGT5, ASK6] asks, and the answer of a person is its result, as text and as structured content', async () => {
    const { owner, connect } = await open();
    const client = await connect(era, 'Painter');
    const asking = client.callTool(question);
    const opened = await nextPrompt(owner);
    await submit(owner, opened, 'blue');
    const answer = await asking;
    expect(readAnswer(answer)).toMatchObject({
      isError: false,
      value: { ok: true, answer: 'blue', by: { principal: 'owner' } },
    });
    expect(answer.structuredContent).toEqual(readAnswer(answer).value);
    const [start, call] = await eventsOf(owner, opened);
    expect(start?.payload).toMatchObject({ trigger: 'outside', agent: 'outside' });
    expect(call?.payload).toMatchObject({ toolName: 'ask_human', from: { name: 'Painter' }, by: { transport: 'mcp' } });
  });

  test('[ASK6] is asked to call again, and gets the answer under its callId', async () => {
    const { owner, connect } = await open({ mcpWaitMs: 1 });
    const client = await connect(era);
    const { value } = readAnswer(await client.callTool(question));
    expect(value).toMatchObject({ open: true, callId: expect.any(String) });
    const check = { name: 'check_answer', arguments: { callId: value.callId, waitSeconds: 0 } };
    expect(readAnswer(await client.callTool(check)).value).toMatchObject({ open: true, callId: value.callId });
    const opened = await nextPrompt(owner);
    await submit(owner, opened, 'blue');
    await owner.follow(opened.sessionId);
    await owner.event(opened.sessionId, 'tool_result');
    expect(readAnswer(await client.callTool(check)).value).toMatchObject({ ok: true, answer: 'blue' });
  });

  test('[ASK6] gets progress every few seconds while it waits', async () => {
    const { owner, connect } = await open({ mcpProgressMs: 1 });
    const client = await connect(era);
    const heard: number[] = [];
    const asking = new Promise<unknown>((resolve, reject) => {
      const onprogress = async ({ progress }: { progress: number }) => {
        heard.push(progress);
        if (heard.length === 2) await submit(owner, await nextPrompt(owner), 'blue');
      };
      client.callTool(question, { onprogress }).then(resolve, reject);
    });
    expect(readAnswer(await asking).value).toMatchObject({ ok: true, answer: 'blue' });
    expect(heard.slice(0, 2)).toEqual([1, 2]);
  });

  test('[ASK6] two clients with equal request ids make two calls', async () => {
    const { owner, connect } = await open();
    const [first, second] = await Promise.all([connect(era), connect(era)]);
    const ask = (client: typeof first, text: string) =>
      client.callTool({ name: 'ask_human', arguments: { question: text } });
    const asking = [ask(first, 'One?'), ask(second, 'Two?')];
    for (const text of ['Two?', 'One?'])
      await submit(owner, await nextPrompt(owner, ({ prompt }) => prompt === text), text);
    const answers = (await Promise.all(asking)).map((answer) => readAnswer(answer).value.answer);
    expect(answers).toEqual(['One?', 'Two?']);
  });

  test('[ASK6] a call that Claude Code or Codex repeats is the same call', async () => {
    const { owner, connect } = await open();
    for (const meta of [{ 'claudecode/toolUseId': 'toolu_1' }, { callId: 'call_1', threadId: 'thread-1' }]) {
      const known = owner.frames.length;
      const ask = async () => (await connect(era)).callTool({ ...question, _meta: meta });
      const asking = [ask(), ask()];
      const opened = (await owner.until(({ type }) => type === 'interaction_opened', known)) as Opened;
      await submit(owner, opened, 'blue');
      for (const answer of await Promise.all(asking))
        expect(readAnswer(answer).value).toMatchObject({ answer: 'blue' });
      const opens = owner.frames.slice(known).filter(({ type }) => type === 'interaction_opened');
      expect(opens).toHaveLength(1);
    }
  });

  test('[ASK1, ASK6] a call with a callId is the same call when it is repeated', async () => {
    const { owner, connect } = await open();
    const client = await connect(era);
    const ask = (args: object) => client.callTool({ name: 'ask_human', arguments: { question: 'Which?', ...args } });
    const asking = [ask({ callId: 'colour-1' }), ask({ callId: 'colour-1' })];
    const opened = await nextPrompt(owner);
    const { value } = readAnswer(await client.callTool(check('colour-1', 0)));
    expect(value).toMatchObject({ open: true, callId: 'colour-1' });
    await submit(owner, opened, 'blue');
    for (const answer of await Promise.all(asking)) expect(readAnswer(answer).value).toMatchObject({ answer: 'blue' });
    expect(owner.frames.filter(({ type }) => type === 'interaction_opened')).toHaveLength(1);
    expect((await eventsOf(owner, opened))[1]?.payload).toMatchObject({ args: { question: 'Which?' } });
    const refused = [
      [{ callId: 'colour-1', title: 'Another' }, 'idempotency_conflict'],
      [{ callId: '' }, 'callId'],
      [{ callId: 'x'.repeat(129) }, 'callId'],
      [{ callId: 1 }, 'callId'],
    ] as const;
    for (const [args, words] of refused)
      expect(readAnswer(await ask(args))).toMatchObject({ isError: true, text: expect.stringContaining(words) });
  });

  test('[ASK6] the argument `callId` is offered unless the tool has its own, and never for a permission', async () => {
    const { owner, connect } = await open();
    const client = await connect(era);
    const { tools } = await client.listTools();
    const offered = tools.map(({ name, inputSchema }) => [name, inputSchema.properties?.callId]);
    expect(Object.fromEntries(offered)).toMatchObject({
      ask_human: { type: 'string', maxLength: 128 },
      ask_one: { type: 'string' },
      ask_about_call: { type: 'number' },
      permission: undefined,
    });
    client.callTool({ name: 'ask_about_call', arguments: { callId: 7 } }).catch(() => undefined);
    expect((await nextPrompt(owner)).interaction.prompt).toBe('About 7?');
  });

  test('[ASK4, ASK6] a permission is text only, and ends with the request that waits for it', async () => {
    const { owner, connect } = await open({ mcpWaitMs: 1 });
    const client = await connect(era);
    const asking = client.callTool(permission);
    const opened = await nextPrompt(owner);
    await owner.answer(opened.sessionId, opened.interaction, { action: 'approve' });
    const answer = await asking;
    expect(readAnswer(answer).value).toEqual({ behavior: 'allow', updatedInput: { command: 'ls' } });
    expect(answer.structuredContent).toBeUndefined();

    const known = owner.frames.length;
    const leaving = client.callTool(permission).catch(() => 'gone');
    const next = (await owner.until(({ type }) => type === 'interaction_opened', known)) as Opened;
    await client.close();
    expect(await leaving).toBe('gone');
    await owner.follow(next.sessionId);
    const isNext = ({ payload }: ChatEvent<'interaction_closed'>) =>
      payload.interactionId === next.interaction.interactionId;
    const { payload } = await owner.event(next.sessionId, 'interaction_closed', isNext);
    expect(payload).toMatchObject({ reason: 'withdrawn', note: 'No longer waiting' });
    const calls = owner.events(next.sessionId).filter(({ type }) => type === 'tool_call');
    expect(calls.map((call) => call.payload)).toMatchObject([{ isLive: true }, { isLive: true }]); // they cannot be fetched
  });

  test('[ASK6] a closed stream withdraws nothing', async () => {
    const { owner, connect } = await open();
    const client = await connect(era);
    const meta = { 'claudecode/toolUseId': 'toolu_1' };
    const leaving = client.callTool({ ...question, _meta: meta }).catch(() => 'gone');
    const opened = await nextPrompt(owner);
    await client.close();
    await leaving;
    const again = (await connect(era)).callTool({ ...question, _meta: meta });
    await submit(owner, opened, 'blue');
    expect(readAnswer(await again).value).toMatchObject({ answer: 'blue' });
  });

  test('[ASK6] a failure is explained', async () => {
    const { connect } = await open();
    const client = await connect(era);
    const say = async (name: string, args: object) => {
      const { isError, text } = readAnswer(await client.callTool({ name, arguments: { ...args } }));
      return isError ? text : `no error: ${text}`;
    };
    expect(await say('ask_human', { question: '' })).toContain('nothing to read');
    expect(await say('check_answer', { callId: 'nobody-knows' })).toContain('no call with this callId');
    expect(await say('check_answer', {})).toContain('callId');
    for (const name of ['do_more', 'ask_user', 'constructor'])
      expect(await say(name, {})).toContain('There is no tool');
  });
});

describe('a cancelled request', () => {
  const ask = async (reason: string, call: typeof question | typeof permission = question) => {
    const { owner, connect } = await open();
    const client = await connect('2025');
    const stop = new AbortController();
    const asking = client.callTool(call, { signal: stop.signal }).catch(() => 'cancelled');
    const opened = await nextPrompt(owner);
    await owner.follow(opened.sessionId);
    stop.abort(reason);
    await asking;
    return { owner, opened, client };
  };

  test('[ASK6] withdraws its call', async () => {
    const { owner, opened } = await ask('The user pressed Escape');
    const { payload } = await owner.event(opened.sessionId, 'interaction_closed');
    expect(payload).toMatchObject({ reason: 'withdrawn', note: 'The caller cancelled it.' });
  });

  test('[ASK6] withdraws nothing if the client timed out', async () => {
    const { owner, opened, client } = await ask('Request timed out');
    await client.listTools(); // the cancellation has arrived
    await submit(owner, opened, 'blue');
    const { payload } = await owner.event(opened.sessionId, 'tool_result');
    expect(payload.result).toMatchObject({ answer: 'blue' });
  });

  test('[ASK4, ASK6] ends a permission whatever its reason', async () => {
    const { owner, opened } = await ask('Request timed out', permission);
    const { payload } = await owner.event(opened.sessionId, 'interaction_closed');
    expect(payload).toMatchObject({ reason: 'withdrawn', note: 'No longer waiting' });
  });

  test('[ASK6] cannot be named with another client’s session or without a session', async () => {
    const { server, owner, token, connect } = await open();
    const asking = (await connect('2025')).callTool(question);
    const opened = await nextPrompt(owner);
    const other = (await server.makeToken({ role: 'asker' })).token;
    for (const headers of [{ 'mcp-session-id': 'another' }, {}])
      for (const as of [token, other])
        for (const requestId of [0, 1, 2, 3]) {
          const params = { requestId, reason: 'Not mine' };
          const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
          const response = await postMcp(server.origin, body, { authorization: `Bearer ${as}`, ...headers });
          expect(response.status).toBe(202);
        }
    await submit(owner, opened, 'blue');
    expect(readAnswer(await asking).value).toMatchObject({ answer: 'blue' });
  });
});

test('[ASK5, ASK6] a secret goes to the client that waits, and a later one learns only that there was one', async () => {
  const { owner, connect } = await open();
  const meta = { 'claudecode/toolUseId': 'toolu_1' };
  const form = { type: 'form', fields: [{ id: 'key', type: 'secret', label: 'Key' }] };
  const ask = async () =>
    (await connect('2025')).callTool({ ...question, arguments: { question: 'Key?', form }, _meta: meta });
  const asking = ask();
  const { sessionId, interaction } = await nextPrompt(owner);
  await owner.answer(sessionId, interaction, { action: 'submit', input: { key: 'tulip-canary' } });
  expect(readAnswer(await asking).value).toMatchObject({ values: { key: 'tulip-canary' } });
  await ask(); // one more fetch within a minute
  const { value } = readAnswer(await ask());
  expect(value).toMatchObject({ values: { key: { redacted: true } }, delivered: false });
});

test('[SEC11] a person’s waiting calls are limited like their connections', async () => {
  const plugins = [askUser];
  const server = await startGuardedServer({ plugins, quotas: { connections: 1 } });
  const owner = await server.enter();
  const { token } = await server.makeToken({ role: 'asker' });
  const client = await connectMcp(server.origin, { token });
  const first = client.callTool(question);
  const opened = await nextPrompt(owner);
  expect(readAnswer(await client.callTool(question))).toMatchObject({
    isError: true,
    text: expect.stringContaining('1 connections'),
  });
  await submit(owner, opened, 'blue');
  expect(readAnswer(await first).value).toMatchObject({ answer: 'blue' });
});

test('[ASK2, ASK6] without tokens the caller is the asker "local"', async () => {
  const server = await useInTest(new LocalServer({ plugins: [askUser] }));
  const tab = await server.open();
  const asking = (await connectMcp(server.httpUrl)).callTool(question);
  const opened = await nextPrompt(tab);
  expect((await eventsOf(tab, opened))[1]?.payload).toMatchObject({ by: { principal: 'local', role: 'asker' } });
  await submit(tab, opened, 'blue');
  expect(readAnswer(await asking).value).toMatchObject({ answer: 'blue' });
});

test('[OPS3, ASK6] a stopping server replies that the call is open', async () => {
  const { server, owner, connect } = await open();
  const asking = (await connect('2025')).callTool(question);
  await nextPrompt(owner);
  await server.local.server.close();
  expect(readAnswer(await asking).value).toMatchObject({ open: true, callId: expect.any(String) });
});

test('[ASK4, OPS3] a stopping server withdraws the permissions whose requests it ends', async () => {
  const { server, owner, connect } = await open();
  const asking = (await connect('2025')).callTool(permission);
  await nextPrompt(owner);
  await server.local.server.close();
  expect(readAnswer(await asking)).toMatchObject({ isError: true, text: expect.stringContaining('No longer waiting') });
});
