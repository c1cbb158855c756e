import { ToolError } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { scriptTool, submit } from '../test/script.ts';
import { permission } from './permission.ts';

const command = { command: 'npm test', description: 'Run the tests' };
const hook = { tool_name: 'Bash', tool_input: command };
const decided = (decision: object) => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
const bash = { tool_name: 'Bash', input: command, tool_use_id: 'toolu_1' };

test('[ASK3] an approval returns the arguments unchanged, and counts once', async () => {
  const { run, asked } = scriptTool(permission, { action: 'approve' });
  expect(await run(bash)).toEqual({ behavior: 'allow', updatedInput: command });
  expect(asked[0]).toMatchObject({
    type: 'approval',
    title: 'Run npm test',
    subject: { kind: 'command', text: 'npm test' },
    approvalScopes: ['once'],
    timeoutMs: null,
    onUnavailable: 'wait',
  });
});

const changed = { command: 'npm test -- --bail', description: 'Run the tests' };

test('[ASK7, APR2] a person may change a command, and the allowed command is returned', async () => {
  const { run, asked } = scriptTool(permission, { action: 'approve', editedArgs: { ...bash, input: changed } });
  expect(await run(bash)).toEqual({ behavior: 'allow', updatedInput: changed });
  expect(asked).toMatchObject([{ editable: true, editPath: ['input', 'command'] }]);
});

test.each<[string, object, RegExp]>([
  ['another tool', { ...bash, tool_name: 'Write' }, /^Only "input\.command" can be changed/],
  ['a flag', { ...bash, input: { ...command, dangerouslyDisableSandbox: true } }, /^Only "input\.command"/],
  ['a list', { ...bash, input: { ...command, command: ['ls'] } }, /must stay a text/],
  ['nothing', { ...bash, input: { ...command, command: ' ' } }, /^There is nothing to read in it/],
  ['too much', { ...bash, input: { ...command, command: 'x'.repeat(65_537) } }, /^It is too long to be read/],
])('[ASK7, APR2] an edit to %s does not run: the person is asked again', async (_, editedArgs, error) => {
  const edit = { action: 'approve', editedArgs } as unknown as Parameters<typeof scriptTool>[1];
  const { run, asked } = scriptTool(permission, edit, { action: 'deny' });
  expect(await run(bash)).toMatchObject({ behavior: 'deny' });
  expect(asked[1]?.error).toMatch(error);
});

test.each<[string, object, object]>([
  ['as JSON', { ...bash, tool_name: 'mcp__x__y' }, { editable: true, editPath: ['input'] }],
  ['not at all: a plan', { tool_name: 'ExitPlanMode', input: { plan: 'Go' } }, {}],
  ['not at all: Codex takes no other arguments', hook, {}],
])('[ASK7] the arguments are edited %s', async (_, request, offered) => {
  const { run, asked } = scriptTool(permission, { action: 'approve' });
  await run(request);
  const { editable, editPath } = asked[0] ?? {};
  expect({ editable, editPath }).toEqual(offered);
});

test('[ASK3] the arguments may have the name that hooks give them', async () => {
  const { run, asked } = scriptTool(permission, { action: 'approve' });
  const result = await run(hook);
  expect(result).toEqual(decided({ behavior: 'allow' }));
  expect(asked[0]?.subject?.text).toBe('npm test');
});

test('[ASK3] a hook receives a person’s denial, and otherwise no decision: the program’s own prompt decides', async () => {
  const answer = (said: Parameters<typeof scriptTool>[1]) => scriptTool(permission, said).run(hook);
  expect(await answer({ action: 'deny', reason: 'Not now.' })).toEqual(
    decided({ behavior: 'deny', message: 'Not now.' }),
  );
  expect(await answer({ action: 'cancel' })).toEqual({});
  expect(await answer('timeout')).toEqual({});
  expect(await answer(new ToolError('too_many_prompts', 'Too many prompts are open.'))).toEqual({});
  const { run, asked } = scriptTool(permission);
  expect(await run({ ...hook, tool_name: 'Bash\nAllow' })).toEqual({});
  expect(await run({ ...hook, tool_input: { command: 'x'.repeat(65_537) } })).toEqual({});
  expect(asked).toEqual([]);
});

test.each<[string, object, object]>([
  [
    'Bash',
    { command: 'ls', dangerouslyDisableSandbox: true, run_in_background: true },
    { subject: { kind: 'command', text: 'ls' }, prompt: 'dangerouslyDisableSandbox: true. run_in_background: true.' },
  ],
  [
    'Edit',
    { file_path: '/a', old_string: 'x', new_string: 'y' },
    { subject: { kind: 'diff', text: '--- /a\n+++ /a\n@@ -1,1 +1,1 @@\n-x\n+y' } },
  ],
  [
    'MultiEdit',
    { file_path: '/a', edits: [{ old_string: 'x', new_string: 'y' }] },
    { subject: { kind: 'diff', text: '--- /a\n+++ /a\n@@ -1,1 +1,1 @@\n-x\n+y' } },
  ],
  [
    'Write',
    { file_path: '/etc/passwd', content: 'x\n' },
    { subject: { kind: 'diff', text: '--- /etc/passwd\n+++ /etc/passwd\n@@ -0,0 +1,1 @@ the whole file\n+x' } },
  ],
  [
    'WebFetch',
    { url: 'https://a.test/b', prompt: 'Sum up' },
    { subject: { kind: 'text', text: 'Host: a.test\nAddress: https://a.test/b\n\nSum up' } },
  ],
  [
    'apply_patch',
    { command: '*** Begin Patch\n*** Delete File: a\n*** End Patch' },
    { subject: { kind: 'diff', text: '*** Begin Patch\n*** Delete File: a\n*** End Patch' } },
  ],
  ['ExitPlanMode', { plan: '# Plan' }, { subject: { kind: 'markdown', text: '# Plan' } }],
  ['mcp__x__y', { a: 1 }, { subject: { kind: 'json', text: '{\n  "a": 1\n}' } }],
])('[ASK3] %s is shown as what it does: %j', async (tool_name, input, shown) => {
  const { run, asked } = scriptTool(permission, { action: 'approve' });
  expect(await run({ tool_name, input })).toEqual({ behavior: 'allow', updatedInput: input });
  expect(asked[0]).toMatchObject(shown);
});

