import type { Grant, InteractionRequest } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Journey, pluginPath } from '../support/journey.ts';
import { startServer, useServer } from '../support/use-server.ts';

const plugins = [pluginPath('rules.mjs'), pluginPath('no-covers.mjs')];
const session = { action: 'approve', approvalScope: 'session', ruleId: 'folder' } as const;
const server = useServer({ plugins });

async function ask(journey: Journey, toolName: string, path: string): Promise<InteractionRequest> {
  const { seq } = await journey.call(toolName, { path });
  return journey.tab.prompt(journey.session, seq);
}

/** Calls a tool whose prompt is settled by an earlier permission. @returns its result */
async function runCovered(journey: Journey, toolName: string, path: string): Promise<unknown> {
  const { result } = await journey.run(toolName, { path });
  return result;
}

async function listGrants({ tab, session: sessionId }: Journey): Promise<Grant[]> {
  return ((await tab.ask({ type: 'list_grants', sessionId })) as { grants: Grant[] }).grants;
}

test('[APR7] a rule is offered with its wording; once allowed, it covers exactly what `covers` accepts', async () => {
  const journey = await Journey.begin(server);
  const first = await ask(journey, 'wipe', 'tmp/a');
  expect(first.rules).toEqual([
    { id: 'folder', label: 'everything in tmp', key: ['folder', 'tmp'], scopes: ['session', 'always'] },
  ]);
  expect(await journey.answer(first, session)).toMatchObject({ ok: true });
  expect(await journey.outcome(first)).toMatchObject({ result: { approved: true, scope: 'session' } });
  expect(journey.settlements(first)[0]?.payload).toMatchObject({ ruleId: 'folder', approvalScope: 'session' });
  await journey.event('turn_end');

  expect(await runCovered(journey, 'wipe', 'tmp/b')).toMatchObject({ approved: true, scope: 'session' });
  await journey.answer(await ask(journey, 'wipe', 'home/a'), { action: 'deny' });
  await journey.answer(await ask(journey, 'wipe', 'tmp'), { action: 'deny' });

  const [grant] = await listGrants(journey);
  expect(grant).toMatchObject({
    scope: 'session',
    toolName: 'wipe',
    uses: 1,
    interactionId: first.interactionId,
    rule: { id: 'folder', label: 'everything in tmp', key: ['folder', 'tmp'] },
  });
});

test.each([
  ['one that was not offered', { ruleId: 'other', approvalScope: 'session' }, 'ruleId'],
  ['once', { ruleId: 'folder', approvalScope: 'once' }, 'approvalScope'],
  ['no scope', { ruleId: 'folder' }, 'approvalScope'],
  ['edited arguments', { ruleId: 'folder', approvalScope: 'session', editedArgs: { path: 'etc/x' } }, 'editedArgs'],
  ['no digest', { ruleId: 'folder', approvalScope: 'session', digest: undefined }, 'digest'],
  ['a denial', { ruleId: 'folder', action: 'deny' }, 'ruleId'],
])('[APR7, INT5] a rule with %s is invalid, and the prompt stays open', async (_, more, field) => {
  const journey = await Journey.begin(server);
  const prompt = await ask(journey, 'wipe', 'invalid/a');
  expect(await journey.answer(prompt, { action: 'approve', ...more })).toMatchObject({
    error: { code: 'invalid', details: { fieldErrors: { [field]: expect.any(String) } } },
  });
  expect(await journey.answer(prompt, { action: 'deny' })).toMatchObject({ ok: true });
  expect(await listGrants(journey)).toEqual([]);
});

test('[APR7] a rule of one tool covers no other, nor a question that offers no rule', async () => {
  const journey = await Journey.begin(server);
  await journey.answer(await ask(journey, 'wipe_twice', 'tmp/a'), session);
  const second = (await journey.event('interaction_request', ({ payload }) => payload.title === 'And this?')).payload;
  expect(journey.settlements(second)).toEqual([]);
  await journey.answer(second, { action: 'deny' });
  expect(await journey.outcome(second)).toEqual({ result: [true, false] });
  await journey.event('turn_end');
  for (const toolName of ['wipe', 'bare', 'gated']) {
    await journey.answer(await ask(journey, toolName, 'tmp/a'), { action: 'deny' });
  }
});

