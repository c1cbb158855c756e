import askUser from '@parleyhq/plugin-ask-user';
import { expect, test } from 'vitest';
import { AcpStage } from './acp-stage.ts';

test('[ACP1] a form is asked as a form, and the agent gets its values', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('form');
  const prompt = await stage.tab.prompt();
  expect(prompt).toMatchObject({ interactionType: 'input', title: 'fake asks', prompt: 'Which tea?' });
  await stage.tab.submit(prompt, { tea: 'b', cups: 3 });
  expect(await stage.end(seq)).toMatchObject({ status: 'completed' });
  expect(stage.notes).toEqual(['elicited {"action":"accept","content":{"tea":"b","cups":3}}']);
});

test('[ACP1] a person who does not want to answer declines', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('form');
  await stage.tab.answer(await stage.tab.prompt(), { action: 'cancel' });
  await stage.end(seq);
  expect(stage.notes).toEqual(['elicited {"action":"decline"}']);
});

test('[REV2] what people say to a question reaches the agent with the next message', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('form');
  await stage.tab.answer(await stage.tab.prompt(), { action: 'cancel', reason: 'I drink coffee.' });
  await stage.end(seq);
  await stage.play('say:Next');
  expect(stage.prompts).toEqual(['form', 'To your question “Which tea?” a person said: I drink coffee.\n\nsay:Next']);
});

test('[ACP1] a form that asks for a secret is declined without asking', async () => {
  const stage = await AcpStage.start();
  expect(await stage.play('secret')).toMatchObject({ status: 'completed' });
  expect(stage.payloads('interaction_request')).toEqual([]);
  expect(stage.notes).toEqual(['elicited {"action":"decline"}']);
});

test('[ACP1] an address is asked as one', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('url');
  const prompt = await stage.tab.prompt();
  expect(prompt).toMatchObject({ interactionType: 'url', url: 'https://example.com/x', prompt: 'Sign in' });
  await stage.tab.answer(prompt, { action: 'approve' });
  await stage.end(seq);
  expect(stage.notes).toEqual(['elicited {"action":"accept"}']);
});

test('[ACP1, INT11] a stop closes a question, and the agent gets that nobody answered', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('form');
  await stage.tab.prompt();
  await stage.tab.session.cancelTurn();
  expect(await stage.end(seq)).toMatchObject({ status: 'cancelled' });
  await expect.poll(() => stage.notes).toEqual(expect.arrayContaining(['elicited {"action":"cancel"}']));
});

test('[ACP1] the tools of Parley are offered over MCP, and what people answer is the result', async () => {
  const stage = await AcpStage.start({ server: { plugins: [askUser] } });
  const seq = await stage.tab.say('tool:ask_human');
  const prompt = await stage.tab.prompt();
  expect(prompt).toMatchObject({ prompt: 'Which tea?', source: { kind: 'agent', name: 'fake' } });
  const field = prompt.inputSchema?.fields[0]?.id as string;
  await stage.tab.submit(prompt, { [field]: 'Green' });
  expect(await stage.end(seq)).toMatchObject({ status: 'completed' });
  expect(stage.texts.join('')).toContain('true {"ok":true,"answer":"Green"');
});

test('[ACP1] an agent that dies while one of these tools asks: the prompt closes, and the turn ends', async () => {
  const stage = await AcpStage.start({ server: { plugins: [askUser] } });
  await stage.play('pid');
  const seq = await stage.tab.say('tool:ask_human');
  await stage.tab.prompt();
  process.kill(Number(stage.texts[0]), 'SIGKILL');
  expect(await stage.end(seq)).toMatchObject({ status: 'error', error: { code: 'agent_stopped' } });
  expect(stage.payloads('interaction_closed')).toHaveLength(1);
});
