import { definePlugin, type Statistics, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import type { Tab } from '../support/tab.ts';

const parameters = { type: 'object' } as const;
const secret = 'mark-of-args';

const plugin = definePlugin({
  name: 'desk',
  covers: () => true,
  tools: [
    {
      name: 'desk_pay',
      description: 'Is asked about.',
      parameters,
      approval: 'always',
      rules: () => [{ id: 'any', label: 'any payment', key: 'any', scopes: ['session', 'always'] }],
      handler: () => 'paid',
    },
    {
      name: 'desk_order',
      description: 'Asks by itself.',
      parameters,
      async handler(_: Record<string, unknown>, ctx: ToolContext) {
        const { approved } = await ctx.approve({
          key: ctx.toolCallId,
          rules: [{ id: 'any', label: 'any order', key: 'order', scopes: ['session'] }],
        });
        return { approved };
      },
    },
    {
      name: 'desk_look',
      description: 'Is allowed by a policy.',
      parameters,
      approval: 'always',
      handler: () => 'seen',
    },
    {
      name: 'desk_edit',
      description: 'Asks by itself about an edit, as coding agents do.',
      parameters,
      async handler(_: Record<string, unknown>, ctx: ToolContext) {
        const { approved } = await ctx.approve({ key: ctx.toolCallId, isEdit: true });
        return { approved };
      },
    },
    {
      name: 'desk_secret',
      description: 'Asks Ann alone.',
      parameters,
      async handler(_: Record<string, unknown>, ctx: ToolContext) {
        const { approved } = await ctx.approve({ key: 's', audience: { principals: ['Ann'] }, visibility: 'audience' });
        return { approved };
      },
    },
  ],
});

async function open() {
  const server = await startGuardedServer({ plugins: [plugin], policies: [{ tool: 'desk_look', effect: 'allow' }] });
  const read = async (token: string, query = '') => {
    const response = await fetch(`${server.origin}/api/stats${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: response.status, body: (await response.json()) as Statistics & { error?: { code: string } } };
  };
  const person = async (...[part]: Parameters<typeof server.makeToken>) => {
    const { id, token } = await server.makeToken(part);
    const tab = await server.local.open({ hello: { token } });
    return { id, token, tab };
  };
  return { server, read, person };
}

async function begin(tab: Tab, toolName: string, session?: string) {
  const id = session ?? (await tab.createSession());
  if (session === undefined) await tab.follow(id);
  const { seq } = await tab.say(id, `/call ${toolName} {"about":"${secret}"}`);
  return { id, seq, prompt: () => tab.prompt(id, seq), end: () => tab.event(id, 'turn_end', undefined, seq) };
}

test('[LESS1] statistics say what was asked, how it was answered and what passed, and no value', async () => {
  const { server, read, person } = await open();
  const ann = await person({ role: 'operator', name: 'Ann' });
  const first = await begin(ann.tab, 'desk_pay');
  const prompt = await first.prompt();
  expect((await read(ann.token)).body.total).toMatchObject({ asked: 1, open: 1, approved: 0 });
  await ann.tab.answer(first.id, prompt, { action: 'approve', approvalScope: 'session', ruleId: 'any' });
  await first.end();
  await (await begin(ann.tab, 'desk_pay', first.id)).end(); // by the rule
  await (await begin(ann.tab, 'desk_look', first.id)).end();
  const second = await begin(ann.tab, 'desk_pay');
  await ann.tab.answer(second.id, await second.prompt(), { action: 'deny', reason: secret });
  await second.end();

  const { body } = await read(ann.token);
  expect(body.total).toMatchObject({
    asked: 2,
    approved: 1,
    denied: 1,
    byGrant: 1,
    byPolicy: 1,
    medianMs: expect.any(Number),
  });
  expect(body.groups).toMatchObject([
    { key: 'desk_pay', asked: 2, byGrant: 1, byPolicy: 0 },
    { key: 'desk_look', asked: 0, byPolicy: 1 },
  ]);
  expect((await read(ann.token, '?by=rule')).body.groups).toMatchObject([
    { key: 'any payment', toolName: 'desk_pay', approved: 1, byGrant: 1 },
    { asked: 1, denied: 1, byPolicy: 1 },
  ]);
  expect((await read(ann.token, `?by=session&session=${first.id}`)).body).toMatchObject({
    total: { asked: 1, byGrant: 1 },
    groups: [{ key: first.id, name: expect.any(String) }],
  });
  expect((await read(ann.token, '?by=person&person=Ann')).body.groups).toMatchObject([
    { key: ann.id, name: 'Ann', asked: 2 },
  ]);
  expect((await read(ann.token, '?to=2020-01-01T00:00:00Z')).body).toMatchObject({ total: { asked: 0 }, groups: [] });
  expect((await read(ann.token, '?tool=desk_look')).body.groups).toHaveLength(1);
  for (const by of ['tool', 'rule', 'session', 'person', 'day'])
    expect(JSON.stringify((await read(server.token, `?by=${by}&tool=desk_pay`)).body)).not.toContain(secret);
});

test('[LESS1] what a rule of the session let pass stays known by its words after the rule was revoked', async () => {
  const { server, read, person } = await open();
  const ann = await person({ role: 'operator', name: 'Ann' });
  for (const [toolName, label] of [
    ['desk_pay', 'any payment'],
    ['desk_order', 'any order'],
  ] as const) {
    const [first, waiting] = [await begin(ann.tab, toolName), await begin(ann.tab, toolName)];
    await waiting.prompt();
    await ann.tab.answer(first.id, await first.prompt(), {
      action: 'approve',
      approvalScope: 'session',
      ruleId: 'any',
    });
    await first.end();
    await (await begin(ann.tab, toolName, first.id)).end();
    await ann.tab.answer(waiting.id, await waiting.prompt(), { action: 'deny' });
    const byRule = async () => (await read(ann.token, `?by=rule&tool=${toolName}`)).body.groups;
    const expected = [
      { key: label, toolName, approved: 1, byGrant: 1 },
      { asked: 1, denied: 1, byGrant: 0 },
    ];
    expect(await byRule()).toMatchObject(expected);
    const { grants } = (await ann.tab.ask({ type: 'list_grants' })) as unknown as { grants: { id: string }[] };
    for (const { id } of grants) await ann.tab.ask({ type: 'revoke_grant', grantId: id });
    expect(await byRule()).toMatchObject(expected);
    expect((await read(server.token, `?by=rule&tool=${toolName}`)).body.groups).toMatchObject(expected);
  }
});

test('[LESS1, SEC4] the log of another session does not say what a rule for all sessions is', async () => {
  const { read, person } = await open();
  const ann = await person({ role: 'operator', name: 'Ann' });
  const first = await begin(ann.tab, 'desk_pay');
  await ann.tab.answer(first.id, await first.prompt(), { action: 'approve', approvalScope: 'always', ruleId: 'any' });
  const other = await begin(ann.tab, 'desk_pay');
  await other.end();
  const guest = await person({ role: 'viewer', sessions: [other.id] });
  expect((await read(guest.token, '?by=rule')).body.groups).toMatchObject([{ byGrant: 1 }]);
  expect(JSON.stringify((await read(guest.token, '?by=rule')).body)).not.toContain('any payment');
  expect(JSON.stringify(ann.tab.events(other.id))).not.toContain('any payment');
  expect((await read(ann.token, '?by=rule')).body.groups).toMatchObject([
    { key: 'any payment', approved: 1, byGrant: 1 },
  ]);
});

test('[LESS1, SEC4] nobody learns of sessions that are not theirs, and an asker of nothing', async () => {
  const { read, person } = await open();
  const ann = await person({ role: 'operator', name: 'Ann' });
  const [one, other] = [await begin(ann.tab, 'desk_pay'), await begin(ann.tab, 'desk_pay')];
  await Promise.all([one.prompt(), other.prompt()]);
  const guest = await person({ role: 'viewer', sessions: [one.id] });
  for (const by of ['tool', 'rule', 'session', 'person', 'day']) {
    const { body } = await read(guest.token, `?by=${by}`);
    expect(body.total.asked).toBe(1);
    expect(JSON.stringify(body)).not.toContain(other.id);
  }
  expect((await read(guest.token, `?session=${one.id}`)).body.total.asked).toBe(1);
  for (const session of [other.id, 'no-such-session'])
    expect(await read(guest.token, `?session=${session}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  expect((await read(ann.token)).body.total.asked).toBe(2);
  const asker = await person({ role: 'asker' });
  expect(await read(asker.token)).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
  expect((await read('wrong')).status).toBe(401);
});

test('[LESS1, TEAM1] a hidden call is counted only for the people who see it', async () => {
  const { server, read, person } = await open();
  const ann = await person({ role: 'responder', name: 'Ann' });
  const hidden = await begin(ann.tab, 'desk_secret');
  const prompt = await hidden.prompt();
  const bob = await person({ role: 'operator', name: 'Bob' });
  const countFor = async (token: string) => (await read(token)).body.groups.map(({ key, asked }) => [key, asked]);
  expect(await countFor(ann.token)).toEqual([['desk_secret', 1]]);
  expect([await countFor(bob.token), await countFor(server.token)]).toEqual([[], []]);
  await ann.tab.answer(hidden.id, prompt, { action: 'approve' });
  await hidden.end();
  expect((await read(ann.token, '?by=person')).body.groups).toMatchObject([{ name: 'Ann', approved: 1 }]);
  expect((await read(bob.token, '?by=person')).body).toMatchObject({ total: { asked: 0 }, groups: [] });
});

test('[LESS1] what the mode allowed of a tool that asks by itself is counted', async () => {
  const { read, person } = await open();
  const ann = await person({ role: 'operator', name: 'Ann' });
  const id = await ann.tab.createSession();
  await ann.tab.follow(id);
  await ann.tab.ask({ type: 'update_session', sessionId: id, permissionMode: 'acceptEdits' });
  const { seq } = await begin(ann.tab, 'desk_edit', id);
  const { payload } = await ann.tab.event(id, 'tool_result', undefined, seq);
  expect(payload).toMatchObject({ result: { approved: true }, authorised: { by: 'mode' } });
  expect((await read(ann.token)).body.total).toMatchObject({ asked: 0, byMode: 1 });
});

test('[LESS1, OPS5] a deleted session is counted no more', async () => {
  const { read, person } = await open();
  const ann = await person({ role: 'operator', name: 'Ann' });
  const { id, prompt, end } = await begin(ann.tab, 'desk_pay');
  await ann.tab.answer(id, await prompt(), { action: 'approve' });
  await end();
  expect((await read(ann.token)).body.total.asked).toBe(1);
  await ann.tab.ask({ type: 'delete_session', sessionId: id });
  expect((await read(ann.token)).body).toMatchObject({ total: { asked: 0 }, groups: [] });
});

test('[LESS1, FRM1] what cannot be counted is refused with a reason', async () => {
  const { server, read } = await open();
  for (const query of ['?by=colour', '?from=yesterday', '?session='])
    expect(await read(server.token, query)).toMatchObject({ status: 400, body: { error: { code: 'bad_frame' } } });
});
