import type { InteractionRequest } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Journey, pluginPath } from '../support/journey.ts';
import { startServer, useServer } from '../support/use-server.ts';

const plugins = [pluginPath('approve.mjs')];
const server = useServer({ plugins });

async function ask(journey: Journey, toolName: string, path: string, more: object = {}): Promise<InteractionRequest> {
  const { seq } = await journey.call(toolName, { path, ...more });
  return journey.tab.prompt(journey.session, seq);
}

interface Listed {
  readonly id: string;
  readonly interactionId?: string;
  readonly uses: number;
}

async function listGrants({ tab }: Journey): Promise<Listed[]> {
  return ((await tab.ask({ type: 'list_grants' })) as { grants: Listed[] }).grants;
}

test('[APR2] after an approval for once it asks again, and a refusal names the cause and the reason', async () => {
  const journey = await Journey.begin(server);
  const first = await ask(journey, 'wipe', 'a');
  expect(first).toMatchObject({
    interactionType: 'approval',
    approvalScopes: ['once', 'session', 'always'],
    isPlain: true,
  });
  await journey.answer(first, { action: 'approve', reason: 'Go on.' });
  const approved = { approved: true, scope: 'once', args: { path: 'a' }, reason: 'Go on.' };
  expect(await journey.outcome(first)).toMatchObject({ result: approved });
  await journey.event('turn_end');
  const second = await ask(journey, 'wipe', 'a');
  await journey.answer(second, { action: 'deny', reason: 'Not twice.' });
  const at = journey.settlements(second)[0]?.timestamp;
  expect(await journey.outcome(second)).toMatchObject({
    result: { approved: false, code: 'denied', reason: 'Not twice.', by: { principal: 'owner' }, at },
  });
  const third = await ask(journey, 'wipe', 'a');
  await journey.answer(third, { action: 'cancel' });
  expect(await journey.outcome(third)).toMatchObject({ result: { approved: false, code: 'cancelled' } });
});

test.each([
  ['session', null],
  ['always', true],
] as const)(
  '[APR2, APR4] an approval for %s is not asked again, and its grant says who, when, what and from which prompt',
  async (scope, isElsewhere) => {
    const [one, two] = [await Journey.begin(server), await Journey.begin(server)];
    const prompt = await ask(one, 'wipe', scope);
    await one.answer(prompt, { action: 'approve', approvalScope: scope });
    expect(await one.outcome(prompt)).toMatchObject({ result: { approved: true, scope } });
    await one.event('turn_end');
    expect(await one.run('wipe', { path: scope })).toMatchObject({ result: { approved: true, scope } });
    expect(await listGrants(one)).toContainEqual(
      expect.objectContaining({
        scope,
        plugin: 'approve',
        toolName: 'wipe',
        uses: 1,
        by: expect.objectContaining({ clientId: one.tab.clientId }),
        interactionId: prompt.interactionId,
        title: 'Wipe it?',
        subject: { kind: 'text', text: scope },
      }),
    );
    if (isElsewhere) expect(await two.run('wipe', { path: scope })).toMatchObject({ result: { approved: true } });
    else await two.answer(await ask(two, 'wipe', scope), { action: 'deny' });
  },
);

test.each([
  ['session', { approvalScope: 'session' }],
  ['always', { approvalScope: 'always' }],
  ['an edit', { editedArgs: { path: 'b' } }],
])('[APR2, INT5] %s without the digest of what was shown is refused, and the prompt stays open', async (_, more) => {
  const journey = await Journey.begin(server);
  const prompt = await ask(journey, 'touch', 'digest');
  const refused = await journey.answer(prompt, { action: 'approve', ...more, digest: undefined });
  expect(refused).toMatchObject({
    error: { code: 'invalid', details: { fieldErrors: { digest: expect.any(String) } } },
  });
  expect(await journey.answer(prompt, { action: 'approve', ...more, digest: 'other' })).toMatchObject({
    error: { code: 'stale' },
  });
  expect(await journey.answer(prompt, { action: 'approve' })).toMatchObject({ ok: true });
});

