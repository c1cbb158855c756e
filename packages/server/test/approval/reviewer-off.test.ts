import { definePlugin, defineTool, type Grant, isReviewerOff, type Plugin } from '@parleyhq/core';
import { addToken } from '@parleyhq/server/testing';
import { expect, test, vi } from 'vitest';
import { Journey } from '../support/journey.ts';
import { type LocalServer, startLocalServer } from '../support/local-server.ts';

const quiet = (name: string) =>
  defineTool({
    name,
    description: 'Says what it got.',
    parameters: { type: 'object' },
    describe: () => ({ title: `Run ${name}?`, risk: 'low' }),
    handler: (args) => args,
  });

/** The calls that the reviewer has seen, as their session and tool. */
const seen: string[] = [];

const plugins: Plugin[] = [
  definePlugin({
    name: 'tools',
    tools: [quiet('one'), quiet('other'), quiet('free')],
    reviewers: [
      {
        name: 'guard',
        review({ sessionId, toolName }) {
          seen.push(`${sessionId} ${toolName}`);
          return { verdict: 'pass', reason: 'It only repeats words.' };
        },
      },
    ],
  }),
];
const policies = [
  { tool: 'one', effect: 'review', reviewer: 'guard', sample: 0 },
  { tool: 'other', effect: 'review', reviewer: 'guard', sample: 0 },
] as const;
const start = () => startLocalServer({ plugins, policies });

/** Returns what authorised a call; a prompt is allowed. */
async function authorityOf(journey: Journey, name: string): Promise<string> {
  const { seq } = await journey.call(name, {});
  const { authorised } = (await journey.event('tool_call', undefined, seq)).payload;
  if (authorised.by === 'person')
    await journey.answer(await journey.tab.prompt(journey.session, seq), { action: 'approve' });
  await journey.event('turn_end', undefined, seq);
  return authorised.by;
}

const remove = ({ tab, session }: Journey, scope: 'session' | 'always', toolName = 'one') =>
  tab.request({ type: 'remove_reviewer', sessionId: session, toolName, scope });

async function offs({ tab, session }: Journey): Promise<Grant[]> {
  const { grants } = await tab.ask<{ grants: Grant[] }>({ type: 'list_grants', sessionId: session });
  return grants.filter(isReviewerOff);
}

async function serverAudit({ store }: LocalServer): Promise<object[]> {
  return (await store.audit.read('')).map(({ text }) => JSON.parse(text));
}

test('[LESS3] one press takes the reviewer off a tool in a session: its people are asked, others are not', async () => {
  const server = await start();
  const [journey, elsewhere] = [await Journey.begin(server), await Journey.begin(server)];
  expect(await authorityOf(journey, 'one')).toBe('reviewer');
  expect(await remove(journey, 'session')).toMatchObject({ ok: true });
  expect(await authorityOf(journey, 'one')).toBe('person');
  expect(seen.filter((each) => each === `${journey.session} one`)).toHaveLength(1); // nor does it see the call
  expect(await authorityOf(journey, 'other')).toBe('reviewer');
  expect(await authorityOf(elsewhere, 'one')).toBe('reviewer');
  const [off] = await offs(journey);
  expect(off).toMatchObject({ toolName: 'one', scope: 'session', takenOffBy: { role: 'operator' }, uses: 0 });
  await server.restart();
  const after = await journey.join(server);
  expect(await authorityOf(after, 'one')).toBe('person');
  await after.tab.ask({ type: 'revoke_grant', grantId: off!.id });
  expect(await offs(after)).toEqual([]);
  expect(await authorityOf(after, 'one')).toBe('reviewer');
  expect(await serverAudit(server)).toEqual([
    expect.objectContaining({ event: 'reviewer_removed', id: off!.id, toolName: 'one', session: journey.session }),
    expect.objectContaining({ event: 'reviewer_restored', id: off!.id, cause: 'person' }),
  ]);
});

test('[LESS3] an operator takes the reviewer off a tool in all sessions; twice is once', async () => {
  const server = await start();
  const [journey, elsewhere] = [await Journey.begin(server), await Journey.begin(server)];
  await remove(journey, 'always');
  await remove(elsewhere, 'always');
  expect(await authorityOf(journey, 'one')).toBe('person');
  expect(await authorityOf(elsewhere, 'one')).toBe('person');
  expect(await offs(journey)).toHaveLength(1);
  expect(await serverAudit(server)).toMatchObject([{ event: 'reviewer_removed' }]);
});

test('[LESS3] it is no consent: nothing that it is listed with runs by it', async () => {
  const journey = await Journey.begin(await start());
  await remove(journey, 'always');
  const { seq } = await journey.call('one', {});
  const prompt = await journey.tab.prompt(journey.session, seq);
  await journey.answer(prompt, { action: 'deny' });
  expect((await journey.outcome(prompt)).error?.code).toBe('denied');
});

test('[LESS3, SEC4] who may take it off and put it back', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] }); // sockets outlive their tokens: the server does not look for ended ones
  const server = await startLocalServer({ plugins, policies, token: 'parley_0123456789abcdef' });
  vi.useRealTimers();
  const owner = await Journey.begin(server, { hello: { token: 'parley_0123456789abcdef' } });
  const tokenOf = async (role: 'viewer' | 'responder' | 'operator', sessions?: string[]) =>
    (await addToken(server, { role, name: role, ...(sessions && { sessions }) })).token;
  const join = async (...token: Parameters<typeof tokenOf>) =>
    owner.join(server, { hello: { token: await tokenOf(...token) } });
  const refused = { ok: false, error: { code: 'forbidden' } };
  expect(await remove(await join('viewer'), 'session')).toMatchObject(refused);
  const responder = await join('responder', [owner.session]);
  expect(await remove(responder, 'always')).toMatchObject(refused);
  expect(await remove(await join('operator', [owner.session]), 'always')).toMatchObject(refused);
  expect(await remove(responder, 'session')).toMatchObject({ ok: true });
  const [off] = await offs(owner);
  const back = { type: 'revoke_grant', grantId: off!.id } as const;
  expect(await responder.tab.request(back)).toMatchObject(refused);
  expect(await owner.tab.request(back)).toMatchObject({ ok: true });
});

test('[LESS3, SEC9] a token that is revoked leaves the reviewer off', async () => {
  const server = await startLocalServer({ plugins, policies, token: 'parley_0123456789abcdef' });
  const owner = await Journey.begin(server, { hello: { token: 'parley_0123456789abcdef' } });
  const { id, token } = await addToken(server, { role: 'responder', name: 'Ann' });
  await remove(await owner.join(server, { hello: { token } }), 'session');
  const late = await owner.join(server, { hello: { token } });
  await server.store.tokens.remove(id);
  expect(await remove(late, 'session', 'other')).toMatchObject({ ok: false, error: { code: 'unauthorised' } });
  expect(await offs(owner)).toHaveLength(1);
  expect(await authorityOf(owner, 'one')).toBe('person');
});

test('[LESS3] a tool that no policy has reviewed has no reviewer to take off', async () => {
  const journey = await Journey.begin(await start());
  expect(await remove(journey, 'session', 'free')).toMatchObject({ ok: false, error: { code: 'not_found' } });
  expect(await remove(journey, 'session', 'nothing')).toMatchObject({ ok: false, error: { code: 'not_found' } });
});
