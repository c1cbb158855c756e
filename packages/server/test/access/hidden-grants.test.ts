import { definePlugin, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import type { Tab } from '../support/tab.ts';
import { caller } from '../support/vault.ts';

const secret = 'words-of-the-result';

const plugin = definePlugin({
  name: 'secret',
  tools: ['plain', 'gated'].map((name) => ({
    name,
    description: 'Asks Ann behind closed doors.',
    parameters: { type: 'object' },
    approval: name === 'gated' ? ('always' as const) : ('never' as const),
    async handler(_: Record<string, unknown>, ctx: ToolContext) {
      const audience = { principals: ['Ann'] };
      const { approved } = await ctx.approve({
        key: 'secret',
        scopes: ['once', 'session'],
        audience,
        visibility: 'audience',
      });
      return { approved, secret };
    },
  })),
});

const openTool = definePlugin({
  name: 'open',
  tools: [
    {
      name: 'open',
      description: 'Is asked about before everybody.',
      parameters: { type: 'object' },
      approval: 'always',
      handler: () => 'done',
    },
  ],
});

async function open() {
  const server = await startGuardedServer({ plugins: [plugin, openTool], agents: [caller], defaultAgent: 'caller' });
  const [owner, ann, bob] = await Promise.all([
    server.enter(),
    server.enter({ role: 'responder', name: 'Ann' }),
    server.enter({ role: 'responder', name: 'Bob' }),
  ]);
  const session = await owner.createSession();
  for (const tab of [owner, ann, bob]) await tab.follow(session);
  return { server, owner, ann, bob, session };
}

const isKnownTo = (tab: Tab) => JSON.stringify(tab.frames).includes(secret);

test('[TEAM1, APR4] a hidden call is hidden even if a grant answers it while nobody is connected', async () => {
  const { owner, ann, bob, session } = await open();
  await owner.say(session, 'plain');
  await ann.answer(session, await ann.prompt(session), { action: 'approve', approvalScope: 'session' });
  const { seq } = await ann.event(session, 'turn_end');
  await ann.close();
  await owner.say(session, 'plain');
  for (const tab of [owner, bob]) {
    await tab.event(session, 'turn_end', undefined, seq);
    expect(isKnownTo(tab)).toBe(false);
    expect((await tab.event(session, 'tool_result', undefined, seq)).payload).toMatchObject({ hidden: true });
  }
  const shown = await owner.ask<{ grants: object[] }>({ type: 'list_grants' });
  expect(shown.grants).toMatchObject([{ uses: 1 }]);
});

test('[TEAM1, APR3] an approval at a gate that everybody saw does not answer a hidden question', async () => {
  const { owner, ann, bob, session } = await open();
  await owner.say(session, 'gated');
  await ann.answer(session, await ann.prompt(session), { action: 'approve' });
  const hidden = await ann.event(session, 'interaction_request', ({ payload }) => payload.visibility !== undefined);
  await ann.answer(session, hidden.payload, { action: 'approve' });
  for (const tab of [ann, bob, owner]) await tab.event(session, 'turn_end');
  expect([isKnownTo(ann), isKnownTo(bob), isKnownTo(owner)]).toEqual([true, false, false]);
});

test('[TEAM1, SEC4] the id of a grant does not reveal its session and prompt, and revokes it', async () => {
  const { server, owner, ann, session } = await open();
  await owner.say(session, 'plain');
  const hidden = await ann.prompt(session);
  await ann.answer(session, hidden, { action: 'approve', approvalScope: 'session' });
  await ann.event(session, 'turn_end');
  const { grants } = await owner.ask<{ grants: [{ id: string }] }>({ type: 'list_grants' });
  for (const part of [session, hidden.toolCallId]) expect(grants[0].id).not.toContain(part);
  await owner.ask({ type: 'revoke_grant', grantId: grants[0].id });

  await owner.say(session, 'open');
  const { seq } = await owner.event(session, 'interaction_request', ({ payload }) => payload.toolName === 'open');
  const shown = await owner.prompt(session, seq - 1);
  await owner.answer(session, shown, { action: 'approve', approvalScope: 'always' });
  const other = await owner.createSession();
  const guest = await server.enter({ role: 'viewer', sessions: [other] });
  await guest.follow(other);
  await owner.say(other, 'open');
  const { payload } = await guest.event(other, 'tool_call');
  expect(payload.authorised).toMatchObject({ by: 'grant', grantId: expect.any(String) });
  for (const part of [session, shown.toolCallId]) expect(JSON.stringify(guest.frames)).not.toContain(part);
});
