import { randomUUID } from 'node:crypto';
import { definePlugin, type Grant, type ServerFrameOf, type ToolContext } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import { startGuardedServer, useGuardedServer } from '../support/guarded-server.ts';
import { loadPlugin, loadShippedPlugin } from '../support/journey.ts';
import type { Tab } from '../support/tab.ts';

/** A tool that would let an approval for the session hold forever. */
const endless = definePlugin({
  name: 'endless',
  tools: [
    {
      name: 'ask_for_long',
      description: 'Asks.',
      parameters: { type: 'object' },
      asking: true,
      readOnly: true,
      handler: (_: unknown, ctx: ToolContext) =>
        ctx.approve({ key: 'long', timeoutMs: null, onUnavailable: 'wait' }) as Promise<never>,
    },
  ],
});
const plugins = [await loadShippedPlugin('ask-user'), endless];

test('[TEAM2, ASK1] if requesters are excluded, a requester’s own earlier approval does not let their call pass', async () => {
  const server = await startGuardedServer({
    plugins: [await loadPlugin('guarded.mjs')],
    policies: [{ tool: 'guarded', audience: { exclude: ['requester'] } }],
  });
  const quentin = await server.enter({ role: 'operator', name: 'Quentin' });
  const { token } = await server.makeToken({ role: 'operator', name: 'Paula' });
  const paula = await server.local.open({ hello: { token } });
  const session = await quentin.createSession();
  await Promise.all([quentin.follow(session), paula.follow(session)]);
  const { seq } = await quentin.say(session, '/call guarded {"x":1}');
  const prompt = await paula.prompt(session, seq);
  const always = await paula.answer(session, prompt, { action: 'approve', approvalScope: 'always' });
  expect(always).toMatchObject({ ok: true });

  const call = { type: 'call_tool', channel: 'own', callId: '1', toolName: 'guarded', args: { x: 1 } } as const;
  const begun = await paula.ask<{ sessionId: string }>(call);
  await quentin.follow(begun.sessionId);
  const asked = await quentin.prompt(begun.sessionId);
  expect(asked).toMatchObject({ requesters: [expect.any(String)] });
  expect(await paula.answer(begun.sessionId, asked, { action: 'approve' })).toMatchObject({
    error: { code: 'forbidden' },
  });

  const others = await quentin.ask<{ sessionId: string; toolCallId: string }>({ ...call, callId: '2' });
  const told = await quentin.until(({ type }) => type === 'call_result');
  expect(told).toMatchObject({ ...others, result: 'ran' }); // Paula's approval still covers what others ask
});

