import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { ServerFrameOf } from '@parleyhq/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Era, readAnswer } from '../../server/test/support/mcp-client.ts';
import { mainPath } from '../../server/test/support/server-process.ts';
import type { Tab } from '../../server/test/support/tab.ts';
import { startServer, useServer } from '../../server/test/support/use-server.ts';

const server = useServer();

async function connect(port: number, era: Era, ...flags: string[]): Promise<Client> {
  const mode = era === '2026' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client({ name: 'Terminal', version: '1' }, { versionNegotiation: { mode } });
  const args = [mainPath, 'mcp', '--port', String(port), ...flags];
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
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

  test('[ASK6] takes its question back', async () => {
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

test('[ASK6] a client is told that the server is gone', async () => {
  const other = await startServer();
  const client = await connect(other.ready.port, '2025');
  await other.kill();
  await expect(client.callTool(question)).rejects.toThrow(`No server answers at 127.0.0.1:${other.ready.port}.`);
});

test('[ASK6, SEC9] a wrong token is refused in words', async () => {
  const guarded = await startServer({ args: [] });
  await expect(connect(guarded.ready.port, '2025', '--token', 'not-the-token-of-it')).rejects.toThrow(
    'A valid token is needed.',
  );
});