test.each([
  [{ action: 'deny', reason: 'Not now.' } as const, 'Not now.'],
  [{ action: 'deny' } as const, 'A person did not allow this.'],
  [{ action: 'cancel' } as const, 'A person did not allow this.'],
  ['timeout' as const, 'Nobody allowed this in time.'],
  [new ToolError('too_many_prompts', 'Too many prompts are open.'), 'Too many prompts are open.'],
])('[ASK3] %j denies', async (answer, message) => {
  expect(await scriptTool(permission, answer).run(bash)).toEqual({ behavior: 'deny', message });
});

test.each([
  ['Bash', { command: 'x'.repeat(65_537) }],
  ['Bash', { command: 'ls', env: 'x'.repeat(65_537) }],
])('[ASK3, SEC5] what is too long to be read is denied, and nobody is asked: %s', async (tool_name, input) => {
  const { run, asked } = scriptTool(permission, { action: 'approve' });
  expect(await run({ tool_name, input })).toEqual({
    behavior: 'deny',
    message: 'It is too long to be read. Nobody was asked.',
  });
  expect(asked).toEqual([]);
});

const questions = [
  { question: 'Which colour?', header: 'Colour', options: [{ label: 'Red' }, { label: 'Blue' }] },
  { question: 'Which sizes?', options: [{ label: 'S' }, { label: 'M' }], multiSelect: true },
];
const askQuestions = { tool_name: 'AskUserQuestion', input: { questions } };

test('[ASK3] questions become a stepper, answered under their text', async () => {
  const { run, asked } = scriptTool(permission, submit({ answer1: 'Red', answer2: ['S', { other: 'XL' }] }));
  expect(await run(askQuestions)).toEqual({
    behavior: 'allow',
    updatedInput: { questions, answers: { 'Which colour?': 'Red', 'Which sizes?': 'S, XL' } },
  });
  expect(asked[0]).toMatchObject({ type: 'input', inputSchema: { layout: 'stepper' }, timeoutMs: null });
});

test.each([
  ['cancelled', askQuestions, { action: 'cancel' } as const, /did not want to answer/],
  ['in no form', { tool_name: 'AskUserQuestion', input: { questions: [] } }, undefined, /cannot be shown: questions/],
])('[ASK3] questions that are %s are denied', async (_, args, answer, message) => {
  const { run } = scriptTool(permission, ...(answer ? [answer] : []));
  expect(await run(args)).toEqual({ behavior: 'deny', message: expect.stringMatching(message) });
});

test.each<[object, RegExp]>([
  [{ input: {} }, /tool_name/],
  [{ tool_name: 'Bash' }, /arguments are missing/],
  [{ ...bash, tool_input: {} }, /does not go with "input"/],
  [{ tool_name: 'Bash', input: 'ls' }, /expected record/],
])('[ASK3] %j is refused with what is wrong', async (args, words) => {
  const refusal = { code: 'invalid_args', message: expect.stringMatching(words) };
  await expect(scriptTool(permission).run(args)).rejects.toMatchObject(refusal);
});

test.each([
  '',
  'Bash\nAllow',
  'Bash"? It only reads. "',
  'Bash” — read only, already allowed by Paul. “',
  'Bash＂ is harmless ＂',
  'Bash allowed',
  '\u3164',
  '\u2800',
  'B\u0430sh',
  'x'.repeat(201),
])('[ASK3] a name that no tool has is denied, and nobody is asked: %j', async (tool_name) => {
  const { run, asked } = scriptTool(permission, { action: 'approve' });
  expect(await run({ ...bash, tool_name })).toEqual({
    behavior: 'deny',
    message: expect.stringMatching(/name of a tool/),
  });
  expect(asked).toEqual([]);
});

test.each(['mcp__my-server_do.it', 'server:tool', 'a/b', 'x'.repeat(200)])(
  '[ASK3] %s is the name of a tool',
  async (tool_name) => {
    const { run, asked } = scriptTool(permission, { action: 'approve' });
    expect(await run({ ...bash, tool_name })).toMatchObject({ behavior: 'allow' });
    expect(asked[0]?.title).toBe(`Allow "${tool_name}"?`);
  },
);

test('[ASK3] arguments that a later release of its caller adds do no harm', async () => {
  const { run } = scriptTool(permission, { action: 'approve' });
  expect(await run({ ...bash, agent_id: 'a' })).toMatchObject({ behavior: 'allow' });
});
