import { readdir, readFile } from 'node:fs/promises';
import { say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { call, useClaudeServer } from './claude-server.ts';

const claude = useClaudeServer({ liveMs: 50 });

const done = { content: [say('Done.')] };
const prompt = async () => (await claude.tab.event('interaction_request')).payload;

/** The Claude Code processes of this session. */
async function processes(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const here = await Promise.all(
    pids.map(async (pid) => {
      const env = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return env.includes(`/sessions/${claude.tab.sessionId}/config`) ? [pid] : [];
    }),
  );
  return here.flat();
}

const isGone = () => expect.poll(processes).toEqual([]);

test('[AGT3] a question that waits long needs no process, and its answer reaches the model', async () => {
  const options = ['tea', 'coffee'].map((label) => ({ label, description: label }));
  const questions = [{ question: 'Which?', header: 'Drink', options }];
  await claude.ask('Ask me', { content: [say('A question.'), call('AskUserQuestion', { questions })] }, done);
  const asked = await prompt();
  await isGone();
  await claude.tab.submit(asked, { answer1: 'tea', notes1: 'green' });
  expect(await claude.end()).toMatchObject({ status: 'completed' });
  const sent = await claude.sent(2);
  expect(sent.slice(0, 2)).toEqual(['user: Ask me', 'assistant: A question.']);
  expect(sent.at(-1)).toMatch(/^result: .*"Which\?"="tea".*green/);
  expect(claude.requests).toHaveLength(2);
  expect(claude.falseNews).toEqual([]);
});

test('[AGT3] neither does a permission request, and the approved call runs once', async () => {
  await claude.ask('Run', { content: [call('Bash', { command: 'echo x >> n.txt; wc -l < n.txt' })] }, done);
  const asked = await prompt();
  await isGone();
  await claude.tab.answer(asked, { action: 'approve' });
  expect(await claude.end()).toMatchObject({ status: 'completed' });
  expect((await claude.sent(2)).at(-1)).toBe('result: 1');
  expect(claude.requests).toHaveLength(2);
  expect(claude.falseNews).toEqual([]);
  await isGone();
});

test('[AGT3] several calls of one message can wait without a process', async () => {
  const calls = [
    call('Bash', { command: 'echo one' + ' > 1.txt; cat 1.txt' }),
    call('mcp__parley__ask_user', { question: 'What?' }),
    call('Bash', { command: 'echo two > 2.txt; cat 2.txt' }),
  ];
  await claude.ask('All', { content: calls }, done);
  const prompts = await claude.tab.prompts(3);
  await isGone();
  for (const asked of [...prompts].reverse()) {
    if (asked.interactionType === 'input') await claude.tab.submit(asked, { answer: 'that' });
    else await claude.tab.answer(asked, { action: 'approve' });
  }
  await claude.end();
  expect((await claude.sent(2)).slice(-3)).toEqual([
    'result: one',
    'result: {"ok":true,"answer":"that"}',
    'result: two',
  ]);
  expect(claude.requests).toHaveLength(2);
  expect(claude.falseNews).toEqual([]);
});

test('[AGT3] after a stop without a live process the model learns of it in the next turn', async () => {
  await claude.ask('Run', { content: [call('Bash', { command: 'touch never.txt' })] }, done);
  await prompt();
  await isGone();
  const { tab } = claude;
  await tab.session.cancelTurn();
  const { seq } = claude;
  await claude.say('And now?');
  await claude.end(seq);
  expect((await claude.sent(2)).slice(-2)).toEqual([
    'error: cancelled: The turn was stopped by a person.',
    'user: And now?',
  ]);
});
