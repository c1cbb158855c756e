import { definePlugin, type ToolContext } from '@parleyhq/core';
import type { Policy } from '@parleyhq/runtime';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';

const form = { type: 'form', fields: [{ id: 'word', type: 'text', label: 'Word' }] };

/** A tool that asks Ann, who may be away, then Bob. */
const plugin = (afterMs: number, more: object = {}) =>
  definePlugin({
    name: 'desk',
    tools: [
      {
        name: 'desk_ask',
        description: 'Asks.',
        parameters: { type: 'object' },
        handler: (_: Record<string, unknown>, ctx: ToolContext) =>
          ctx.requestInteraction({
            type: 'input',
            inputSchema: form as never,
            audience: { principals: ['Ann'], exclude: ['requester'] },
            escalate: [{ afterMs, audience: { principals: ['Bob'] } }],
            onUnavailable: 'wait',
            ...more,
          }),
      },
    ],
  });

async function open(afterMs: number, { more, policies = [] }: { more?: object; policies?: Policy[] } = {}) {
  const server = await startGuardedServer({ plugins: [plugin(afterMs, more)], policies });
  const owner = await server.enter();
  const bobsToken = await server.makeToken({ role: 'responder', name: 'Bob' });
  const bob = await server.local.open({ hello: { token: bobsToken.token } });
  const session = await owner.createSession();
  await owner.follow(session);
  return { server, owner, bob, bobsToken, session };
}

const submit = { action: 'submit', input: { word: 'tea' } };

test('[TEAM5] people of the next step are asked and notified once nobody has answered for long enough', async () => {
  const { owner, bob, session } = await open(300);
  await owner.say(session, '/call desk_ask {}');
  const prompt = await owner.prompt(session);
  expect(await bob.answer(session, prompt, submit)).toMatchObject({ error: { code: 'forbidden' } });
  const step = await owner.event(session, 'interaction_escalated');
  expect(step.payload).toMatchObject({
    interactionId: prompt.interactionId,
    step: 1,
    audience: { principals: ['Bob'] },
  });
  expect(await bob.waitFor('interaction_opened')).toMatchObject({
    interaction: { interactionId: prompt.interactionId },
  });
  expect(await owner.answer(session, prompt, submit)).toMatchObject({ error: { code: 'forbidden' } });
  expect(await bob.answer(session, prompt, submit)).toMatchObject({ ok: true });
  expect(await bob.answer(session, prompt, submit)).toMatchObject({ error: { code: 'already_answered' } });
});

test('[TEAM5, DUR1] a step outlives a restart, is taken once, and answers nothing', async () => {
  const { server, owner, bobsToken, session } = await open(1500);
  await owner.say(session, '/call desk_ask {}');
  const prompt = await owner.prompt(session);
  await server.local.restart();
  const boss = await server.enter();
  await boss.follow(session);
  await boss.event(session, 'interaction_escalated');
  await server.local.restart();
  const again = await server.enter();
  await again.follow(session);
  const bob = await server.local.open({ hello: { token: bobsToken.token } });
  const steps = again.events(session).filter(({ type }) => type === 'interaction_escalated');
  expect(steps).toHaveLength(1);
  expect(again.events(session).some(({ type }) => type === 'interaction_response')).toBe(false);
  expect(await bob.answer(session, prompt, submit)).toMatchObject({ ok: true });
});

test('[TEAM5, TEAM1] whoever is asked in addition sees a hidden call, and nobody else', async () => {
  const { server, owner, bob, session } = await open(400, { more: { visibility: 'audience' } });
  const cleo = await server.enter({ role: 'responder', name: 'Cleo' });
  for (const tab of [bob, cleo]) await tab.follow(session);
  await owner.say(session, '/call desk_ask {}');
  const { seq } = await bob.event(session, 'interaction_escalated');
  const opened = await bob.waitFor('interaction_opened');
  expect(opened).toMatchObject({ interaction: { toolName: 'desk_ask' } });
  const read = await bob.ask<{ events: { payload: object }[] }>({
    type: 'read_events',
    sessionId: session,
    before: seq + 1,
    limit: 50,
  });
  expect(JSON.stringify(read.events)).toContain('"desk_ask"');
  expect(JSON.stringify(read.events)).not.toContain('"hidden":true');
  const others = await cleo.ask<{ events: { payload: object }[] }>({
    type: 'read_events',
    sessionId: session,
    before: seq + 1,
    limit: 50,
  });
  expect(JSON.stringify(others.events)).toContain('"hidden":true');
  expect(JSON.stringify(others.events)).not.toContain('Bob');
});

test('[TEAM5] the configuration may escalate beyond its own audience, which limits the escalation of a tool', async () => {
  const policies: Policy[] = [
    { tool: 'desk_*', audience: { principals: ['Ann'] }, escalate: [{ afterMs: 200, audience: { role: 'operator' } }] },
  ];
  const { owner, bob, session } = await open(100, { policies, more: { audience: { principals: ['Ann'] } } });
  await owner.say(session, '/call desk_ask {}');
  const prompt = await owner.prompt(session);
  expect(prompt.escalate).toEqual([{ afterMs: 200, audience: { role: 'operator' } }]);
  await owner.event(session, 'interaction_escalated');
  expect(await bob.answer(session, prompt, submit)).toMatchObject({ error: { code: 'forbidden' } });
  expect(await owner.answer(session, prompt, submit)).toMatchObject({ ok: true });
});
