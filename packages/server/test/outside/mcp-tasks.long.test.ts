import type { TaskEnabledSession } from '@modelcontextprotocol/ext-tasks/client';
import type { ServerFrameOf } from '@parleyhq/core';
import { beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { useGuardedServer } from '../support/guarded-server.ts';
import { loadPlugin, loadShippedPlugin } from '../support/journey.ts';
import { connectMcp, type Era, readAnswer } from '../support/mcp-client.ts';
import { connectTasks, sendModern } from '../support/mcp-tasks.ts';
import type { Tab } from '../support/tab.ts';

const eras = ['2025', '2026'] as const;
const plugins = [await loadShippedPlugin('ask-user'), await loadPlugin('asking.mjs')];
const durations = { mcpWaitMs: 1, mcpProgressMs: 1 };
const server = useGuardedServer({ plugins, durations });

let owner: Tab;
let token: string;
beforeEach(async () => {
  owner = await server.enter();
  token = (await server.makeToken({ role: 'asker' })).token;
});

type Opened = ServerFrameOf<'interaction_opened'>;

async function promptOf(question: string): Promise<Opened> {
  return (await owner.until(
    (frame) => frame.type === 'interaction_opened' && frame.interaction.prompt === question,
  )) as Opened;
}

async function submit({ sessionId, interaction }: Opened, input: object): Promise<void> {
  await owner.answer(sessionId, interaction, { action: 'submit', input: { ...input } });
}

/** Asks a question as a task. */
async function ask(session: TaskEnabledSession, question: string, args: object = {}) {
  const execution = await session.callTool('ask_human', { question, ...args }, { task: { preference: 'prefer' } });
  if (execution.kind !== 'task') throw new Error('this is no task');
  return execution;
}

const declared = {
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};
const envelope = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };

describe.each(eras)('a client of %s that knows tasks', (era: Era) => {
  test('[ASK6] asks without waiting, and finds the answer, however long it took', async () => {
    const session = await connectTasks(server.origin, era, token);
    const question = `Which colour in ${era}?`;
    const execution = await ask(session, question);
    const { taskId } = execution.handle;
    const opened = await promptOf(question);
    const { status, createdAt, retentionMs } = await session.task(taskId).snapshot();
    expect({ status, retentionMs }).toEqual({ status: 'working', retentionMs: null });
    expect(Date.parse(createdAt ?? '')).toBeLessThanOrEqual(Date.now());
    await submit(opened, { answer: 'blue' });
    const { outcome } = await execution.settle();
    expect(outcome).toMatchObject({ status: 'completed', result: { structuredContent: { ok: true, answer: 'blue' } } });
    expect(await session.task(taskId).snapshot()).toMatchObject({ status: 'completed', createdAt });
  });

  test('[ASK4, ASK6] withdraws its question', async () => {
    const session = await connectTasks(server.origin, era, token);
    const question = `Take back in ${era}?`;
    const execution = await ask(session, question);
    const { sessionId } = await promptOf(question);
    await owner.follow(sessionId);
    await execution.cancel();
    expect((await execution.settle()).outcome.status).toBe('cancelled');
    const { payload } = await owner.event(sessionId, 'interaction_closed');
    expect(payload).toMatchObject({ reason: 'withdrawn', note: 'The caller cancelled it.' });
    const over = session.cancelTask(execution.handle.taskId);
    if (era === '2026')
      await over; // an acknowledgement, whatever the outcome
    else await expect(over).rejects.toMatchObject({ code: -32_602 });
  });

  test('[ASK6] a failed call reports its error', async () => {
    const session = await connectTasks(server.origin, era, token);
    const execution = await session.callTool('ask_human', { question: '' }, { task: { preference: 'prefer' } });
    expect(JSON.stringify((await execution.settle()).outcome)).toContain(era === '2025' ? 'failed' : 'nothing to read');
  });

  test('[ASK6] a permission and a check cannot be tasks', async () => {
    const session = await connectTasks(server.origin, era, token);
    const { value } = readAnswer(
      await (await connectMcp(server.origin, { token })).callTool({
        name: 'ask_human',
        arguments: { question: `Open in ${era}?` },
      }),
    );
    const check = await session.callTool('check_answer', { callId: value.callId as string, waitSeconds: 0 });
    expect(check.kind).toBe('immediate');
    const asking = session.callTool('permission', { tool_name: 'Bash', input: { command: `ls ${era}` } });
    const opened = (await owner.until(
      (frame) => frame.type === 'interaction_opened' && frame.interaction.subject?.text === `ls ${era}`,
    )) as Opened;
    await owner.answer(opened.sessionId, opened.interaction, { action: 'approve' });
    expect((await asking).kind).toBe('immediate');
  });

  test('[ASK6, SEC4] a task is found by the principal that asked, and by no other asker', async () => {
    const session = await connectTasks(server.origin, era, token);
    const question = `Whose in ${era}?`;
    const { taskId } = (await ask(session, question)).handle;
    const other = await connectTasks(server.origin, era, (await server.makeToken({ role: 'asker' })).token);
    for (const work of [
      other.task(taskId).snapshot(),
      other.cancelTask(taskId),
      session.task('nobody-knows' as never).snapshot(),
    ])
      await expect(work).rejects.toMatchObject({ code: -32_602 });
    await submit(await promptOf(question), { answer: 'mine' });
    const again = await connectTasks(server.origin, era, token);
    expect(await again.task(taskId).result()).toMatchObject({ status: 'completed' });
  });

  test('[ASK5, ASK6] a secret is fetched once more within a minute, and then no more', async () => {
    const session = await connectTasks(server.origin, era, token);
    const question = `Key in ${era}?`;
    const form = { type: 'form', fields: [{ id: 'key', type: 'secret', label: 'Key' }] };
    const execution = await ask(session, question, { form });
    const opened = await promptOf(question);
    await submit(opened, { key: 'tulip-canary' });
    await owner.follow(opened.sessionId);
    await owner.event(opened.sessionId, 'tool_result');
    const { taskId } = execution.handle;
    const fetchOnce = async () => JSON.stringify(await session.task(taskId).result());
    expect(await fetchOnce()).toContain('tulip-canary');
    const later = await fetchOnce();
    expect(later).toContain('"delivered":false');
    expect(later).not.toContain('tulip-canary');
  });

  test('[ASK6] a call that asks nobody is done at once, or soon', async () => {
    const session = await connectTasks(server.origin, era, token);
    const execution = await session.callTool('tell_human', { text: 'Hello.' }, { task: { preference: 'prefer' } });
    expect((await execution.settle()).outcome).toMatchObject({
      status: 'completed',
      result: { structuredContent: { ok: true } },
    });
  });
});

