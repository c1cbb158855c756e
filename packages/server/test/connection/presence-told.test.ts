import type { ServerFrame } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { useGuardedServer } from '../support/guarded-server.ts';
import { loadShippedPlugin } from '../support/journey.ts';
import type { Sendable } from '../support/tab.ts';

const server = useGuardedServer({ plugins: [await loadShippedPlugin('ask-user')] });

test('[INT14] changes of presence are published only to clients that may see the session', async () => {
  const watcher = await server.enter();
  const [mine, other] = [await watcher.createSession(), await watcher.createSession()];
  for (const id of [mine, other]) {
    await watcher.follow(id);
    await watcher.until((frame) => frame.type === 'presence' && frame.sessionId === id && frame.connections === 1);
  }
  const from = watcher.frames.length;
  const guest = await server.enter({ role: 'responder', sessions: [mine] });
  await watcher.until((frame) => frame.type === 'presence' && frame.enabled === 2, from);
  await guest.close();
  await watcher.until((frame) => frame.type === 'presence' && frame.enabled === 1, from);
  const told = watcher.frames.slice(from).flatMap((frame) => (frame.type === 'presence' ? [frame.sessionId] : []));
  expect(new Set(told)).toEqual(new Set([mine]));
});

test('[INT14] followers of a session are published by name, to people and not to programs', async () => {
  const program = await server.enter({ name: 'Bot', role: 'asker' });
  const args = { question: 'Ship it?' };
  const call = { type: 'call_tool', channel: 'nightly', callId: 'ship-1', toolName: 'ask_human', args } as Sendable;
  const { sessionId } = await program.ask<{ sessionId: string }>(call);
  const ada = await server.enter({ name: 'Ada', role: 'operator' });
  const grace = await server.enter({ name: 'Grace', role: 'viewer' });
  const unnamed = await server.enter();
  for (const tab of [program, ada, grace, unnamed]) await tab.follow(sessionId);
  const isWhole = (frame: ServerFrame) => frame.type === 'presence' && frame.connections === 4;
  expect(await grace.until(isWhole)).toMatchObject({ people: [{ name: 'Ada' }, { name: 'Grace' }] });
  expect(await program.until(isWhole)).not.toHaveProperty('people');
});