test('[APR2, INT8] edited arguments are run and covered by the grant; invalid ones are asked about again', async () => {
  const journey = await Journey.begin(server);
  const prompt = await ask(journey, 'touch', 'theirs');
  expect(JSON.parse(prompt.subject!.text)).toEqual({ path: 'theirs' });
  await journey.answer(prompt, { action: 'approve', editedArgs: { path: 7 } });
  const second = await journey.next(prompt);
  expect(second.error).toMatch(/path/);
  await journey.answer(second, { action: 'approve', editedArgs: { path: 'nowhere' } });
  const third = await journey.next(second);
  expect(third.error).toBe('There is no such path.');
  await journey.answer(third, { action: 'approve', approvalScope: 'session', editedArgs: { path: 'mine' } });
  const args = { path: 'mine' };
  expect(await journey.outcome(prompt)).toMatchObject({ result: { approved: true, scope: 'session', args } });
  await journey.event('turn_end');
  expect(await journey.run('touch', args)).toEqual({ result: { approved: true, scope: 'session', args } });
  await journey.answer(await ask(journey, 'touch', 'theirs'), { action: 'deny' });
});

test('[APR2] an edit under a fixed key is allowed only once, because nobody approved what the key names', async () => {
  const journey = await Journey.begin(server);
  const prompt = await ask(journey, 'fixed', 'named');
  await journey.answer(prompt, { action: 'approve', approvalScope: 'always', editedArgs: { path: 'edited' } });
  expect(await journey.outcome(prompt)).toMatchObject({
    result: { approved: true, scope: 'once', args: { path: 'edited' } },
  });
  await journey.answer(await ask(journey, 'fixed', 'named'), { action: 'deny' });
});

test('[APR4] an expired grant allows nothing', async () => {
  const journey = await Journey.begin(server);
  const prompt = await ask(journey, 'touch', 'soon');
  await journey.answer(prompt, { action: 'approve', approvalScope: 'always' });
  await journey.event('turn_end');
  await expect
    .poll(async () => (await listGrants(journey)).some((grant) => grant.interactionId === prompt.interactionId))
    .toBe(false);
  await journey.answer(await ask(journey, 'touch', 'soon'), { action: 'deny' });
});

test('[APR2, DUR1] after kill -9 while a prompt is open, an answer counts, and its grant is kept', async () => {
  const own = await startServer({ plugins });
  const before = await Journey.begin(own);
  const prompt = await ask(before, 'wipe', 'k');
  await own.restart();
  const journey = await before.join(own);
  await journey.answer(prompt, { action: 'approve', approvalScope: 'session' });
  expect(await journey.outcome(prompt)).toMatchObject({ result: { approved: true, scope: 'session', count: 1 } });
  await journey.event('turn_end');
  expect(await journey.run('wipe', { path: 'k' })).toMatchObject({ result: { approved: true } });
});

test('[APR2, DUR2] after kill -9 following an approval, nobody is asked again, nothing runs twice, and a revoked grant stays revoked', async () => {
  const own = await startServer({ plugins });
  const before = await Journey.begin(own);
  const prompt = await ask(before, 'wipe', 'k', { wait: true });
  await before.answer(prompt, { action: 'approve', approvalScope: 'session' });
  const open = (await before.event('interaction_request', ({ payload }) => payload.prompt === 'And then?')).payload;
  const [grant] = await listGrants(before);
  await before.tab.ask({ type: 'revoke_grant', grantId: grant!.id });
  await own.restart();
  const journey = await before.join(own);
  expect(await journey.answer(open, { action: 'approve' })).toMatchObject({ ok: true });
  expect(await journey.outcome(prompt)).toMatchObject({ result: { approved: true, scope: 'session', count: 1 } });
  expect(await listGrants(journey)).toEqual([]);
});

