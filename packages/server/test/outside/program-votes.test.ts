import { expect, test } from 'vitest';
import { openDoors, promptIn, staysOpen } from '../support/asking-programs.ts';
import { ClaudeHooks } from '../support/claude-hooks.ts';

const yes = { action: 'approve' };
const two = { approve: 2 };
const use = { tool_name: 'Bash', tool_input: { command: 'rm x' } };
const refused = { ...use, tool_use_id: 't', reason: 'r' };
const decline = { id: 'decline', means: 'decline' };
const forSession = { id: 'acceptForSession', means: 'session' };

test('[TEAM3, ACP4] two people decide about a call of Claude Code', async () => {
  const { server, ann, bob, token } = await openDoors([{ tool: 'permission', decide: two }]);
  const claude = new ClaudeHooks(server.origin, token);
  const rules = [{ toolName: 'Bash', ruleContent: 'npm test' }];
  const suggestion = { type: 'addRules', rules, behavior: 'allow', destination: 'session' };
  const asking = claude.ask({ permission_suggestions: [suggestion] });
  const { session, prompt } = await promptIn(ann, `claude:${claude.sessionId}`);
  expect([prompt.decide, prompt.rules ?? []]).toEqual([two, []]);
  await bob.follow(session);
  const vote = { ...yes, digest: prompt.digest };
  expect(await ann.answer(session, prompt, vote)).toMatchObject({ ok: true, result: { vote: true } });
  expect(await staysOpen(asking)).toBe(true);
  expect(await bob.answer(session, prompt, vote)).toMatchObject({ ok: true });
  expect(await asking).toMatchObject({ body: { hookSpecificOutput: { decision: { behavior: 'allow' } } } });
});

test('[TEAM3, ACP4] one of two is not enough to let a refused call pass', async () => {
  const { server, ann, bob, token } = await openDoors([{ tool: 'claude_refused', decide: two }]);
  const claude = new ClaudeHooks(server.origin, token);
  const asking = claude.hook('PermissionDenied', refused);
  const { session, prompt } = await promptIn(ann, `claude:${claude.sessionId}`);
  await bob.follow(session);
  await ann.answer(session, prompt, { ...yes, digest: prompt.digest });
  expect(await claude.announce('t2', use)).toEqual({ status: 200, body: {} });
  await bob.answer(session, prompt, { ...yes, digest: prompt.digest });
  expect(await asking).toMatchObject({ body: { hookSpecificOutput: { retry: true } } });
});

test('[TEAM1, ACP4] only the audience may let a refused call pass', async () => {
  const { server, ann, bob, token } = await openDoors([{ tool: 'claude_refused', audience: { principals: ['Bob'] } }]);
  const claude = new ClaudeHooks(server.origin, token);
  const asking = claude.hook('PermissionDenied', refused);
  const { session, prompt } = await promptIn(bob, `claude:${claude.sessionId}`);
  await ann.follow(session);
  const answer = { ...yes, digest: prompt.digest };
  expect(await ann.answer(session, prompt, answer)).toMatchObject({ error: { code: 'forbidden' } });
  await bob.answer(session, prompt, answer);
  expect(await asking).toMatchObject({ body: { hookSpecificOutput: { retry: true } } });
});

test('[TEAM3, ACP5] two people decide about a command of Codex, and no consent lasts', async () => {
  const { ann, bob, askCodex } = await openDoors([{ tool: 'codex_approval', decide: two }]);
  const rule = { id: '2', means: 'always', label: 'every command that begins with `ls`' };
  const asking = askCodex('ls', [{ id: 'accept', means: 'once' }, forSession, rule, decline]);
  const { session, prompt } = await promptIn(ann, 'codex:th');
  expect([prompt.approvalScopes, prompt.rules ?? []]).toEqual([['once'], []]);
  await bob.follow(session);
  await ann.answer(session, prompt, { ...yes, digest: prompt.digest });
  expect(await staysOpen(asking)).toBe(true);
  await bob.answer(session, prompt, { ...yes, digest: prompt.digest });
  expect(await asking).toEqual({ status: 200, body: { result: { choice: 'accept' } } });
});

test.each([two, { approve: 1, deny: 2 }])(
  '[TEAM3, ACP5] where %j decide and Codex offers no plain yes, its terminal decides',
  async (decide) => {
    const { ann, askCodex } = await openDoors([{ tool: 'codex_approval', decide }]);
    expect(await askCodex('ls', [forSession, decline])).toEqual({ status: 200, body: {} });
    const { sessions } = await ann.ask<{ sessions: { id: string; openCount?: number }[] }>({ type: 'list_sessions' });
    const [session = { id: '' }] = sessions;
    await ann.follow(session.id, { tail: 100 });
    const { payload } = await ann.event(session.id, 'tool_result');
    expect([payload.error?.code, session.openCount ?? 0]).toEqual(['not_supported', 0]);
  },
);

test('[TEAM3, ACP2] where two decide and an agent offers several options for once, its editor decides', async () => {
  const { askAcp } = await openDoors([{ tool: 'acp_permission', decide: two }]);
  const option = (optionId: string, kind: string) => ({ optionId, name: optionId, kind });
  const options = [option('a', 'allow_once'), option('b', 'allow_once'), option('no', 'reject_once')];
  expect(await askAcp({ rawInput: { command: 'ls' } }, options)).toEqual({ status: 200, body: {} });
});
