import type { Append, Plugin } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { type GuardedServer, useGuardedServer } from '../support/guarded-server.ts';
import { hold } from '../support/hold.ts';
import { Journey } from '../support/journey.ts';

const ran: string[] = [];
const base = { description: 'Runs.', parameters: { type: 'object' } } as const;
const plugin: Plugin = {
  name: 'taken-back',
  tools: [
    { ...base, name: 'guarded', approval: 'always', handler: (args) => ran.push(JSON.stringify(args)) },
    { ...base, name: 'free', handler: () => 'ran' },
  ],
};
const server = useGuardedServer({ plugins: [plugin] });

/** Runs `work` once, between the look-up of a grant and the commit that uses it. */
function beforeUse({ local: { store } }: GuardedServer, work: () => Promise<unknown>): void {
  let isDone = false;
  store.intercept('events', 'append', async (proceed, { usedGrants }: Append) => {
    const isUse = !isDone && usedGrants !== undefined && usedGrants.ids.length > 0;
    isDone ||= isUse;
    if (isUse) await work();
    return proceed();
  });
}

const begin = (token = server.token) => Journey.begin(server.local, { hello: { token } });

/** Gives a lasting consent to a call of `guarded`. */
async function allow(journey: Journey, args: object, approvalScope = 'always') {
  const prompt = await journey.ask('guarded', args);
  await journey.answer(prompt, { action: 'approve', approvalScope });
  const { seq } = await journey.event('turn_end', undefined, journey.events().at(-1)?.seq);
  return { grantId: await journey.grantOf(prompt), seq };
}

test('[APR4] if a grant is revoked before the call that uses it is stored, nothing runs and a person is asked', async () => {
  const journey = await begin();
  const { grantId, seq } = await allow(journey, { n: 1 });
  const desk = await server.enter();
  beforeUse(server, () => desk.ask({ type: 'revoke_grant', grantId }));
  const before = ran.length;
  await journey.tab.say(journey.session, '/call guarded {"n":1}\n/call free {}');
  const prompt = await journey.tab.prompt(journey.session, seq);
  const { payload } = await journey.event('tool_call', undefined, seq);
  expect(payload.authorised).toEqual({ by: 'person', interactionId: prompt.interactionId });
  expect(ran).toHaveLength(before);
  await journey.answer(prompt, { action: 'deny' });
  const results = await Promise.all(
    ['guarded', 'free'].map((name) =>
      journey.event('tool_result', (event) => event.payload.toolName === name && event.seq > seq),
    ),
  );
  expect(results.map(({ payload: { result, error } }) => error?.code ?? result)).toEqual(['denied', 'ran']);
});

test("[SEC9, APR4] the same holds if the giver's token is revoked meanwhile", async () => {
  const { id, token } = await server.makeToken({ role: 'operator', name: 'Ann' });
  const ann = await begin(token);
  const journey = await ann.join(server.local, { hello: { token: server.token } });
  const { seq } = await allow(ann, { n: 2 });
  beforeUse(server, () => server.local.store.tokens.remove(id));
  await journey.call('guarded', { n: 2 });
  const prompt = await journey.tab.prompt(journey.session, seq);
  await journey.answer(prompt, { action: 'deny' });
  await journey.event('turn_end', undefined, seq);
});

/** Opens a prompt that a grant given elsewhere covers; resolves when the grant is about to settle it and `work` is done. */
async function cover(waiting: Journey, args: object, work: (grantId: string) => Promise<unknown>) {
  const open = await waiting.ask('guarded', args);
  const giver = await begin();
  const prompt = await giver.ask('guarded', args);
  const { until, release } = hold();
  beforeUse(server, async () => work(await giver.grantOf(prompt)).finally(release));
  await giver.answer(prompt, { action: 'approve', approvalScope: 'always' });
  await until;
  return open;
}

test('[APR4] a prompt that a grant is about to settle stays open if the grant is revoked first, and others are not refused', async () => {
  const [journey, desk] = [await begin(), await server.enter()];
  const open = await cover(journey, { n: 3 }, (grantId) => desk.ask({ type: 'revoke_grant', grantId }));
  await journey.tab.ask({ type: 'update_session', sessionId: journey.session, title: 'Afterwards' });
  await journey.event('session_changed');
  expect(journey.settlements(open)).toEqual([]);
  expect(await journey.answer(open, { action: 'deny' })).toMatchObject({ ok: true });
});

test('[APR4] if another grant takes its place meanwhile, that one settles the prompt', async () => {
  const { grants } = server.local.store;
  const journey = await begin();
  const open = await cover(journey, { n: 4 }, async (grantId) => {
    const given = (await grants.list(Date.now())).find(({ id }) => id === grantId);
    if (given) await grants.put({ ...given, id: 'newer' });
  });
  const { payload } = await journey.event('interaction_response');
  expect(payload).toMatchObject({ interactionId: open.interactionId, grantId: 'newer' });
  await journey.event('turn_end');
  expect((await grants.list(Date.now())).find(({ id }) => id === 'newer')).toMatchObject({ uses: 1 });
});