describe('request_approval', () => {
  const shared = useGuardedServer({ plugins });
  const request = {
    title: 'Deploy?',
    subject: { kind: 'command', text: 'make deploy' },
    scopes: ['once', 'session', 'always'],
  };
  type Done = { status: string; sessionId: string; result?: object };

  async function asker() {
    const { token, id } = await shared.makeToken({ role: 'asker', name: randomUUID() });
    const ask = async (args: object = request, channel = 'a'): Promise<Done> => {
      const response = await fetch(`${shared.origin}/api/calls?wait=60`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ channel, toolName: 'request_approval', args }),
      });
      return (await response.json()) as Done;
    };
    return { ask, id };
  }

  /** Answers the next prompt, whoever asked. */
  async function answer(tab: Tab, said: object) {
    const { sessionId, interaction } = await nextPrompt(tab);
    return { interaction, reply: await tab.answer(sessionId, interaction, said) };
  }

  async function nextPrompt(tab: Tab): Promise<ServerFrameOf<'interaction_opened'>> {
    const seen = told.get(tab) ?? 0;
    const frame = await tab.until(({ type }) => type === 'interaction_opened', seen);
    told.set(tab, tab.frames.indexOf(frame) + 1);
    return frame as ServerFrameOf<'interaction_opened'>;
  }

  const told = new WeakMap<Tab, number>();
  const always = { action: 'approve', approvalScope: 'always' };
  const no = { action: 'deny', reason: 'Asked.' };
  const isAsked = { status: 'done', result: { approved: false, reason: 'Asked.' } };

  test('[ASK3, APR4] an operator’s approval for always covers the same request of the same program, in any of its channels, until it is revoked', async () => {
    const [owner, responder] = [await shared.enter(), await shared.enter({ role: 'responder' })];
    const [one, other] = [await asker(), await asker()];
    const asking = one.ask();
    const { sessionId, interaction } = await nextPrompt(responder);
    expect(interaction).toMatchObject({ approvalScopes: request.scopes, sessionTtlMs: 24 * 3_600_000 });
    expect(interaction).not.toHaveProperty('grantTtlMs');
    expect(await responder.answer(sessionId, interaction, always)).toMatchObject({ error: { code: 'forbidden' } });
    await answer(owner, always);
    expect(await asking).toMatchObject({ result: { approved: true, scope: 'always', by: { principal: 'owner' } } });
    const { grants } = await owner.ask<{ grants: Grant[] }>({ type: 'list_grants' });
    expect(grants).toMatchObject([{ scope: 'always', title: 'Deploy?', key: expect.stringContaining(one.id) }]);
    expect(grants[0]).not.toHaveProperty('expiresAt');

    const again = { status: 'done', result: { approved: true, scope: 'always' } };
    expect(await one.ask()).toMatchObject(again);
    expect(await one.ask(request, 'another')).toMatchObject(again);
    for (const args of [
      { ...request, subject: { ...request.subject, text: 'make deploy ' } },
      { ...request, title: 'Deploy' },
      { ...request, risk: 'low' },
      { ...request, args: { branch: 'main' } },
      { ...request, scopes: ['once'] },
    ]) {
      const [done] = await Promise.all([one.ask(args), answer(owner, no)]);
      expect(done).toMatchObject(isAsked);
    }
    const [others] = await Promise.all([other.ask(), answer(owner, no)]);
    expect(others).toMatchObject(isAsked);

    await owner.ask({ type: 'revoke_grant', grantId: grants[0]?.id ?? '' });
    const [revoked] = await Promise.all([one.ask(), answer(owner, no)]);
    expect(revoked).toMatchObject(isAsked);
  });

  test('[ASK3, APR2] an edit that is allowed for always covers the edited request', async () => {
    const owner = await shared.enter();
    const { ask } = await asker();
    const wanted = { ...request, args: { branch: 'main' }, editable: true };
    const edited = { ...wanted, args: { branch: 'next' } };
    const [done] = await Promise.all([ask(wanted), answer(owner, { ...always, editedArgs: edited })]);
    expect(done).toMatchObject({ result: { approved: true, scope: 'always', args: { branch: 'next' } } });
    expect(await ask(edited)).toMatchObject({ result: { approved: true, scope: 'always' } });
    const [asked] = await Promise.all([ask(wanted), answer(owner, no)]);
    expect(asked).toMatchObject(isAsked);
  });

  test('[ASK3] an approval for the session expires after a day, whatever tool asks, and covers no other caller in that session', async () => {
    const owner = await shared.enter();
    const { ask } = await asker();
    const lasting = { ...always, approvalScope: 'session' };
    const [done] = await Promise.all([ask(), answer(owner, lasting)]);
    const listed = () => owner.ask<{ grants: Grant[] }>({ type: 'list_grants', sessionId: done.sessionId });
    const [grant] = (await listed()).grants.filter(({ scope }) => scope === 'session');
    const life = Date.parse(grant?.expiresAt ?? '') - Date.parse(grant?.createdAt ?? '');
    expect(life).toBe(24 * 3_600_000);
    expect(await ask()).toMatchObject({ result: { approved: true, scope: 'session' } });
    const call = { type: 'call_tool', callId: randomUUID(), toolName: 'request_approval', args: request } as const;
    await owner.ask({ ...call, sessionId: done.sessionId }); // an operator asks in the program's own session
    const { interaction } = await answer(owner, no);
    expect(interaction.interactionType).toBe('approval');

    const slow = { ...call, toolName: 'ask_for_long', args: {}, callId: randomUUID(), channel: 'long' };
    await owner.ask(slow);
    expect((await answer(owner, lasting)).interaction).toMatchObject({ sessionTtlMs: 24 * 3_600_000 });
  });
});
