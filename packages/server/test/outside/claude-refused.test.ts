import { beforeEach, expect, test } from 'vitest';
import { ClaudeHooks, undecided } from '../support/claude-hooks.ts';
import type { Tab } from '../support/tab.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({ args: [] });

let claude: ClaudeHooks;
let tab: Tab;
beforeEach(async () => {
  [claude, tab] = await Promise.all([ClaudeHooks.at(server), server.open({ hello: { token: server.ready.token } })]);
});

const use = { tool_name: 'Bash', tool_input: { command: 'rm -rf /tmp/x', description: 'Clean up' } };
const reason = '[Irreversible Local Destruction]';
const refuse = (part: object = {}) => claude.hook('PermissionDenied', { ...use, tool_use_id: 't1', reason, ...part });
const retry = { status: 200, body: { hookSpecificOutput: { hookEventName: 'PermissionDenied', retry: true } } };
const passed = {
  status: 200,
  body: {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      permissionDecisionReason: 'A person let this call pass once.',
    },
  },
};

test('[ACP4] a call that the automatic mode refused is asked about, and a yes lets exactly it pass once', async () => {
  await claude.announce('t1', use);
  const asking = refuse();
  const { session, prompt } = await claude.prompt(tab);
  expect(prompt).toMatchObject({
    interactionType: 'approval',
    title: 'Auto mode refused: Run rm -rf /tmp/x. Let it try once?',
    prompt: expect.stringContaining(reason),
    subject: { kind: 'command', text: 'rm -rf /tmp/x' },
    risk: 'high',
    approvalScopes: ['once'],
  });
  await tab.answer(session.id, prompt, { action: 'approve' });
  expect(await asking).toEqual(retry);
  const other = { ...use, tool_input: { command: 'rm -rf /tmp/y' } };
  expect(await claude.announce('t2', other)).toEqual(undecided);
  expect(await claude.announce('t3', { ...use, agent_id: 'a1' })).toEqual(undecided);
  expect(await claude.another().announce('t4', use)).toEqual(undecided);
  expect(await claude.announce('t5', use)).toEqual(passed);
  expect(await claude.announce('t6', use)).toEqual(undecided);
});

test('[ACP4] in another folder or mode, or after the end of the turn, the same words are another call', async () => {
  const letPass = async (part: object) => {
    const asking = refuse(part);
    const { session, prompt } = await claude.prompt(tab, ({ interactionId }) => !known.has(interactionId));
    known.add(prompt.interactionId);
    await tab.answer(session.id, prompt, { action: 'approve' });
    expect(await asking).toEqual(retry);
  };
  const known = new Set<string>();
  await letPass({ cwd: '/projects/shop', permission_mode: 'auto' });
  expect(await claude.announce('t2', { ...use, cwd: '/projects', permission_mode: 'auto' })).toEqual(undecided);
  expect(await claude.announce('t3', { ...use, permission_mode: 'plan' })).toEqual(undecided);
  await claude.hook('Stop');
  expect(await claude.announce('t4', { ...use, permission_mode: 'auto' })).toEqual(undecided);
});

test('[ACP4] members that JavaScript hides are members of the call', async () => {
  const asking = refuse({ tool_input: { command: 'ls' } });
  const { session, prompt } = await claude.prompt(tab);
  await tab.answer(session.id, prompt, { action: 'approve' });
  expect(await asking).toEqual(retry);
  const hook = {
    ...claude.common,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_use_id: 't2',
    tool_input: 'X',
  };
  const hidden = '{"command":"ls","__proto__":{"dangerouslyDisableSandbox":true}}';
  expect(await claude.post(JSON.stringify(hook).replace('"X"', hidden))).toEqual(undecided);
});

test('[ACP4] a pass is lost with the server that gave it, and the terminal decides', async () => {
  const asking = refuse();
  const { session, prompt } = await claude.prompt(tab);
  await tab.answer(session.id, prompt, { action: 'approve' });
  expect(await asking).toEqual(retry);
  await server.restart();
  expect(await claude.through(server.httpUrl).announce('t2', use)).toEqual(undecided);
});

test.each([['deny'], ['cancel']])('[ACP4] a %s leaves the refusal as it is', async (action) => {
  const asking = refuse();
  const { session, prompt } = await claude.prompt(tab);
  await tab.answer(session.id, prompt, { action });
  expect(await asking).toEqual(undecided);
  expect(await claude.announce('t2', use)).toEqual(undecided);
});

test('[ACP4] what it does not call irreversible is of medium risk', async () => {
  const asking = refuse({ reason: '[Data Exfiltration]' });
  const { session, prompt } = await claude.prompt(tab);
  expect(prompt.risk).toBe('medium');
  await tab.answer(session.id, prompt, { action: 'deny' });
  expect(await asking).toEqual(undecided);
});

test('[ACP4] the end of the turn closes the card, and nothing passes', async () => {
  const asking = refuse();
  const { prompt } = await claude.prompt(tab);
  expect(prompt.toolName).toBe('claude_refused');
  await claude.hook('Stop');
  expect(await asking).toEqual(undecided);
  expect(await claude.announce('t2', use)).toEqual(undecided);
});
