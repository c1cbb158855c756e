import type { ChatEvent } from '@parleyhq/core';
import { beforeEach, describe, expect, test } from 'vitest';
import { ClaudeHooks, decision, undecided } from '../support/claude-hooks.ts';
import { startServer, useServer } from '../support/use-server.ts';

const server = useServer({ args: ['--config', 'docs/examples/claude-policies.config.json'] });
const enter = () => server.open({ hello: { token: server.ready.token } });

let claude: ClaudeHooks;
beforeEach(async () => {
  claude = await ClaudeHooks.at(server);
});

const bash = (command: string) => ({ tool_name: 'Bash', tool_input: { command } });
const judged = (permissionDecision: string) => ({
  status: 200,
  body: {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision,
      permissionDecisionReason: expect.any(String),
    },
  },
});

describe('policies', () => {
  test.each([
    [bash('cd shop && git push origin'), judged('ask')],
    [bash('make deploy'), judged('ask')],
    [{ tool_name: 'mcp__shop__refund', tool_input: { order: 7 } }, judged('ask')],
    [{ tool_name: 'Write', tool_input: { file_path: '/etc/hosts', content: '' } }, judged('deny')],
    [{ tool_name: 'Write', tool_input: { file_path: '../../etc/hosts', content: '' } }, judged('deny')],
    [bash('git status'), undecided],
    [{ tool_name: 'Write', tool_input: { file_path: '/projects/shop/etc', content: '' } }, undecided],
  ])('[ACP4, APR3] %j before it runs, in every mode', async (use, answer) => {
    for (const permission_mode of ['auto', 'bypassPermissions'])
      expect(await claude.announce('t1', { ...use, permission_mode })).toEqual(answer);
  });

  test.each([
    ['mcp__shop__refund', '{"order": 1234567890123456789}', judged('ask')],
    ['Write', `{"file_path": "/etc/hosts", "more": ${'['.repeat(500)}${']'.repeat(500)}}`, judged('deny')],
    ['Bash', '{"command": "ls", "timeout": 1e999}', { status: 400 }],
  ])('[ACP4, FRM1] also if the call of %s cannot be read', async (tool_name, input, answer) => {
    const hook = { ...claude.common, hook_event_name: 'PreToolUse', tool_name, tool_use_id: 't1', tool_input: 'input' };
    expect(await claude.post(JSON.stringify(hook).replace('"input"', input))).toMatchObject(answer);
  });

  test('[ACP4] what a policy asks about is asked here and in the terminal at once', async () => {
    const tab = await enter();
    const use = bash('git push');
    expect(await claude.announce('t1', use)).toEqual(judged('ask'));
    const asking = claude.ask(use);
    const { session, prompt } = await claude.prompt(tab);
    await tab.answer(session.id, prompt, { action: 'approve' });
    expect(await asking).toMatchObject({ body: { hookSpecificOutput: { decision: { behavior: 'allow' } } } });
  });

  test('[ACP4] a call that a person lets pass once passes a policy that asks, and none that denies', async () => {
    const tab = await enter();
    for (const [use, answer] of [
      [bash('git push'), judged('allow')],
      [{ tool_name: 'Write', tool_input: { file_path: '/etc/hosts', content: '' } }, judged('deny')],
    ] as const) {
      const other = claude.another();
      const refused = other.hook('PermissionDenied', { ...use, tool_use_id: 't1', reason: 'Risky' });
      const { session, prompt } = await other.prompt(tab);
      await tab.answer(session.id, prompt, { action: 'approve' });
      await refused;
      expect(await other.announce('t2', use)).toEqual(answer);
    }
  });

  const write = (file_path: string) => ({ tool_name: 'Write', tool_input: { file_path, content: 'x' } });
  const refusal = decision({ behavior: 'deny', message: expect.stringContaining('policy') });

  test('[ACP4, APR3] a person cannot edit a call into one that a policy denies', async () => {
    const tab = await enter();
    const use = write('/tmp/hosts');
    await claude.announce('t1', use);
    const asking = claude.ask(use);
    const { session, prompt } = await claude.prompt(tab);
    const editedArgs = { tool_name: 'Write', tool_use_id: 't1', input: write('../../etc/hosts').tool_input };
    await tab.answer(session.id, prompt, { action: 'approve', editedArgs });
    expect(await asking).toEqual({ status: 200, body: refusal });
    const shown = await tab.event(session.id, 'tool_call', ({ payload }) => payload.toolName === 'tell_human');
    expect(shown.payload.args).toMatchObject({ text: expect.stringContaining('did not run') });
  });

  test('[ACP4, APR3] a call that a policy denies asks nobody, also if nothing announced it', async () => {
    expect(await claude.ask(write('/etc/hosts'))).toEqual({ status: 200, body: refusal });
  });
});

