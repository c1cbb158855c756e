import { randomUUID } from 'node:crypto';
import type { InteractionRequest } from '@parleyhq/core';
import { beforeEach, describe, expect, test } from 'vitest';
import askUser from '../../../../plugins/ask-user/src/index.ts';
import claudeCode from '../../../../plugins/claude-code/src/index.ts';
import { allowed, ClaudeHooks, decision, denied, undecided, withdrawal } from '../support/claude-hooks.ts';
import { createToken, runParley } from '../support/command.ts';
import { startGuardedServer } from '../support/guarded-server.ts';
import type { Tab } from '../support/tab.ts';
import { startServer, useServer } from '../support/use-server.ts';

const server = useServer({ args: [] });
const enter = (at = server) => at.open({ hello: { token: at.ready.token } });

let claude: ClaudeHooks;
let tab: Tab;
beforeEach(async () => {
  [claude, tab] = await Promise.all([ClaudeHooks.at(server), enter()]);
});

const approve = { action: 'approve' };

describe('PermissionRequest', () => {
  test('[ASK7] an approval in a tab is an allow, in a session titled by the folder', async () => {
    await claude.announce('toolu_1');
    const asking = claude.ask();
    const { session, prompt } = await claude.prompt(tab);
    expect(session).toMatchObject({ title: 'shop', agent: 'outside' });
    expect(prompt).toMatchObject({ title: 'Run npm test', subject: { kind: 'command', text: 'npm test' } });
    expect((await tab.event(session.id, 'tool_call')).payload).toMatchObject({
      isLive: true,
      from: { name: 'Claude Code', detail: '/projects/shop' },
      args: { tool_name: 'Bash', input: { command: 'npm test' }, tool_use_id: 'toolu_1' },
      by: { role: 'asker' },
    });
    await tab.answer(session.id, prompt, approve);
    expect(await asking).toEqual(allowed);
  });

  test('[ASK7] a denial includes its reason', async () => {
    const asking = claude.ask();
    const { session, prompt } = await claude.prompt(tab);
    await tab.answer(session.id, prompt, { action: 'deny', reason: 'Not on Fridays.' });
    expect(await asking).toEqual(denied('Not on Fridays.'));
  });

  describe('edited', () => {
    const bash = { tool_name: 'Bash', input: { command: 'npm test' } };
    const edited = { ...bash, input: { command: 'npm test -- --bail' } };
    const edit = { action: 'approve', editedArgs: edited };

    test('[APR2, ASK7] the command runs as a person edited it', async () => {
      const asking = claude.ask();
      const { session, prompt } = await claude.prompt(tab);
      expect(prompt).toMatchObject({ editable: true, editPath: ['input', 'command'] });
      expect(await tab.answer(session.id, prompt, { ...edit, digest: undefined })).toMatchObject({
        error: { code: 'invalid' },
      });
      await tab.answer(session.id, prompt, edit);
      expect(await asking).toEqual({
        status: 200,
        body: decision({ behavior: 'allow', updatedInput: edited.input }),
      });
    });

    test('[APR2, ASK7] another change is asked about again, and an unedited approval changes nothing', async () => {
      const asking = claude.ask();
      const { session, prompt } = await claude.prompt(tab);
      await tab.answer(session.id, prompt, { ...edit, editedArgs: { ...edited, tool_name: 'Write' } });
      const again = await claude.prompt(tab, ({ replaces }) => replaces === prompt.interactionId);
      expect(again.prompt.error).toMatch(/^Only "input.command" can be changed/);
      await tab.answer(session.id, again.prompt, approve);
      expect(await asking).toEqual(allowed);
    });

    test('[APR2, TEAM2, ASK7] an edit by somebody below operator is a request of its own, which others may allow', async () => {
      const { token } = await createToken(server.dataDir, '--role', 'responder', '--name', randomUUID());
      const other = await server.open({ hello: { token } });
      const asking = claude.ask();
      const { session, prompt } = await claude.prompt(other);
      expect(await other.answer(session.id, prompt, edit)).toMatchObject({ ok: true });
      const isNext = ({ replaces }: InteractionRequest) => replaces === prompt.interactionId;
      const again = await claude.prompt(tab, isNext);
      expect(again.prompt).toMatchObject({
        ...{ title: 'Run npm test -- --bail', subject: { kind: 'command', text: 'npm test -- --bail' } },
        ...{ risk: 'high', editable: false },
      });
      expect(await other.answer(session.id, again.prompt, approve)).toMatchObject({ error: { code: 'forbidden' } });
      await tab.answer(session.id, again.prompt, approve);
      expect(await asking).toMatchObject({
        body: decision({ behavior: 'allow', updatedInput: edited.input }),
      });
    });
  });

  describe('with a suggestion', () => {
    const suggestion = {
      type: 'addRules',
      rules: [{ toolName: 'Bash', ruleContent: 'npm test *' }],
      behavior: 'allow',
      destination: 'localSettings',
    };
    const ask = () =>
      claude.ask({ permission_suggestions: [suggestion, { type: 'setMode', mode: 'bypassPermissions' }] });

    test.each([
      ['session', { ...suggestion, destination: 'session' }],
      ['always', suggestion],
    ] as const)(
      '[APR7, ASK7] what a person chooses for %s is given back, and its row says so',
      async (scope, update) => {
        const asking = ask();
        const { session, prompt } = await claude.prompt(tab);
        expect(prompt.rules?.map(({ label }) => label)).toEqual([
          'what Claude Code’s rule `Bash(npm test *)` covers',
          'what Claude Code’s rule `Bash(npm test *)` covers, kept in the local settings of the project',
        ]);
        const chosen = { approvalScope: scope, ruleId: `${scope}-1`, digest: prompt.digest };
        await tab.answer(session.id, prompt, { action: 'approve', ...chosen });
        const updatedInput = { command: 'npm test' };
        const body = decision({ behavior: 'allow', updatedInput, updatedPermissions: [update] });
        expect(await asking).toEqual({ status: 200, body });
        const { grants } = await tab.ask<{ grants: unknown[] }>({ type: 'list_grants', sessionId: session.id });
        expect(grants).toEqual([]); // Claude Code stores it, and nobody could revoke it from here
        const { stdout } = await runParley('audit', '--json', '--data-dir', server.dataDir);
        const rows = stdout.split('\n').filter((line) => line.includes(prompt.interactionId));
        expect(rows.map((row) => JSON.parse(row))).toContainEqual(
          expect.objectContaining({ outcome: 'approve', scope, ruleId: `${scope}-1` }),
        );
      },
    );

    test('[APR7, ASK7] allowing it permanently requires an operator, and an approval without a rule returns none', async () => {
      const { token } = await createToken(server.dataDir, '--role', 'responder', '--name', randomUUID());
      const other = await server.open({ hello: { token } });
      const asking = ask();
      const { session, prompt } = await claude.prompt(other);
      const chosen = { approvalScope: 'always', ruleId: 'always-1', digest: prompt.digest };
      expect(await other.answer(session.id, prompt, { action: 'approve', ...chosen })).toMatchObject({
        error: { code: 'forbidden' },
      });
      await other.answer(session.id, prompt, approve);
      expect(await asking).toEqual(allowed);
    });

    test('[APR7, ASK7] the next request is asked about, whatever it suggests', async () => {
      const first = ask();
      const { session, prompt } = await claude.prompt(tab);
      const chosen = { approvalScope: 'session', ruleId: 'session-1', digest: prompt.digest };
      await tab.answer(session.id, prompt, { action: 'approve', ...chosen });
      await first;
      const second = ask();
      const again = await claude.prompt(tab, ({ interactionId }) => interactionId !== prompt.interactionId);
      await tab.answer(again.session.id, again.prompt, { action: 'deny', reason: 'Once.' });
      expect(await second).toEqual(denied('Once.'));
    });
  });

  test('[ASK7] questions are answered under their text', async () => {
    const questions = [{ question: 'Which colour?', header: 'Colour', options: [{ label: 'Red' }, { label: 'Blue' }] }];
    const asking = claude.ask({ tool_name: 'AskUserQuestion', tool_input: { questions } });
    const { session, prompt } = await claude.prompt(tab);
    await tab.answer(session.id, prompt, { action: 'submit', input: { answer1: 'Blue' } });
    const updatedInput = { questions, answers: { 'Which colour?': 'Blue' } };
    expect(await asking).toEqual({ status: 200, body: decision({ behavior: 'allow', updatedInput }) });
  });

  test('[ASK7] a cancel decides nothing, nor does a request that nobody can be asked about', async () => {
    const asking = claude.ask();
    const { session, prompt } = await claude.prompt(tab);
    await tab.answer(session.id, prompt, { action: 'cancel' });
    expect(await asking).toEqual(undecided);
    expect(await claude.ask({ tool_input: { command: 'x'.repeat(70_000) } })).toEqual(undecided);
    for (const tool_name of ['two\nlines', '', 'x'.repeat(300)])
      expect(await claude.ask({ tool_name })).toEqual(undecided);
    expect(await claude.ask({ tool_name: 'AskUserQuestion', tool_input: { questions: [] } })).toEqual(undecided);
  });

  test('[ASK7, OPS5] the deletion of its session decides nothing', async () => {
    const asking = claude.ask();
    const { session } = await claude.prompt(tab);
    expect(await tab.request({ type: 'delete_session', sessionId: session.id })).toMatchObject({ ok: true });
    expect(await asking).toEqual(undecided);
  });

  test('[ASK7] two sessions that ask the same at once each get their own answer', async () => {
    const other = claude.another();
    const [asking, othersAsking] = [claude.ask(), other.ask()];
    const [asked, others] = await Promise.all([claude.prompt(tab), other.prompt(tab)]);
    expect(asked.session.id).not.toBe(others.session.id);
    await tab.answer(others.session.id, others.prompt, { action: 'deny', reason: 'Not there.' });
    expect(await othersAsking).toEqual(denied('Not there.'));
    await tab.answer(asked.session.id, asked.prompt, approve);
    expect(await asking).toEqual(allowed);
  });

  test('[ASK7] a repeated request is answered separately', async () => {
    const first = claude.ask();
    const asked = await claude.prompt(tab);
    const second = claude.ask();
    const again = await claude.prompt(tab, ({ interactionId }) => interactionId !== asked.prompt.interactionId);
    await tab.answer(again.session.id, again.prompt, { action: 'deny', reason: 'Once is enough.' });
    expect(await second).toEqual(denied('Once is enough.'));
    await tab.answer(asked.session.id, asked.prompt, approve);
    expect(await first).toEqual(allowed);
  });

  test('[ASK4] its answer is only for the request: no other one can fetch or repeat it', async () => {
    const { token } = await createToken(server.dataDir, '--role', 'asker');
    const hooks = new ClaudeHooks(server.httpUrl, token);
    const asker = await server.open({ hello: { token } });
    const asking = hooks.ask();
    const { session, prompt } = await hooks.prompt(tab);
    const { toolCallId, callId, toolName, args } = (await tab.event(session.id, 'tool_call')).payload;
    await tab.answer(session.id, prompt, approve);
    expect(await asking).toEqual(allowed);
    const headers = { authorization: `Bearer ${token}` };
    const fetched = await fetch(`${server.httpUrl}/api/calls/${toolCallId}`, { headers });
    expect(fetched.status).toBe(409);
    const repeat = { type: 'call_tool', channel: 'other', callId: callId as string, toolName, args } as const;
    expect(await asker.request(repeat)).toMatchObject({ ok: false, error: { code: 'idempotency_conflict' } });
    expect(asker.frames.filter(({ type }) => type === 'call_result')).toEqual([]);
  });

  test('[SEC9] a token that was revoked meanwhile gets no answer', async () => {
    const { token, id } = await createToken(server.dataDir, '--role', 'asker');
    const revoked = new ClaudeHooks(server.httpUrl, token);
    const asking = revoked.ask();
    const { session, prompt } = await revoked.prompt(tab);
    await runParley('token', 'revoke', id, '--data-dir', server.dataDir);
    await tab.answer(session.id, prompt, approve);
    expect(await asking).toMatchObject({ status: 401, body: { error: { code: 'unauthorised' } } });
  });
});

