import { expect, test } from 'vitest';
import type { Card } from './card.ts';
import { readChanges } from './changes.ts';
import { readQuestion } from './question.ts';

const place = { threadId: 't', turnId: 'u', itemId: 'call_1', startedAtMs: 1, environmentId: 'local' };
const amendment = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['touch', 'a.txt'] } };
const command = {
  ...place,
  kind: 'command',
  reason: 'May I make a file?',
  command: "/bin/bash -lc 'touch a.txt'",
  cwd: '/p',
  commandActions: [{ type: 'unknown', command: 'touch a.txt' }],
  proposedExecpolicyAmendment: ['touch', 'a.txt'],
  availableDecisions: ['accept', amendment, 'cancel'],
};
const commandMethod = 'item/commandExecution/requestApproval';
const changeMethod = 'item/fileChange/requestApproval';

function readCard(method: string, params: object, changes?: unknown) {
  const question = readQuestion(method, params as never, readChanges({ changes }));
  const card = question?.asking.kind === 'approval' ? question.asking.card : undefined;
  const results = Object.fromEntries(
    (card?.choices ?? []).map(({ id, means }) => [means, question?.read({ choice: id })]),
  );
  return { question, card: card as Card, results };
}

test('[ACP5] a command is shown whole with its folder and reason; each choice is the decision that Codex offered', () => {
  const { question, card, results } = readCard(commandMethod, command);
  expect(card).toMatchObject({
    title: 'Run touch a.txt',
    subject: { kind: 'command', text: "/bin/bash -lc 'touch a.txt'\n# in /p" },
    details: ['“May I make a file?”'],
  });
  expect(results).toEqual({
    once: { decision: 'accept' },
    always: { decision: amendment },
    decline: { decision: 'decline' },
    cancel: { decision: 'cancel' },
  });
  for (const answer of [{}, { choice: 'acceptForSession' }, { choice: 5 }, { decision: 'accept' }])
    expect(question?.read(answer)).toBeUndefined();
});

test('[ACP5] input to a running terminal is shown whole', () => {
  const input = { command: "write_stdin --session-id 7 'yes\n'", availableDecisions: ['accept', 'cancel'] };
  const { card, results } = readCard(commandMethod, { ...command, ...input, kind: 'writeStdin', approvalId: 'call_2' });
  expect(card.title).toBe('Send input to a running terminal');
  expect(card.subject).toEqual({ kind: 'command', text: "write_stdin --session-id 7 'yes\n'\n# in /p" });
  expect(Object.keys(results)).toEqual(['once', 'cancel', 'decline']);
});

test('[ACP5, APR7] amendments are rules in exact words, and lasting denials are left to the terminal', () => {
  const rule = (action: string) => ({
    applyNetworkPolicyAmendment: { network_policy_amendment: { host: 'example.org', action } },
  });
  const { card } = readCard(commandMethod, {
    ...command,
    networkApprovalContext: { host: 'example.org', protocol: 'https' },
    availableDecisions: ['accept', 'acceptForSession', rule('allow'), rule('deny'), 'cancel'],
  });
  expect(card.title).toBe('Connect to example.org');
  expect(card.subject.text).toContain('protocol: https');
  expect(card.choices.map(({ means, label }) => [means, label])).toEqual([
    ['once', undefined],
    ['session', 'every connection to `example.org`'],
    ['always', 'every connection to `example.org`, kept in Codex’s own rules for all sessions'],
    ['cancel', undefined],
    ['decline', undefined],
  ]);
  expect(card.details).toContain('Codex’s terminal can also deny example.org for good.');
});

test.each([
  ['it has a character that hides others', ['touch\u202e', 'a']],
  ['it has a quotation mark of the label', ['touch`']],
  ['it is longer than people read', ['x'.repeat(400)]],
  ['it is not a list of words', 'touch'],
  ['it is empty', []],
])('[ACP5, APR7] an amendment is not offered if %s', (_, words) => {
  const odd = { acceptWithExecpolicyAmendment: { execpolicy_amendment: words } };
  const { results } = readCard(commandMethod, { ...command, availableDecisions: ['accept', odd] });
  expect(Object.keys(results)).toEqual(['once', 'decline']);
});