describe('Elicitation', () => {
  const properties = { colour: { type: 'string', enum: ['red', 'blue'] }, many: { type: 'boolean' } };
  const form = {
    mcp_server_name: 'paint',
    message: 'Which colour?',
    mode: 'form',
    requested_schema: { type: 'object', properties, required: ['colour'] },
  };
  const elicited = (answer: object) => ({
    status: 200,
    body: { hookSpecificOutput: { hookEventName: 'Elicitation', ...answer } },
  });

  test('[ACP4] it is a form, whose values go to the MCP server', async () => {
    const tab = await enter();
    const asking = claude.hook('Elicitation', form);
    const { session, prompt } = await claude.prompt(tab);
    expect(prompt).toMatchObject({ interactionType: 'input', title: 'The MCP server “paint” asks' });
    expect(prompt.prompt).toContain('Which colour?');
    await tab.answer(session.id, prompt, { action: 'submit', input: { colour: 'blue' } });
    expect(await asking).toEqual(elicited({ action: 'accept', content: { colour: 'blue', many: false } }));
  });

  test('[ACP4] a cancel declines it', async () => {
    const tab = await enter();
    const asking = claude.hook('Elicitation', form);
    const { session, prompt } = await claude.prompt(tab);
    await tab.answer(session.id, prompt, { action: 'cancel' });
    expect(await asking).toEqual(elicited({ action: 'decline' }));
  });

  test('[ACP4] an address is shown, and a yes accepts it', async () => {
    const tab = await enter();
    const url = 'https://paint.example/sign-in';
    const asking = claude.hook('Elicitation', { ...form, mode: 'url', url, elicitation_id: 'e1' });
    const { session, prompt } = await claude.prompt(tab);
    expect(prompt).toMatchObject({ interactionType: 'url', url });
    await tab.answer(session.id, prompt, { action: 'approve' });
    expect(await asking).toEqual(elicited({ action: 'accept' }));
  });

  test('[ACP4] if nobody is there, the terminal asks', async () => {
    const lonely = await ClaudeHooks.at(await startServer({ args: [] }));
    expect(await lonely.hook('Elicitation', form)).toEqual(undecided);
  });

  test('[ACP4] what no form can show is asked in the terminal', async () => {
    await enter();
    const properties = { password: { type: 'string' } };
    const secret = { ...form, requested_schema: { type: 'object', properties } };
    expect(await claude.hook('Elicitation', secret)).toEqual(undecided);
    expect(await claude.hook('Elicitation', { ...form, mode: 'voice' })).toEqual(undecided);
  });

  test('[ACP4] without a terminal it waits for people, until Claude Code stops', async () => {
    claude.headers = { 'claude-entrypoint': 'sdk-cli' };
    const asking = claude.hook('Elicitation', form);
    const stopped = claude.hook('Elicitation', form);
    const tab = await enter();
    const { session, prompt } = await claude.prompt(tab);
    expect(prompt.timeoutMs).toBeUndefined();
    await tab.answer(session.id, prompt, { action: 'submit', input: { colour: 'red' } });
    await claude.prompt(tab, ({ interactionId }) => interactionId !== prompt.interactionId);
    await claude.hook('Stop');
    const answers = await Promise.all([asking, stopped]);
    expect(answers).toContainEqual(elicited({ action: 'accept', content: { colour: 'red', many: false } }));
    expect(answers).toContainEqual(undecided);
  });
});

describe('news', () => {
  const note = (message: string, notification_type: string) =>
    claude.hook('Notification', { message, notification_type });
  const end = (agent_id: string) =>
    claude.hook('SubagentStop', { agent_id, agent_type: 'Explore', last_assistant_message: 'Found it.' });

  test('[ACP4] the session shows what Claude Code waits for in its terminal, and which sub-agents have ended', async () => {
    const tab = await enter();
    await end('a0');
    await note(`Claude is waiting for your input${' '.repeat(20_000)}`, 'idle_prompt');
    await note('Signed in', 'auth_success');
    const asking = claude.ask();
    const { session, prompt } = await claude.prompt(tab);
    await note('Claude needs your permission', 'permission_prompt');
    for (const agent of ['a1', 'a1', 'a2']) await end(agent);
    await tab.answer(session.id, prompt, { action: 'deny' });
    await asking;
    await note('Claude needs your permission', 'permission_prompt');
    const ended = { text: 'The sub-agent “Explore” has ended:\n\nFound it.' };
    const isLast = ({ payload }: ChatEvent<'tool_call'>) => JSON.stringify(payload.args).includes('needs');
    await tab.event(session.id, 'tool_call', isLast, (await tab.event(session.id, 'tool_result')).seq);
    const calls = tab.events(session.id).filter((event) => event.type === 'tool_call');
    expect(calls.filter(({ payload }) => payload.toolName === 'tell_human').map(({ payload }) => payload.args)).toEqual(
      [
        { text: 'In the terminal: Claude is waiting for your input' },
        ended,
        ended,
        { text: 'In the terminal: Claude needs your permission' },
      ],
    );
  });
});