test.each(['throws', 'words'])('[APR7] covers that %s covers nothing, and the log says so', async (folder) => {
  const journey = await Journey.begin(server);
  await journey.answer(await ask(journey, 'wipe', `${folder}/a`), session);
  await journey.event('turn_end');
  await journey.answer(await ask(journey, 'wipe', `${folder}/b`), { action: 'deny' });
  await server.says(folder === 'throws' ? 'covers failed' : 'covers returned neither');
});

test('[APR7] the gate offers the rules of its tool, and they cover later calls', async () => {
  const journey = await Journey.begin(server);
  const gate = await ask(journey, 'gated', 'tmp/a');
  expect(gate.interactionId).toBe(`${gate.toolCallId}.0`);
  await journey.answer(gate, session);
  expect(await journey.outcome(gate)).toEqual({ result: 'tmp/a' });
  await journey.event('turn_end');
  expect(await runCovered(journey, 'gated', 'tmp/b')).toBe('tmp/b');
  const [grant] = await listGrants(journey);
  const calls = journey.events('tool_call');
  expect(calls.at(-1)?.payload).toMatchObject({ authorised: { by: 'grant', grantId: grant?.id } });
  expect(grant?.uses).toBe(1);
  await journey.answer(await ask(journey, 'gated', 'home/b'), { action: 'deny' });
});

test('[APR4, APR7] a rule settles the other open prompts that it covers, and always holds in every session', async () => {
  const [one, two] = [await Journey.begin(server), await Journey.begin(server)];
  await one.tab.say(one.session, ['/call wipe {"path":"all/a"}', '/call wipe {"path":"all/b"}'].join('\n'));
  const [first, second] = await one.prompts(2);
  const elsewhere = await ask(two, 'wipe', 'all/c');
  const other = await ask(await Journey.begin(server), 'wipe', 'some/c');
  await one.answer(first!, { ...session, approvalScope: 'always' });
  for (const [journey, prompt] of [
    [one, second!],
    [two, elsewhere],
  ] as const) {
    expect(await journey.outcome(prompt)).toMatchObject({ result: { approved: true } });
    expect(journey.settlements(prompt)[0]?.payload).toMatchObject({ grantId: expect.any(String) });
  }
  expect(two.settlements(other)).toEqual([]);
  await two.event('turn_end');
  expect(await runCovered(two, 'wipe', 'all/d')).toMatchObject({ approved: true, scope: 'always' });
});

test('[APR7] arguments that were edited at the gate are judged, not those that the model sent', async () => {
  const journey = await Journey.begin(server);
  const gate = await ask(journey, 'edited', 'tmp/a');
  await journey.answer(gate, { action: 'approve' });
  const own = await journey.event('interaction_request', ({ payload }) => payload.slot !== '$gate');
  await journey.answer(own.payload, session);
  const { seq } = await journey.event('turn_end');

  const again = await ask(journey, 'edited', 'tmp/b');
  await journey.answer(again, { action: 'approve', editedArgs: { path: 'home/keys' } });
  const asked = await journey.event('interaction_request', ({ payload }) => payload.slot !== '$gate', seq);
  expect(asked.payload.subject?.text).toBe('Wipe home/keys');
  expect(await journey.answer(asked.payload, { action: 'deny' })).toMatchObject({ ok: true });
});

test('[APR7, DUR2] a rule survives kill -9, and so does what it let through', async () => {
  const own = await startServer({ plugins });
  const before = await Journey.begin(own);
  await before.answer(await ask(before, 'wipe', 'tmp/a'), session);
  await before.event('turn_end');
  await own.kill();
  await own.restart();
  const journey = await before.join(own);
  expect(await runCovered(journey, 'wipe', 'tmp/b')).toMatchObject({ approved: true });
  const [grant] = await listGrants(journey);
  await journey.tab.ask({ type: 'revoke_grant', grantId: grant!.id });
  await journey.answer(await ask(journey, 'wipe', 'tmp/c'), { action: 'deny' });
});

test('[APR7, PLG2] rules of a plugin without covers are refused', async () => {
  const journey = await Journey.begin(server);
  expect(await journey.run('careless')).toMatchObject({
    error: { code: 'tool_error', message: expect.stringMatching(/covers/) },
  });
});