describe('the terminal', () => {
  test('[ASK7] a closing connection withdraws the prompt, and the reply to a late answer says so', async () => {
    const closing = new AbortController();
    const asking = claude.ask({}, closing.signal);
    const { session, prompt } = await claude.prompt(tab);
    closing.abort();
    await expect(asking).rejects.toThrow();
    const note = 'Answered in the terminal';
    expect(await withdrawal(tab, { session, prompt })).toMatchObject({ reason: 'withdrawn', note });
    expect(await tab.answer(session.id, prompt, approve)).toMatchObject({ ok: false, error: { code: 'closed' } });
    await tab.event(session.id, 'turn_end');
  });

  test.each(['PostToolUse', 'PostToolUseFailure'])(
    '[ASK7] %s withdraws the call it is for, and no other',
    async (name) => {
      await claude.announce('toolu_1');
      await claude.announce('toolu_2');
      const first = claude.ask();
      const asked = await claude.prompt(tab);
      const second = claude.ask();
      const again = await claude.prompt(tab, ({ interactionId }) => interactionId !== asked.prompt.interactionId);
      expect(await claude.another().finish('toolu_2', name)).toEqual(undecided);
      expect(await claude.finish('toolu_2', name)).toEqual(undecided);
      expect(await second).toEqual(undecided);
      expect(await withdrawal(tab, again)).toMatchObject({ note: 'Answered in the terminal' });
      await tab.answer(asked.session.id, asked.prompt, approve);
      expect(await first).toEqual(allowed);
    },
  );

  test.each([
    ['Stop', 'Answered in the terminal'],
    ['SessionEnd', 'No longer waiting'],
  ])('[ASK7] %s withdraws what is left of its session', async (name, note) => {
    const other = claude.another();
    const [asking, othersAsking] = [claude.ask(), other.ask()];
    const [asked, others] = await Promise.all([claude.prompt(tab), other.prompt(tab)]);
    expect(await claude.hook(name)).toEqual(undecided);
    expect(await asking).toEqual(undecided);
    expect(await withdrawal(tab, asked)).toMatchObject({ reason: 'withdrawn', note });
    await tab.answer(others.session.id, others.prompt, approve);
    expect(await othersAsking).toEqual(allowed);
  });

  test('[ASK7] a call that was made without asking is not matched with a prompt', async () => {
    await claude.announce('toolu_1');
    await claude.finish('toolu_1');
    await claude.announce('toolu_2');
    const asking = claude.ask();
    const { session } = await claude.prompt(tab);
    expect((await tab.event(session.id, 'tool_call')).payload.args).toMatchObject({ tool_use_id: 'toolu_2' });
    await claude.hook('Stop');
    expect(await asking).toEqual(undecided);
  });
});

