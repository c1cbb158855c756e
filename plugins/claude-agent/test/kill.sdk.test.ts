import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InteractionRequest } from '@parleyhq/core';
import { say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { call, useClaudeServer } from './claude-server.ts';

const claude = useClaudeServer();

type Prompt = InteractionRequest;
const prompt = async (after = 0) => (await claude.tab.event('interaction_request', undefined, after)).payload;

const question = (text: string) => ({
  question: text,
  header: 'Word',
  options: ['sesame', 'poppy'].map((label) => ({ label, description: label })),
});

/** The last conversation that was sent to the model. */
async function lastSent(): Promise<string[]> {
  await claude.end();
  return claude.lastSent();
}

test('[AGT3, DUR7] killed while it writes: the message is restarted with the same conversation', async () => {
  await claude.ask('Hello', { content: [say('First.')] });
  await claude.end();
  claude.otherwise(() => ({ content: [say('Whole again.')] }));
  claude.script({ content: [say('Never to be whole.')], fault: { kind: 'stall', after: 2 } });
  const { seq } = claude;
  await claude.say('Go on');
  await claude.tab.until(({ streams }) => streams.find(({ text }) => text.includes('to ')));
  await claude.crash();
  expect(await claude.end(seq)).toMatchObject({ status: 'completed' });
  expect(await claude.lastSent()).toEqual(['user: Hello', 'assistant: First.', 'user: Go on']);
  expect(claude.payloads('assistant_done').map((payload) => 'text' in payload && payload.text)).toEqual([
    'First.',
    'Whole again.',
  ]);
});

test('[AGT3, DUR1] killed while questions wait: they stay open under the same ids, and the model gets the real answers', async () => {
  const calls = ['One?', 'Two?'].map((text) => call('AskUserQuestion', { questions: [question(text)] }));
  await claude.ask('Ask me', { content: [say('Two things.'), ...calls] });
  const before = await claude.tab.prompts(2);
  await claude.crash();
  const after = claude.payloads('interaction_request') as Prompt[];
  expect(after).toEqual(before);
  claude.otherwise(() => ({ content: [say('Thanks.')] }));
  await claude.tab.submit(after[1]!, { answer1: 'poppy' });
  await claude.tab.submit(after[0]!, { answer1: { other: 'abracadabra' } });
  const sent = await lastSent();
  expect(sent.slice(0, 2)).toEqual(['user: Ask me', 'assistant: Two things.']);
  expect(sent.at(-2)).toContain('"One?"="abracadabra"');
  expect(sent.at(-1)).toContain('"Two?"="poppy"');
  expect(sent).toHaveLength(6);
});

test('[AGT3, DUR1] killed while commands wait for permission: each runs once, as edited, after it is given', async () => {
  const calls = ['a', 'b'].map((name) => call('Bash', { command: `echo ${name} >> ran.txt; cat ran.txt` }));
  await claude.ask('Run', { content: calls });
  await prompt();
  await claude.crash();
  claude.otherwise(() => ({ content: [say('Done.')] }));
  const first = await prompt();
  const editedArgs = { command: 'echo edited >> ran.txt; cat ran.txt' };
  await claude.tab.answer(first, { action: 'approve', editedArgs });
  const second = await claude.tab.event(
    'interaction_request',
    ({ payload }) => payload.toolCallId !== first.toolCallId,
  );
  await claude.tab.event('tool_result', ({ payload }) => payload.toolCallId === first.toolCallId);
  await claude.tab.answer(second.payload, { action: 'approve' });
  const sent = await lastSent();
  const told = expect.stringMatching(/^result: edited\n\n\(A person changed the arguments /);
  expect(sent.slice(-2)).toEqual([told, 'result: edited\nb']);
  expect(claude.payloads('interaction_request')).toHaveLength(2);
});

test('[AGT3, DUR4] killed while a command runs: a person decides whether it runs again', async () => {
  const command = 'echo x >> runs.txt; for i in $(seq 100); do [ -e go ] && break; sleep 0.1; done; wc -l < runs.txt';
  await claude.ask('Run', { content: [call('Bash', { command })] });
  await claude.tab.answer(await prompt(), { action: 'approve' });
  await expect.poll(() => claude.files().catch(() => [])).toContain('runs.txt');
  const { seq } = claude;
  await claude.crash();
  claude.otherwise(() => ({ content: [say('Done.')] }));
  const again = await prompt(seq);
  expect(again.title).toBe('The server stopped while "Bash" was running. Run it again?');
  await claude.tab.answer(again, { action: 'deny' });
  const sent = await lastSent();
  expect(sent.at(-1)).toMatch(/^error: interrupted: The server stopped while it was running/);
  expect(claude.payloads('tool_result')).toMatchObject([{ error: { code: 'interrupted' } }]);
});

test('[AGT3, DUR2] killed while one of Parley’s tools asks: the answer reaches the model as the result of that call', async () => {
  await claude.ask('Ask me', {
    content: [say('Our tool.'), call('mcp__parley__ask_user', { question: 'What is it?' })],
  });
  const asked = await prompt();
  await claude.crash();
  claude.otherwise(() => ({ content: [say('Thanks.')] }));
  await claude.tab.submit(asked, { answer: 'sesame' });
  expect(await lastSent()).toEqual([
    'user: Ask me',
    'assistant: Our tool.',
    'assistant: mcp__parley__ask_user {"question":"What is it?"}',
    'result: {"ok":true,"answer":"sesame"}',
  ]);
});

test('[AGT3, OPS3] a server that is stopped leaves its questions open, and the model does not notice', async () => {
  claude.otherwise(() => ({ content: [say('Thanks.')] }));
  await claude.ask('Ask me', { content: [call('AskUserQuestion', { questions: [question('One?')] })] });
  const asked = await prompt();
  await claude.server.kill('SIGTERM');
  await claude.crash();
  await claude.tab.submit(asked, { answer1: 'poppy' });
  expect((await lastSent()).at(-1)).toContain('"One?"="poppy"');
  expect(claude.requests).toHaveLength(2);
  expect(claude.falseNews).toEqual([]);
});

test('[AGT3, INT11] stopped while a command runs: the command ends, and the next turn knows it', async () => {
  const command = 'echo $$ > pid.txt; for i in $(seq 600); do sleep 0.1; done';
  await claude.ask('Run', { content: [call('Bash', { command })] });
  await claude.tab.answer(await prompt(), { action: 'approve' });
  await expect.poll(() => claude.files().catch(() => [])).toContain('pid.txt');
  const { tab } = claude;
  await tab.session.cancelTurn();
  expect(await claude.end()).toMatchObject({ status: 'cancelled' });
  const pid = (await readFile(join(claude.work, 'pid.txt'), 'utf8')).trim();
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
  claude.script({ content: [say('Stopped.')] });
  const { seq } = claude;
  await claude.say('And now?');
  expect(await claude.end(seq)).toMatchObject({ status: 'completed' });
  const sent = await claude.lastSent();
  expect(sent.at(-2)).toBe('error: cancelled: The turn was stopped by a person.');
  expect(sent.at(-1)).toBe('user: And now?');
});