const anything = z.looseObject({});

describe('a client of 2025', () => {
  test('[ASK6] sees its tasks, newest first and in pages', async () => {
    const session = await connectTasks(server.origin, '2025', token);
    const client = await connectMcp(server.origin, { token });
    const tell = { method: 'tools/call', params: { name: 'tell_human', arguments: { text: 'Hello.' }, task: {} } };
    const ids: unknown[] = [];
    for (let n = 0; n < 51; n += 1)
      ids.unshift(((await client.request(tell, anything)) as { task: { taskId: string } }).task.taskId);
    // a call for its request only is not listed
    await client.callTool({ name: 'permission', arguments: { tool_name: '?', input: {} } });
    const { tasks, nextCursor } = await session.listTasks();
    const rest = await session.listTasks(nextCursor);
    expect(tasks.length).toBeGreaterThan(1);
    expect([...tasks, ...rest.tasks].map(({ taskId }) => taskId)).toEqual(ids);
    expect(rest.nextCursor).toBeUndefined();
    await expect(session.listTasks('nonsense')).rejects.toMatchObject({ code: -32_602 });
  });

  test('[ASK6] gets progress while it waits for the result, and an error if a tool cannot be a task', async () => {
    const client = await connectMcp(server.origin, { token });
    const method = 'tools/call';
    const permission = { name: 'permission', arguments: { tool_name: 'Bash', input: {} }, task: {} };
    await expect(client.request({ method, params: permission }, anything)).rejects.toMatchObject({ code: -32_601 });
    const params = { name: 'ask_human', arguments: { question: 'Progress?' }, task: { ttl: 1 } };
    const { task, content } = (await client.request({ method, params }, anything)) as never as {
      task: { taskId: string; ttl: null };
      content: object[];
    };
    expect({ task, content }).toMatchObject({ task: { ttl: null, status: 'working' }, content: [{ type: 'text' }] });
    const opened = await promptOf('Progress?');
    const onprogress = ({ progress }: { progress: number }) => {
      if (progress === 2) void submit(opened, { answer: 'on' });
    };
    const result = await client.request({ method: 'tasks/result', params: { taskId: task.taskId } }, anything, {
      onprogress,
    });
    expect(result).toMatchObject({
      structuredContent: { answer: 'on' },
      _meta: { 'io.modelcontextprotocol/related-task': { taskId: task.taskId } },
    });
  });
});

describe('a client of 2026', () => {
  const call = (method: string, params: object, meta: object) =>
    sendModern(server.origin, { method, params: { ...params, _meta: { ...envelope, ...meta } } }, token);
  const silent = { 'io.modelcontextprotocol/clientCapabilities': {} };

  test('[ASK6] that does not declare tasks gets none, and cannot ask about them', async () => {
    const question = { name: 'ask_human', arguments: { question: 'Silent?' } };
    expect(await call('tools/call', question, silent)).toMatchObject({ result: { structuredContent: { open: true } } });
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update'])
      expect(await call(method, { taskId: 'x', inputResponses: {} }, silent)).toMatchObject({
        error: {
          code: -32_021,
          data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
        },
      });
  });

  test('[ASK6] has no methods of another era, and no inputs to give', async () => {
    for (const method of ['tasks/list', 'tasks/result'])
      expect(await call(method, { taskId: 'x' }, declared)).toMatchObject({ error: { code: -32_601 } });
    const asked = await call('tools/call', { name: 'ask_human', arguments: { question: 'Update?' } }, declared);
    const { taskId, ...task } = (asked as { result: Record<string, string> }).result;
    expect(task).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null, pollIntervalMs: 1000 });
    const update = { taskId, inputResponses: { a: { action: 'accept' } } };
    expect(await call('tasks/update', update, declared)).toMatchObject({ result: { resultType: 'complete' } });
    expect(await call('tasks/update', { ...update, taskId: 'x' }, declared)).toMatchObject({
      error: { code: -32_602 },
    });
  });
});
