import type { InteractionRequest } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { AcpStage } from './acp-stage.ts';

test('[ACP1] a permission is an approval with the command, and its options in the words of the agent', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('ask:touch_a');
  const prompt = await stage.tab.prompt();
  expect(prompt).toMatchObject({
    interactionType: 'approval',
    title: 'fake: touch a',
    subject: { kind: 'command', text: 'touch a' },
    prompt: expect.stringContaining('“Allow” answers “Yes, this once”. “Deny” answers “No, thanks”.'),
    approvalScopes: ['once'],
    rules: [
      {
        label: 'this with the answer “Always, everywhere” (this lasts: fake remembers it)',
        scopes: ['always'],
        keptByCaller: true,
      },
    ],
  });
  await stage.tab.answer(prompt, { action: 'approve' });
  expect(await stage.end(seq)).toMatchObject({ status: 'completed' });
  expect(stage.notes).toEqual(['permission once']);
  expect(stage.payloads('tool_result')).toMatchObject([{ result: 'done' }]);
});

test.each([
  ['a lasting yes', { action: 'approve', approvalScope: 'always', ruleId: '0' }, 'always'],
  ['a no', { action: 'deny', reason: 'Not today.' }, 'no'],
  ['a cancel', { action: 'cancel' }, 'no'],
] as const)('[ACP1] %s is the option of that kind', async (_, answer, chosen) => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('ask');
  await stage.tab.answer(await stage.tab.prompt(), answer);
  await stage.end(seq);
  expect(stage.notes).toEqual([`permission ${chosen}`]);
});

test('[ACP1] the reason of a no reaches the agent with the next message', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('ask:rm_x');
  await stage.tab.answer(await stage.tab.prompt(), { action: 'deny', reason: 'Keep it.' });
  await stage.end(seq);
  expect(stage.payloads('tool_result')).toMatchObject([{ error: { code: 'denied', message: 'Keep it.' } }]);
  await stage.play('say:Next');
  await stage.play('say:Last');
  expect(stage.prompts).toEqual(['ask:rm_x', '“rm x” was not allowed: Keep it.\n\nsay:Next', 'say:Last']);
});

test('[ACP1, REV2] so do the reason of a yes and its comments, each with what it was said to', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('two');
  const second = await stage.tab.prompt();
  const annotations = [{ lines: [1, 1] as [number, number], quote: 'second', comment: 'Not that.' }];
  await stage.tab.answer(second, { action: 'deny', annotations });
  await stage.tab.answer(await stage.tab.prompt(), { action: 'approve', reason: 'Only this one.' });
  await stage.end(seq);
  await stage.play('say:Next');
  const [, next = ''] = stage.prompts;
  expect(next).toContain('“first” was allowed: Only this one.');
  expect(next).toMatch(/“second” was not allowed: .*second.*Not that\./s);
});

test('[ACP1] a change is shown as a diff, also if the request does not repeat it', async () => {
  const stage = await AcpStage.start();
  await stage.tab.say('diff');
  expect(await stage.tab.prompt()).toMatchObject({
    title: 'fake: Edit a.txt',
    subject: { kind: 'diff', text: '--- /w/a.txt\n+++ /w/a.txt\n@@ -2,1 +2,1 @@\n-two\n+2' },
  });
});

test('[ACP1, REV3] each plan is a version of the last one, whatever its title', async () => {
  const stage = await AcpStage.start();
  await stage.tab.say('leave:Build');
  expect(await stage.tab.prompt()).toMatchObject({
    title: 'fake: Plan 5',
    subject: { kind: 'markdown', text: 'Build', thread: 'plan' },
  });
});

test('[ACP1] several options for once are a choice, whose answer is the one that was chosen', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('choice');
  const prompt = await stage.tab.prompt();
  expect(prompt.inputSchema?.fields).toMatchObject([{ options: [{ label: 'Yes, slowly' }, { label: 'Yes, fast' }] }]);
  await stage.tab.submit(prompt, { choice: '1' });
  expect(await stage.end(seq)).toMatchObject({ status: 'completed' });
  expect(stage.notes).toEqual(['permission b']);
});

test.each([
  ['a no', { action: 'cancel', reason: 'Keep it dry.' }, 'not allowed: Keep it dry.'],
  ['a yes', { action: 'submit', input: { choice: '0' } }, 'allowed: '],
] as const)(
  '[REV2] what people say to a choice with %s reaches the agent with the next message',
  async (_, answer, said) => {
    const stage = await AcpStage.start();
    const seq = await stage.tab.say('choice');
    const annotations = [{ lines: [1, 1] as [number, number], quote: 'pour', comment: 'Not too much.' }];
    await stage.tab.answer(await stage.tab.prompt(), { ...answer, annotations });
    await stage.end(seq);
    await stage.play('say:Next');
    expect(stage.prompts[1]).toContain(`was ${said}`);
    expect(stage.prompts[1]).toMatch(/> pour\n\nNot too much\.\n\nsay:Next$/);
  },
);

test('[ACP1] without an option that says no, a no cancels the request', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('choice');
  await stage.tab.answer(await stage.tab.prompt(), { action: 'cancel' });
  await stage.end(seq);
  expect(stage.notes).toEqual(['permission cancelled']);
});