describe('what is refused', () => {
  test.each<[string, object | string, string]>([
    ['no JSON', '{', 'not JSON'],
    ['a list', [], 'not an object'],
    ['no event', {}, 'hook_event_name'],
    ['no session', { hook_event_name: 'Stop' }, 'session_id'],
    ['a session that names no channel', { hook_event_name: 'Stop', session_id: 'a b' }, 'session_id'],
    ['no tool', { hook_event_name: 'PermissionRequest', session_id: 's', tool_input: {} }, 'tool_name'],
    ['no input', { hook_event_name: 'PermissionRequest', session_id: 's', tool_name: 'Bash' }, 'tool_input'],
    [
      'a text as input',
      { hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'B', tool_input: 'x' },
      'tool_input',
    ],
  ])('[ASK7] %s is refused with an explanation', async (_, body, words) => {
    const { status, body: told } = await claude.post(body);
    expect(status).toBe(400);
    expect(told).toMatchObject({ error: { message: expect.stringContaining(words) } });
  });

  test('[ASK7] hooks that are not handled here get an empty answer', async () => {
    expect(await claude.hook('UserPromptSubmit', { prompt: 'Hello' })).toEqual(undecided);
  });

  test('[ASK7, SEC3] no other content type, and nothing above the limit', async () => {
    expect(await claude.post('{}', { type: 'text/plain' })).toMatchObject({ status: 400 });
    expect(await claude.hook('PostToolUse', { tool_response: 'x'.repeat(5 << 20) })).toMatchObject({ status: 413 });
  });

  test('[ASK2] a token of another role cannot ask, and a request without a token gets no information', async () => {
    const sessionId = randomUUID();
    for (const role of ['viewer', 'responder']) {
      const { token } = await createToken(server.dataDir, '--role', role);
      expect(await new ClaudeHooks(server.httpUrl, token).ask({ session_id: sessionId })).toMatchObject({
        status: 403,
      });
    }
    for (const token of [undefined, 'wrong'])
      expect(await new ClaudeHooks(server.httpUrl, token).ask()).toMatchObject({ status: 401 });
  });

  test('[SEC11] each request that waits counts as a connection of its person', async () => {
    const small = await startGuardedServer({ plugins: [askUser, claudeCode], quotas: { connections: 2 } });
    const asker = new ClaudeHooks(small.origin, (await small.makeToken({ role: 'asker' })).token);
    const [first, second] = [asker.ask(), asker.ask()];
    const operator = await small.enter();
    const { session, prompt } = await asker.prompt(operator);
    await asker.prompt(operator, ({ interactionId }) => interactionId !== prompt.interactionId);
    expect(await asker.ask()).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    await operator.answer(session.id, prompt, approve);
    expect(await Promise.race([first, second])).toEqual(allowed);
    await asker.hook('Stop');
    expect(await Promise.all([first, second])).toContainEqual(undecided);
    const again = asker.ask();
    await asker.prompt(operator, ({ toolCallId }) => toolCallId !== prompt.toolCallId);
    await asker.hook('SessionEnd');
    expect(await again).toEqual(undecided);
  });
});