test('[ACP5] decisions that are not known are not offered', () => {
  const odd = ['accept', 'acceptAll', { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['a'], more: 1 } }, 7];
  expect(Object.keys(readCard(commandMethod, { ...command, availableDecisions: odd }).results)).toEqual([
    'once',
    'decline',
  ]);
  expect(Object.keys(readCard(commandMethod, { ...command, availableDecisions: null }).results)).toEqual([
    'once',
    'decline',
    'cancel',
  ]);
});

test('[ACP5] what widens a command is shown', () => {
  const additionalPermissions = { network: { enabled: true }, fileSystem: null };
  const { card } = readCard(commandMethod, { ...command, additionalPermissions, environmentId: 'cloud', later: 'x' });
  expect(card.details.slice(1)).toEqual([
    'Environment: cloud',
    `additionalPermissions: ${JSON.stringify(additionalPermissions)}`,
    'later: "x"',
  ]);
});

test.each([
  ['another kind of approval', commandMethod, { ...command, kind: 'humanCommand' }],
  ['neither a command nor a host', commandMethod, { ...command, command: null }],
  ['permissions that are no object', 'item/permissions/requestApproval', { ...place, permissions: [] }],
  ['questions without an id', 'item/tool/requestUserInput', { ...place, questions: [{ question: 'Which?' }] }],
  [
    'two questions of one id',
    'item/tool/requestUserInput',
    { questions: [1, 2].map(() => ({ id: 'a', question: 'b' })) },
  ],
  ['a command that is too long to be shown', commandMethod, { ...command, command: 'x'.repeat(70_000) }],
  ['a form of another kind', 'mcpServer/elicitation/request', { mode: 'openai/form', serverName: 's', message: 'm' }],
  ['a tool of the client', 'item/tool/call', place],
  ['a token', 'account/chatgptAuthTokens/refresh', place],
  ['an approval of the old protocol', 'execCommandApproval', { ...command }],
])('[ACP5] %s is not a question for people', (_, method, params) => {
  expect(readQuestion(method, params, undefined)).toBeUndefined();
});

test('[ACP5] a change of files is shown as a diff, whole', () => {
  const changes = [
    { path: '/p/new.txt', kind: { type: 'add' }, diff: 'one\ntwo\n' },
    { path: '/p/old.txt', kind: { type: 'delete' }, diff: 'gone\n' },
    { path: '/p/a.ts', kind: { type: 'update', move_path: '/p/b.ts' }, diff: '@@ -1 +1 @@\n-a\n+b\n' },
  ];
  const { card, results } = readCard(changeMethod, { ...place, reason: null, grantRoot: '/p' }, changes);
  expect(card.title).toBe('Write /p/new.txt and 2 more');
  expect(card.subject).toEqual({
    kind: 'diff',
    text: [
      '--- /p/new.txt\n+++ /p/new.txt\n@@ -0,0 +1,2 @@ the whole file\n+one\n+two',
      '--- /p/old.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-gone',
      '--- /p/a.ts\n+++ /p/b.ts\n@@ -1 +1 @@\n-a\n+b',
    ].join('\n'),
  });
  expect(card.details).toEqual(['Codex asks to write anywhere below /p.']);
  expect(results).toEqual({
    once: { decision: 'accept' },
    session: { decision: 'acceptForSession' },
    decline: { decision: 'decline' },
    cancel: { decision: 'cancel' },
  });
});

test.each([
  ['none', undefined],
  ['an empty list', []],
  ['one of another kind', [{ path: '/p/a', kind: { type: 'link' }, diff: 'b' }]],
  ['an update that shows nothing', [{ path: '/p/a', kind: { type: 'update', move_path: null }, diff: '' }]],
])('[ACP5] a change of files that is not known, %s, cannot be allowed', (_, changes) => {
  const { card, results } = readCard(changeMethod, place, changes);
  expect(Object.keys(results)).toEqual(['decline', 'cancel']);
  expect(card.subject.text).toBe('What would change is not known here.');
});

