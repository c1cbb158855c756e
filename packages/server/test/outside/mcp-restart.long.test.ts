import type { ServerFrameOf } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { connectMcp, type Era, readAnswer } from '../support/mcp-client.ts';
import { connectTasks } from '../support/mcp-tasks.ts';
import type { Tab } from '../support/tab.ts';
import { startServer } from '../support/use-server.ts';

async function nextPrompt(tab: Tab): Promise<ServerFrameOf<'interaction_opened'>> {
  return (await tab.until(({ type }) => type === 'interaction_opened')) as ServerFrameOf<'interaction_opened'>;
}

const question = { name: 'ask_human', arguments: { question: 'Which colour?' } };

test.each(['2025', '2026'] satisfies Era[])(
  '[ASK6, DUR2] a client of %s gets the one answer under its callId, though the server was killed meanwhile',
  async (era) => {
    const server = await startServer({ env: { PARLEY_MCP_WAIT_MS: '1' } });
    const before = await server.open();
    const client = await connectMcp(server.httpUrl, { era });
    const { value } = readAnswer(await client.callTool(question));
    expect(value).toMatchObject({ open: true });
    const { sessionId, interaction } = await nextPrompt(before);
    await server.kill();
    await server.start();
    const tab = await server.open();
    await tab.follow(sessionId);
    await tab.answer(sessionId, interaction, { action: 'submit', input: { answer: 'blue' } });
    await tab.event(sessionId, 'tool_result');
    const check = { name: 'check_answer', arguments: { callId: value.callId, waitSeconds: 60 } };
    const later = await connectMcp(server.httpUrl, { era });
    for (let time = 0; time < 2; time += 1)
      expect(readAnswer(await later.callTool(check)).value).toMatchObject({ ok: true, answer: 'blue' });
    const types = tab.events(sessionId).map(({ type }) => type);
    for (const type of ['tool_call', 'interaction_request', 'tool_result'])
      expect(types.filter((each) => each === type)).toHaveLength(1);
  },
);

test('[ASK6, DUR2] tasks of both eras continue although server and clients had ended meanwhile', async () => {
  const server = await startServer();
  const before = await server.open();
  const eras = ['2025', '2026'] as const;
  const tasks = [];
  for (const era of eras) {
    const client = await connectTasks(server.httpUrl, era);
    const execution = await client.callTool('ask_human', { question: era }, { task: { preference: 'require' } });
    if (execution.kind !== 'task') throw new Error('this is no task');
    const prompt = await before.until(
      (frame) => frame.type === 'interaction_opened' && frame.interaction.prompt === era,
    );
    tasks.push({
      era,
      reference: execution.serializeReference(),
      prompt: prompt as ServerFrameOf<'interaction_opened'>,
    });
    await execution.detach();
  }
  await server.kill();
  await server.start();
  const tab = await server.open();
  for (const { era, reference, prompt } of tasks) {
    const later = await connectTasks(server.httpUrl, era);
    expect((await later.task(reference.taskId).snapshot()).status).toBe('working');
    await tab.answer(prompt.sessionId, prompt.interaction, { action: 'submit', input: { answer: `${era}, too` } });
    const { outcome } = await (await later.resumeTask(reference)).settle();
    expect(outcome).toMatchObject({ status: 'completed', result: { structuredContent: { answer: `${era}, too` } } });
  }
});

test('[ASK6] a client keeps its session, and its name, through a restart of the server', async () => {
  const server = await startServer();
  const body = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message });
  const send = (message: object, headers: Record<string, string> = {}) =>
    fetch(`${server.httpUrl}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: body(message),
    });
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'Häuser & Söhne', version: '1' },
  };
  const greeting = await send({ id: 1, method: 'initialize', params });
  const session = { 'mcp-session-id': greeting.headers.get('mcp-session-id') ?? '' };
  await server.kill();
  await server.start();
  const tab = await server.open();
  const asking = send({ id: 2, method: 'tools/call', params: question }, session);
  const { sessionId, interaction } = await nextPrompt(tab);
  await tab.follow(sessionId);
  expect(tab.events(sessionId)[1]?.payload).toMatchObject({ from: { name: 'Häuser & Söhne' } });
  await tab.answer(sessionId, interaction, { action: 'submit', input: { answer: 'blue' } });
  expect(await (await asking).text()).toContain('blue');
});

test('[ASK4] a permission that nobody waits for any more is withdrawn at the next start', async () => {
  const server = await startServer();
  const before = await server.open();
  const client = await connectMcp(server.httpUrl);
  const permission = { name: 'permission', arguments: { tool_name: 'Bash', input: { command: 'ls' } } };
  client.callTool(permission).catch(() => undefined); // the server is killed
  const { sessionId } = await nextPrompt(before);
  await server.kill();
  await server.start();
  const tab = await server.open();
  await tab.follow(sessionId);
  const { payload } = await tab.event(sessionId, 'interaction_closed');
  expect(payload).toMatchObject({ reason: 'withdrawn', note: 'No longer waiting' });
  expect((await tab.event(sessionId, 'turn_end')).payload.status).toBe('completed');
  const { openTotal } = await tab.waitFor('welcome');
  expect(openTotal).toBe(0);
});