test('[ASK2] without tokens it asks as "local"', async () => {
  const open = await startServer();
  const local = new ClaudeHooks(open.httpUrl, undefined);
  const own = await open.open();
  const asking = local.ask();
  const { session, prompt } = await local.prompt(own);
  expect((await own.event(session.id, 'tool_call')).payload.by).toMatchObject({ principal: 'local', role: 'asker' });
  await own.answer(session.id, prompt, approve);
  expect(await asking).toEqual(allowed);
});

describe('a server that ends', () => {
  test('[ASK4, DUR2] killed while it asks: nothing is allowed, and the next start withdraws the prompt', async () => {
    const own = await startServer({ args: [] });
    const hooks = await ClaudeHooks.at(own);
    const before = await enter(own);
    const asking = hooks.ask();
    const asked = await hooks.prompt(before);
    const failed = expect(asking).rejects.toThrow();
    await own.restart();
    await failed;
    const after = await enter(own);
    await after.follow(asked.session.id, { tail: 100 });
    expect(await withdrawal(after, asked)).toMatchObject({ reason: 'withdrawn', note: 'No longer waiting' });
    expect(await after.answer(asked.session.id, asked.prompt, approve)).toMatchObject({ ok: false });
    const { payload } = await after.event(asked.session.id, 'tool_result');
    expect(payload.error).toMatchObject({ code: 'withdrawn' });
    await after.event(asked.session.id, 'turn_end');
  });

  test('[ASK7, OPS3] stopped while it asks: no decision, and its prompt is withdrawn', async () => {
    const own = await startServer({ args: [] });
    const hooks = await ClaudeHooks.at(own);
    const asking = hooks.ask();
    const asked = await hooks.prompt(await enter(own));
    const stopped = own.kill('SIGTERM');
    expect(await asking).toEqual(undecided);
    await stopped;
    await own.start();
    const after = await enter(own);
    await after.follow(asked.session.id, { tail: 100 });
    expect(await withdrawal(after, asked)).toMatchObject({ note: 'No longer waiting' });
  });
});