test('[ACP5] each permission is a line; what people allow is exactly what was asked, and the rest is denied', () => {
  const permissions = {
    network: { enabled: true },
    fileSystem: {
      read: ['/etc'],
      write: ['/x\ny'],
      entries: [{ path: { type: 'path', path: '/etc' }, access: 'read' }],
    },
  };
  const method = 'item/permissions/requestApproval';
  const { card, results } = readCard(method, { ...place, cwd: '/p', reason: 'Need it', permissions });
  expect(card.subject).toEqual({ kind: 'text', text: 'Network access\nRead /etc\nWrite "/x\\ny"' });
  expect(results).toEqual({
    once: { permissions, scope: 'turn' },
    session: { permissions, scope: 'session' },
    decline: { permissions: {}, scope: 'turn' },
  });
  const odd = { network: null, fileSystem: { read: ['/a'], write: null, everything: true } };
  const other = readCard(method, { ...place, permissions: odd });
  expect(other.card.subject).toEqual({ kind: 'json', text: JSON.stringify(odd, null, 2) });
  expect(other.results.once).toEqual({ permissions: { fileSystem: odd.fileSystem }, scope: 'turn' });
});

test('[ACP5] answers to questions go back by their id, and to no other', () => {
  const questions = [
    { id: 'colour', header: 'Colour', question: 'Which?', isOther: true, isSecret: false, options: null },
  ];
  const question = readQuestion('item/tool/requestUserInput', { ...place, questions }, undefined);
  const answers = { colour: { answers: ['Green'] } };
  expect(question?.read({ answers })).toEqual({ answers });
  for (const odd of [{}, { answers: {} }, { answers: { ...answers, size: { answers: ['L'] } } }])
    expect(question?.read(odd)).toBeUndefined();
});

test('[ACP5] an elicitation is answered with its content or a decline, and one without fields is an approval', () => {
  const method = 'mcpServer/elicitation/request';
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
  const form = { ...place, mode: 'form', serverName: 'docs', message: 'Who?', requestedSchema, _meta: null };
  const question = readQuestion(method, form, undefined);
  expect(question?.asking.kind).toBe('elicitation');
  const content = { name: 'Ada' };
  expect(question?.read({ action: 'accept', content })).toEqual({ action: 'accept', content, _meta: null });
  expect(question?.read({ action: 'decline' })).toEqual({ action: 'decline', content: null, _meta: null });
  expect(question?.read({})).toBeUndefined();
  const secret = { type: 'object', properties: { password: { type: 'string' } } };
  expect(readQuestion(method, { ...form, requestedSchema: secret }, undefined)).toBeUndefined();
  const persist = ['session', 'always', 'forever'];
  const meta = { codex_approval_kind: 'mcp_tool_call', persist, tool_name: 'wipe', tool_params: { path: '/a' } };
  const consent = readCard(method, { ...form, requestedSchema: { type: 'object', properties: {} }, _meta: meta });
  expect(consent.card.subject.text).toContain('"path": "/a"');
  expect(consent.card.choices.map(({ label }) => label)).toEqual([
    undefined,
    'every call of the tool `wipe` of the MCP server `docs`',
    'every call of the tool `wipe` of the MCP server `docs`, kept in Codex’s own settings',
    undefined,
    undefined,
  ]);
  expect(consent.results).toEqual({
    once: { action: 'accept', content: {}, _meta: null },
    session: { action: 'accept', content: {}, _meta: { persist: 'session' } },
    always: { action: 'accept', content: {}, _meta: { persist: 'always' } },
    decline: { action: 'decline', content: null, _meta: null },
    cancel: { action: 'cancel', content: null, _meta: null },
  });
});
