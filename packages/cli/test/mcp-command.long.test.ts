import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createTaskSessionFromClient, toolDeclaration } from '@modelcontextprotocol/ext-tasks/client';
import type { ServerFrameOf } from '@parleyhq/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createToken } from '../../server/test/support/command.ts';
import { type Era, readAnswer } from '../../server/test/support/mcp-client.ts';
import { mainPath } from '../../server/test/support/server-process.ts';
import type { Tab } from '../../server/test/support/tab.ts';
import { startServer, useServer } from '../../server/test/support/use-server.ts';

const server = useServer();

const argsOf = (port: number, ...flags: string[]) => [mainPath, 'mcp', '--port', String(port), ...flags];

async function connect(port: number, era: Era, ...flags: string[]): Promise<Client> {
  const mode = era === '2026' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client({ name: 'Terminal', version: '1' }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ command: process.execPath, args: argsOf(port, ...flags) }));
  return client;
}

const question = { name: 'ask_human', arguments: { question: 'Which colour?' } };

async function nextPrompt(tab: Tab): Promise<ServerFrameOf<'interaction_opened'>> {
  return (await tab.until(({ type }) => type === 'interaction_opened')) as ServerFrameOf<'interaction_opened'>;
}

describe.each(['2025', '2026'] satisfies Era[])('a client of %s that starts `parley mcp`', (era) => {
  test('[ASK6] asks, and gets the answer of a person', async () => {
    const tab = await server.open();
    const client = await connect(server.ready.port, era);
    const asking = client.callTool(question);
    const { sessionId, interaction } = await nextPrompt(tab);
    await tab.follow(sessionId);
    expect(tab.events(sessionId).find(({ type }) => type === 'tool_call')?.payload).toMatchObject({
      from: { name: 'Terminal' },
    });
    await tab.answer(sessionId, interaction, { action: 'submit', input: { answer: 'blau — “blue”' } });
    expect(readAnswer(await asking).value).toMatchObject({ answer: 'blau — “blue”' });
  });

  test('[ASK6] withdraws its question', async () => {
    const tab = await server.open();
    const client = await connect(server.ready.port, era);
    const stop = new AbortController();
    const asking = client.callTool(question, { signal: stop.signal }).catch(() => 'cancelled');
    const { sessionId, interaction } = await nextPrompt(tab);
    await tab.follow(sessionId);
    stop.abort('The user pressed Escape');
    expect(await asking).toBe('cancelled');
    const { payload } = await tab.event(
      sessionId,
      'interaction_closed',
      (event) => event.payload.interactionId === interaction.interactionId,
    );
    expect(payload).toMatchObject({ reason: 'withdrawn' });
  });
});

test('[ASK6] a client of protocol 2025 can use tasks', async () => {
  const tab = await server.open();
  const client = await connect(server.ready.port, '2025');
  const declaration = toolDeclaration({ name: question.name, inputSchema: {}, taskSupport: 'optional' });
  const session = createTaskSessionFromClient(client, { endpointId: 'parley' });
  const options = { declaration, task: { preference: 'require' } } as const;
  const execution = await session.callTool(question.name, question.arguments, options);
  const { sessionId, interaction } = await nextPrompt(tab);
  await tab.answer(sessionId, interaction, { action: 'submit', input: { answer: 'blue' } });
  expect((await execution.settle()).outcome).toMatchObject({ result: { structuredContent: { answer: 'blue' } } });
});

test('[ASK6] a client of protocol 2026 can use tasks', async () => {
  const tab = await server.open();
  const transport = new StdioClientTransport({ command: process.execPath, args: argsOf(server.ready.port) });
  onTestFinished(() => transport.close());
  await transport.start();
  const send = async (method: string, params: object): Promise<{ result: Record<string, unknown> }> => {
    const answered = new Promise((resolve) => {
      transport.onmessage = resolve;
    });
    await transport.send({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } });
    return (await answered) as { result: Record<string, unknown> };
  };
  const { taskId, resultType } = (await send('tools/call', question)).result;
  expect(resultType).toBe('task');
  const { sessionId, interaction } = await nextPrompt(tab);
  await tab.follow(sessionId);
  await tab.answer(sessionId, interaction, { action: 'submit', input: { answer: 'blue' } });
  await tab.event(sessionId, 'tool_result');
  const { status, result } = (await send('tasks/get', { taskId })).result;
  expect(status).toBe('completed');
  expect(readAnswer(result).value).toMatchObject({ answer: 'blue' });
});

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

test('[ASK6] a client gets an error if the server does not answer', async () => {
  const other = await startServer();
  const client = await connect(other.ready.port, '2025');
  await other.kill();
  await expect(client.callTool(question)).rejects.toThrow(
    `No server answers at 127.0.0.1:${other.ready.port}. If it listens elsewhere, say where`,
  );
});

test('[ASK2, ASK6] the token of an asker comes from its own variable; a wrong one is refused with a message', async () => {
  const guarded = await startServer({ args: [] });
  const { token } = await createToken(guarded.dataDir, '--role', 'asker', '--name', 'ci');
  const env = { PATH: process.env.PATH ?? '', PARLEY_ASK_TOKEN: token, PARLEY_TOKEN: 'not-the-token-of-it' };
  const client = new Client({ name: 'Terminal', version: '1' });
  onTestFinished(() => client.close());
  const args = argsOf(guarded.ready.port, '--data-dir', guarded.dataDir);
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(4);
  await expect(connect(guarded.ready.port, '2025', '--token', 'not-the-token-of-it')).rejects.toThrow(
    'A valid token is needed. Set PARLEY_ASK_TOKEN, or pass it with --token',
  );
});