test('[TEAM3, ACP1] where two people decide, a choice of several options is a no', async () => {
  const stage = await AcpStage.start({ server: { policies: [{ tool: 'execute', decide: { approve: 2 } }] } });
  await stage.play('choice');
  expect(stage.payloads('interaction_request')).toEqual([]);
  expect(stage.payloads('tool_result')).toMatchObject([{ error: { code: 'not_supported' } }]);
  expect(stage.notes).toEqual(['permission cancelled']);
});

test('[ACP1, APR6] no mode gives an answer that lasts, also if no other allows: an operator chooses it', async () => {
  const modes = {
    currentModeId: 'ask',
    availableModes: [
      { id: 'ask', name: 'Ask first' },
      { id: 'edits', name: 'Edits' },
    ],
  };
  const stage = await AcpStage.start({ fake: { modes }, entry: { modes: { default: 'ask', acceptEdits: 'edits' } } });
  await stage.tab.client.setPermissionMode(stage.tab.sessionId, 'acceptEdits');
  const seq = await stage.tab.say('lasting');
  const ended = stage.end(seq);
  const prompt = await Promise.race([stage.tab.prompt(), ended.then(() => undefined)]);
  expect(prompt).toMatchObject({ interactionType: 'input', audience: { role: 'operator' } });
  if (prompt) await stage.tab.submit(prompt, { choice: '0' });
  await ended;
  expect(stage.notes).toEqual(['permission ever']);
});

test('[ACP1] an option of an unknown kind is left out', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('odd');
  const prompt = await stage.tab.prompt();
  expect(prompt.rules).toHaveLength(1);
  await stage.tab.answer(prompt, { action: 'approve' });
  await stage.end(seq);
  expect(stage.notes).toEqual(['permission once']);
});

test('[ACP1] a request for a call that was never announced, and requests in another order, are asked', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('unheard two');
  const asked: InteractionRequest[] = [];
  for (const title of ['fake: rm b', 'fake: second', 'fake: first']) {
    const prompt = await stage.tab.prompt();
    expect(prompt.title).toBe(title);
    await stage.tab.answer(prompt, { action: 'approve' });
    asked.push(prompt);
  }
  expect(await stage.end(seq)).toMatchObject({ status: 'completed' });
  expect(stage.notes).toEqual(['permission once', 'permission once', 'permission once']);
});

test('[ACP1] a call that was refused and is asked about again is asked again', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('again');
  await stage.tab.answer(await stage.tab.prompt(), { action: 'deny' });
  await stage.tab.answer(await stage.tab.prompt(), { action: 'approve' });
  expect(await stage.end(seq)).toMatchObject({ status: 'completed' });
  expect(stage.notes).toEqual(['permission no', 'permission once']);
});

test('[ACP1] a call inside another one that has not ended is asked about', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('inner');
  const prompt = await stage.tab.prompt();
  expect(prompt).toMatchObject({ title: 'fake: inside', source: { kind: 'agent', name: 'fake' } });
  await stage.tab.answer(prompt, { action: 'approve' });
  expect(await stage.end(seq)).toMatchObject({ status: 'completed' });
});

test('[ACP1] a request that the agent takes back closes its prompt', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('takeback');
  await stage.tab.prompt();
  expect(await stage.end(seq)).toMatchObject({ status: 'completed' });
  expect(stage.payloads('interaction_closed')).toMatchObject([{ reason: 'withdrawn' }]);
});

test('[ACP1, APR3] a policy that denies a call answers its request with no', async () => {
  const stage = await AcpStage.start({ server: { policies: [{ tool: 'execute', effect: 'deny' }] } });
  await stage.play('ask');
  expect(stage.payloads('interaction_request')).toEqual([]);
  expect(stage.notes).toEqual(['permission no']);
});

test('[ACP1] an agent that dies while it asks: the prompt closes as orphaned', async () => {
  const stage = await AcpStage.start();
  await stage.play('pid');
  const seq = await stage.tab.say('ask');
  await stage.tab.prompt();
  process.kill(Number(stage.texts[0]), 'SIGKILL');
  expect(await stage.end(seq)).toMatchObject({ status: 'error', error: { code: 'agent_stopped' } });
  expect(stage.payloads('interaction_closed')).toMatchObject([{ reason: 'orphaned' }]);
  expect(stage.payloads('tool_result')).toMatchObject([{ error: { code: 'orphaned' } }]);
  expect(await stage.play('say:Back')).toMatchObject({ status: 'completed' });
  expect(stage.notes).toEqual(['resumed']);
});

test('[ACP1] a server that stops while an agent asks: the prompt closes as orphaned, and nothing runs twice', async () => {
  const stage = await AcpStage.start();
  const seq = await stage.tab.say('ask');
  await stage.tab.prompt();
  await stage.server.restart();
  expect(await stage.end(seq)).toMatchObject({ status: 'error', error: { code: 'agent_stopped' } });
  expect(stage.payloads('interaction_closed')).toMatchObject([{ reason: 'orphaned' }]);
  expect(stage.prompts).toEqual(['ask']);
  expect(await stage.play('say:Back')).toMatchObject({ status: 'completed' });
  expect(stage.notes.at(-1)).toBe('resumed');
});