test('[APR2] the approved arguments are those that were shown, even if the handler changes its own meanwhile', async () => {
  const journey = await Journey.begin(server);
  const prompt = await ask(journey, 'sly', 'shown');
  expect(JSON.parse(prompt.subject!.text)).toEqual({ path: 'shown' });
  await journey.answer(prompt, { action: 'approve', approvalScope: 'session' });
  const shown = { approved: true, scope: 'session', args: { path: 'shown' } };
  expect(await journey.outcome(prompt)).toMatchObject({ result: shown });
  const [grant] = (await listGrants(journey)).filter(({ interactionId }) => interactionId === prompt.interactionId);
  expect(grant).toMatchObject({ key: '["sly","shown"]', digest: prompt.digest });
});

test('[APR4, DUR2] after kill -9 following the use of a grant, the call continues with the grant, and the use is counted once', async () => {
  const own = await startServer({ plugins });
  const before = await Journey.begin(own);
  const first = await ask(before, 'wipe', 'k');
  await before.answer(first, { action: 'approve', approvalScope: 'session' });
  const { seq } = await before.event('turn_end');
  await before.call('wipe', { path: 'k', wait: true });
  const open = (await before.event('interaction_request', ({ payload }) => payload.prompt === 'And then?', seq))
    .payload;
  const usesOf = async (journey: Journey) => (await listGrants(journey)).map(({ uses }) => uses);
  expect(await usesOf(before)).toEqual([1]);
  await own.restart();
  const journey = await before.join(own);
  await journey.answer(open, { action: 'approve' });
  expect(await journey.outcome(open)).toMatchObject({ result: { approved: true, scope: 'session' } });
  expect(await usesOf(journey)).toEqual([1]);
  expect(journey.events('interaction_request')).toHaveLength(2);
});

test('[APR4] an approval for always settles the other prompts it covers, in every session, each by a response with the grant', async () => {
  const [one, two] = [await Journey.begin(server), await Journey.begin(server)];
  const line = '/call wipe {"path":"many"}';
  await one.tab.say(one.session, [line, line, '/call wipe {"path":"another"}'].join('\n'));
  const [first, second, other] = await one.prompts(3);
  const elsewhere = await ask(two, 'wipe', 'many');
  await one.answer(first!, { action: 'approve', approvalScope: 'always' });
  for (const [journey, prompt] of [
    [one, second!],
    [two, elsewhere],
  ] as const) {
    expect(await journey.outcome(prompt)).toMatchObject({ result: { approved: true, scope: 'once' } });
    const [response, ...more] = journey.settlements(prompt);
    expect(more).toEqual([]);
    expect(response).toMatchObject({
      type: 'interaction_response',
      payload: { grantId: expect.any(String), action: 'approve' },
    });
    expect(response).toMatchObject({ payload: { by: { clientId: one.tab.clientId } } });
  }
  expect(one.settlements(other!)).toEqual([]);
  await one.answer(other!, { action: 'deny' });
  await expect
    .poll(async () => (await listGrants(two)).find(({ interactionId }) => interactionId === first!.interactionId))
    .toMatchObject({ uses: 2 });
});

test('[APR4] a grant for the session settles nothing of another session', async () => {
  const [one, two] = [await Journey.begin(server), await Journey.begin(server)];
  const line = '/call wipe {"path":"here"}';
  await one.tab.say(one.session, [line, line].join('\n'));
  const [first, second] = await one.prompts(2);
  const elsewhere = await ask(two, 'wipe', 'here');
  await one.answer(first!, { action: 'approve', approvalScope: 'session' });
  expect(await one.outcome(second!)).toMatchObject({ result: { approved: true } });
  expect(two.settlements(elsewhere)).toEqual([]);
  expect(await two.answer(elsewhere, { action: 'deny' })).toMatchObject({ ok: true });
});
