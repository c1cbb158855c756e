import { expect, test } from 'vitest';
import { ClaudeHooks, undecided } from '../support/claude-hooks.ts';
import { startGuardedServer } from '../support/guarded-server.ts';
import { loadShippedPlugin } from '../support/journey.ts';

const yes = { action: 'approve' };
const use = { tool_name: 'Bash', tool_input: { command: 'npm test' } };
const refused = { ...use, tool_use_id: 't1', reason: 'Risky' };

/** Starts a server with this policy, on which two operators and Claude Code have tokens of their own. */
async function open(policy: object) {
  const plugins = await Promise.all(['ask-user', 'claude-code'].map(loadShippedPlugin));
  const server = await startGuardedServer({ plugins, policies: [policy as never] });
  const { token } = await server.makeToken({ role: 'asker', name: 'claude' });
  const [ann, bob] = [
    await server.enter({ role: 'operator', name: 'Ann' }),
    await server.enter({ role: 'operator', name: 'Bob' }),
  ];
  return { claude: new ClaudeHooks(server.origin, token), ann, bob };
}

test('[TEAM3, ACP4] two people decide about a call of Claude Code, and no rule stands for one', async () => {
  const { claude, ann, bob } = await open({ tool: 'permission', decide: { approve: 2 } });
  const rules = [{ toolName: 'Bash', ruleContent: 'npm test' }];
  const suggestion = { type: 'addRules', rules, behavior: 'allow', destination: 'session' };
  const asking = claude.ask({ permission_suggestions: [suggestion] });
  const { session, prompt } = await claude.prompt(ann);
  expect(prompt).toMatchObject({ decide: { approve: 2 } });
  expect(prompt.rules ?? []).toEqual([]);
  await bob.follow(session.id, { tail: 100 });
  expect(await ann.answer(session.id, prompt, { ...yes, digest: prompt.digest })).toMatchObject({
    ok: true,
    result: { vote: true },
  });
  expect(await bob.answer(session.id, prompt, { ...yes, digest: prompt.digest })).toMatchObject({ ok: true });
  expect(await asking).toMatchObject({ body: { hookSpecificOutput: { decision: { behavior: 'allow' } } } });
});

test('[TEAM3, ACP4] one of two lets no refused call pass', async () => {
  const { claude, ann, bob } = await open({ tool: 'claude_refused', decide: { approve: 2 } });
  const asking = claude.hook('PermissionDenied', refused);
  const { session, prompt } = await claude.prompt(ann);
  await bob.follow(session.id, { tail: 100 });
  await ann.answer(session.id, prompt, { ...yes, digest: prompt.digest });
  expect(await claude.announce('t2', use)).toEqual(undecided);
  await bob.answer(session.id, prompt, { ...yes, digest: prompt.digest });
  expect(await asking).toMatchObject({ body: { hookSpecificOutput: { retry: true } } });
});

test('[TEAM1, ACP4] nobody but the audience lets a refused call pass', async () => {
  const { claude, ann, bob } = await open({ tool: 'claude_refused', audience: { principals: ['Bob'] } });
  const asking = claude.hook('PermissionDenied', refused);
  const { session, prompt } = await claude.prompt(bob);
  await ann.follow(session.id, { tail: 100 });
  expect(await ann.answer(session.id, prompt, { ...yes, digest: prompt.digest })).toMatchObject({
    ok: false,
    error: { code: 'forbidden' },
  });
  await bob.answer(session.id, prompt, { ...yes, digest: prompt.digest });
  expect(await asking).toMatchObject({ body: { hookSpecificOutput: { retry: true } } });
});
