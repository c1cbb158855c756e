import { openTab, type PersonTab } from '@parleyhq/client/process';
import { definePlugin } from '@parleyhq/core';
import { TestServer, useInFile } from '@parleyhq/server/testing';
import { expect, onTestFinished, test } from 'vitest';
import { CallContext } from '../src/call-context.ts';
import type { Conversation } from '../src/conversation.ts';
import { makeSdkTool, sdkTools } from '../src/permission.ts';

const outside = 'Path is outside allowed working directories';

/** The calls that the SDK has a reason to ask about. */
const reasons = new Set<string>();

/** A fake SDK that has its own reason to ask about some calls, and runs every call that is allowed. */
const conversation: Partial<Conversation> = {
  workingFolder: async () => '/work',
  begin: async (toolCallId) => ({
    asked: { suggestions: [], ...(reasons.has(toolCallId) && { reason: outside }) },
  }),
  run: async () => ({ text: 'ran', isError: false }),
};
const desk = new CallContext(
  () => conversation as Conversation,
  () => null,
);
const plugin = definePlugin({
  name: 'sdk',
  covers: () => false,
  tools: sdkTools.map((each) => makeSdkTool(desk, each)),
});
const server = useInFile(new TestServer({ plugins: [plugin], policies: [{ tool: '*', effect: 'ask' }] }));

async function begin(): Promise<PersonTab> {
  const tab = await openTab(server);
  onTestFinished(() => tab.close());
  return tab;
}

test.each([
  ['Bash', { command: 'ls', run_in_background: true }, 'Run ls'],
  ['Edit', { file_path: '/projects/a', old_string: 'a', new_string: 'b' }, 'Change /projects/a (+1 −1)'],
  ['WebFetch', { url: 'https://example.org/', prompt: 'Read it.' }, 'Fetch example.org'],
])('[AGT3, APR3] a policy asks about a tool of the SDK once: %s', async (tool, args, title) => {
  const tab = await begin();
  const gate = await tab.ask(tool, args);
  expect(gate).toMatchObject({ slot: '$gate', title });
  await tab.answer(gate, { action: 'approve' });
  expect(await tab.result(gate)).toEqual({ result: 'ran' });
  expect(tab.events('interaction_request')).toHaveLength(1);
});

test('[AGT3, APR3] if the SDK has a reason to ask, a person reads it before the call runs', async () => {
  const tab = await begin();
  const gate = await tab.ask('Bash', { command: 'cat /etc/hostname' });
  reasons.add(gate.toolCallId);
  await tab.answer(gate, { action: 'approve' });
  const own = await tab.event('interaction_request', ({ payload }) => payload.slot !== '$gate');
  expect(own.payload.prompt).toContain(outside);
  await tab.answer(own.payload, { action: 'deny' });
  expect(await tab.result(gate)).toMatchObject({ error: { code: 'denied' } });
});
