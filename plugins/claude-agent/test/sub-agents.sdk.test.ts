import { type FakeReply, type SentBody, say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { call, useClaudeServer } from './claude-server.ts';

const claude = useClaudeServer();

const agent = () =>
  call('Agent', { description: 'A part', prompt: 'Only this part.', subagent_type: 'general-purpose' });

/** Scripts the replies to the session and to its sub-agent, distinguished by their prompts. */
function play(main: readonly FakeReply[], inner: readonly FakeReply[]) {
  const left = { main: [...main], inner: [...inner] };
  claude.otherwise((body: SentBody) => {
    const isMain = JSON.stringify(body.messages).includes('The whole.');
    return (isMain ? left.main : left.inner).shift() ?? { content: [say('Nothing more.')] };
  });
}

test('[AGT7] a sub-agent’s calls are logged under its call, and their prompts name it', async () => {
  const inner = [
    call('Bash', { command: 'echo inner' + ' > i.txt; cat i.txt' }),
    call('mcp__parley__ask_user', { question: 'What?' }),
  ];
  play(
    [{ content: [agent()] }, { content: [say('All done.')] }],
    [{ content: inner }, { content: [say('Part done.')] }],
  );
  await claude.ask('The whole.');
  const [first, second] = await claude.tab.prompts(2);
  for (const prompt of [first!, second!]) {
    expect(prompt.source).toEqual({ kind: 'agent', name: 'general-purpose' });
    if (prompt.interactionType === 'approval') await claude.tab.answer(prompt, { action: 'approve' });
    else await claude.tab.submit(prompt, { answer: 'that' });
  }
  expect(await claude.end()).toMatchObject({ status: 'completed' });
  const [outer, ...calls] = claude.payloads('tool_call') as {
    toolCallId: string;
    toolName: string;
    parentToolCallId?: string;
  }[];
  expect(outer).toMatchObject({ toolName: 'Agent' });
  expect(calls.map(({ toolName, parentToolCallId }) => [toolName, parentToolCallId])).toEqual([
    ['Bash', outer?.toolCallId],
    ['ask_user', outer?.toolCallId],
  ]);
  expect(claude.payloads('tool_result')).toMatchObject([
    {},
    {},
    { toolName: 'Agent', result: expect.stringContaining('Part done.') },
  ]);
  expect((await claude.lastSent()).at(-1)).toContain('Part done.');
  const told = JSON.stringify(claude.api.requests.map(({ body }) => body.messages));
  expect(told).toContain('"content":"inner"');
  expect(told).toContain('that');
});

test('[REV2, AGT7] the words of a yes reach the sub-agent', async () => {
  play(
    [{ content: [agent()] }, { content: [say('All done.')] }],
    [{ content: [call('Bash', { command: 'touch yes.txt' })] }, { content: [say('Part done.')] }],
  );
  await claude.ask('The whole.');
  await claude.tab.answer(await claude.tab.prompt(), { action: 'approve', reason: 'Only this one.' });
  expect(await claude.end()).toMatchObject({ status: 'completed' });
  const told = claude.api.requests.map(({ body }) => JSON.stringify(body.messages));
  expect(told.filter((messages) => messages.includes('Bash: A person said yes: “Only this one.”'))).toHaveLength(1);
});

test('[AGT7] a denial reaches the sub-agent with its reason', async () => {
  play(
    [{ content: [agent()] }, { content: [say('All done.')] }],
    [{ content: [call('Bash', { command: 'touch no.txt' })] }, { content: [say('Then not.')] }],
  );
  await claude.ask('The whole.');
  const prompt = (await claude.tab.event('interaction_request')).payload;
  await claude.tab.answer(prompt, { action: 'deny', reason: 'Not in a part.' });
  await claude.end();
  expect(JSON.stringify(claude.api.requests.at(-2)?.body.messages)).toContain('Not in a part.');
  expect(await claude.files()).toEqual([]);
});

test('[AGT7, DUR6] killed while it asks: its prompt closes, and the model learns that the sub-agent has ended', async () => {
  play([{ content: [agent()] }], [{ content: [call('Bash', { command: 'touch no.txt' })] }]);
  await claude.ask('The whole.');
  const prompt = (await claude.tab.event('interaction_request')).payload;
  await claude.crash();
  expect(await claude.end()).toMatchObject({ status: 'completed' });
  expect(claude.payloads('interaction_closed')).toMatchObject([
    { interactionId: prompt.interactionId, reason: 'orphaned' },
  ]);
  expect((await claude.lastSent()).at(-1)).toMatch(/^error: interrupted/);
});
