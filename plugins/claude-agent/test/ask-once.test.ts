import { definePlugin } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Journey } from '../../../packages/server/test/support/journey.ts';
import { useLocalServer } from '../../../packages/server/test/support/local-server.ts';
import { CallDesk } from '../src/call-desk.ts';
import type { Conversation } from '../src/conversation.ts';
import { makeSdkTool, sdkTools } from '../src/permission.ts';

const outside = 'Path is outside allowed working directories';

/** The calls that the SDK has a reason to ask about. */
const reasons = new Set<string>();

/** An SDK that has its own reason to ask about some calls, and runs whatever it may. */
const conversation: Partial<Conversation> = {
  workingFolder: async () => '/work',
  begin: async (toolCallId) => ({
    asked: { suggestions: [], ...(reasons.has(toolCallId) && { reason: outside }) },
  }),
  run: async () => ({ text: 'ran', isError: false }),
};
const desk = new CallDesk(
  () => conversation as Conversation,
  () => null,
);
const plugin = definePlugin({
  name: 'sdk',
  covers: () => false,
  tools: sdkTools.map((each) => makeSdkTool(desk, each)),
});
const server = useLocalServer({ plugins: [plugin], policies: [{ tool: '*', effect: 'ask' }] });

test.each([
  ['Bash', { command: 'ls', run_in_background: true }],
  ['Edit', { file_path: '/projects/a', old_string: 'a', new_string: 'b' }],
  ['WebFetch', { url: 'https://example.org/', prompt: 'Read it.' }],
])('[AGT3, APR3] a policy asks about a tool of the SDK once: %s', async (tool, args) => {
  const journey = await Journey.begin(server);
  const gate = await journey.ask(tool, args);
  expect(gate).toMatchObject({ slot: '$gate', title: `Allow "${tool}"?` });
  await journey.answer(gate, { action: 'approve' });
  expect(await journey.outcome(gate)).toEqual({ result: 'ran' });
  expect(journey.events('interaction_request')).toHaveLength(1);
});

test('[AGT3, APR3] where the SDK has a reason to ask, a person reads it before the call runs', async () => {
  const journey = await Journey.begin(server);
  const gate = await journey.ask('Bash', { command: 'cat /etc/hostname' });
  reasons.add(gate.toolCallId);
  await journey.answer(gate, { action: 'approve' });
  const own = await journey.event('interaction_request', ({ payload }) => payload.slot !== '$gate');
  expect(own.payload.prompt).toContain(outside);
  await journey.answer(own.payload, { action: 'deny' });
  expect(await journey.outcome(gate)).toMatchObject({ error: { code: 'denied' } });
});
