import type { ChatEvent } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { pluginPath } from '../support/journey.ts';
import type { Tab } from '../support/tab.ts';
import { startServer } from '../support/use-server.ts';

const frame = {
  type: 'call_tool',
  channel: 'nightly',
  callId: 'ship-1',
  toolName: 'ask_one',
  args: { question: 'Ship it?' },
  from: { name: 'Nightly build' },
} as const;

type Begun = { sessionId: string; toolCallId: string };

async function answer(tab: Tab, { sessionId }: Begun): Promise<void> {
  await tab.follow(sessionId);
  await tab.answer(sessionId, await tab.prompt(sessionId), { action: 'submit', input: { answer: 'yes' } });
}

test('[ASK1, DUR2] a question stays open when the server is killed, and the same key gets the one answer', async () => {
  const server = await startServer({ plugins: [pluginPath('asking.mjs')] });
  const before = await server.open();
  const begun = await before.ask<Begun>(frame);
  await before.follow(begun.sessionId);
  await before.prompt(begun.sessionId);
  await server.kill();
  await server.start();
  const tab = await server.open();
  expect(await tab.ask<Begun>(frame)).toEqual(begun);
  await answer(tab, begun);
  const told = await tab.until(({ type }) => type === 'call_result');
  expect(told).toMatchObject({ ...begun, result: { answer: 'yes' } });
  await tab.event(begun.sessionId, 'turn_end');

  await server.kill();
  await server.start();
  const later = await server.open();
  expect(await later.ask<Begun>(frame)).toEqual(begun);
  expect(await later.until(({ type }) => type === 'call_result')).toMatchObject({ result: { answer: 'yes' } });
  await later.follow(begun.sessionId, { tail: 100 });
  const count = (type: ChatEvent['type']) => later.events(begun.sessionId).filter((each) => each.type === type).length;
  expect([count('tool_call'), count('interaction_request'), count('tool_result'), count('turn_end')]).toEqual([
    1, 1, 1, 1,
  ]);
});

test('[ASK1] a result that was about to be stored when the server was killed is stored after the start', async () => {
  const server = await startServer({ plugins: [pluginPath('asking.mjs')] });
  const before = await server.open();
  const begun = await before.ask<Begun>(frame);
  await before.follow(begun.sessionId);
  const prompt = await before.prompt(begun.sessionId);
  before.send({
    type: 'tool_interaction_response',
    sessionId: begun.sessionId,
    callId: prompt.toolCallId,
    interactionId: prompt.interactionId,
    action: 'submit',
    input: { answer: 'yes' },
  });
  await before.event(begun.sessionId, 'interaction_response');
  await server.kill();
  await server.start();
  const tab = await server.open();
  expect(await tab.ask<Begun>(frame)).toEqual(begun);
  expect(await tab.until(({ type }) => type === 'call_result')).toMatchObject({ ...begun, result: { answer: 'yes' } });
});
