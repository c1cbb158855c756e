import { definePlugin, type ServerFrameOf, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';

const plugin = definePlugin({
  name: 'desk',
  tools: [
    {
      name: 'desk_release',
      description: 'Asks two of those who answer, and operators when nobody does.',
      parameters: { type: 'object' },
      handler: async ({ afterMs }: { afterMs?: number }, ctx: ToolContext) =>
        ctx.approve({
          key: 'release',
          title: 'Release?',
          decide: { approve: 2 },
          audience: { principals: ['Ann', 'Bob'] },
          ...(afterMs && { escalate: [{ afterMs, audience: { role: 'operator' } }] }),
        }),
    },
  ],
});

async function open(args: object = {}) {
  const server = await startGuardedServer({ plugins: [plugin] });
  const owner = await server.enter();
  const { token } = await server.makeToken({ role: 'responder', name: 'Ann' });
  const enterAsAnn = () => server.local.open({ hello: { token } });
  const ann = await enterAsAnn();
  const bob = await server.enter({ role: 'responder', name: 'Bob' });
  const session = await owner.createSession();
  for (const tab of [owner, ann]) await tab.follow(session);
  await owner.say(session, `/call desk_release ${JSON.stringify(args)}`);
  const prompt = await owner.prompt(session);
  return { server, owner, ann, bob, enterAsAnn, session, prompt };
}

const yes = { action: 'approve' } as const;
const isVoted = ({ type }: { type: string }) => type === 'interaction_voted';

test('[TEAM3] people who may answer and do not follow the session get the tally, without names', async () => {
  const { owner, ann, bob, session, prompt } = await open();
  await bob.waitFor('interaction_opened');
  await ann.answer(session, prompt, { ...yes, digest: prompt.digest });
  const told = (await bob.until(isVoted)) as ServerFrameOf<'interaction_voted'>;
  expect(told).toEqual({
    type: 'interaction_voted',
    sessionId: session,
    interactionId: prompt.interactionId,
    votes: { approve: 1, deny: 0 },
  });
  const { open: entries } = await bob.ask<{ open: object[] }>({ type: 'list_open' });
  expect(entries).toMatchObject([{ votes: { approve: 1, deny: 0 } }]);
  await bob.answer(session, prompt, { ...yes, digest: prompt.digest });
  await owner.event(session, 'interaction_response');
  expect(owner.frames.some(isVoted)).toBe(false); // it may not answer
  expect(ann.frames.some(isVoted)).toBe(false); // it follows the session
  expect(bob.frames.filter(isVoted)).toHaveLength(1); // a deciding vote publishes no tally
});

test('[TEAM3] people see their own vote, and nobody sees that of another', async () => {
  const { ann, bob, enterAsAnn, owner, session, prompt } = await open();
  await bob.waitFor('interaction_opened');
  const aside = await enterAsAnn();
  await ann.answer(session, prompt, { ...yes, digest: prompt.digest });
  expect(await aside.until(isVoted)).toMatchObject({ votes: { approve: 1, deny: 0 }, ownVote: 'approve' });
  expect(await bob.until(isVoted)).not.toHaveProperty('ownVote');
  const read = async (tab: typeof ann) => (await tab.ask<{ open: object[] }>({ type: 'list_open' })).open;
  expect(await read(ann)).toMatchObject([{ votes: { approve: 1, deny: 0 }, ownVote: 'approve' }]);
  const [ofBob] = await read(bob);
  expect(ofBob).not.toHaveProperty('ownVote');
  await ann.answer(session, prompt, { action: 'deny', digest: prompt.digest });
  await owner.event(session, 'interaction_response');
});

test('[TEAM3, TEAM5] whoever is asked in addition gets the tally, at once and when it changes', async () => {
  const { server, ann, bob, session, prompt } = await open({ afterMs: 1000 });
  const cleo = await server.enter({ role: 'operator', name: 'Cleo' });
  await ann.answer(session, prompt, { ...yes, digest: prompt.digest });
  expect(await cleo.waitFor('interaction_opened')).toMatchObject({ votes: { approve: 1, deny: 0 } });
  expect(cleo.frames.some(isVoted)).toBe(false);
  expect(bob.frames.filter(({ type }) => type === 'interaction_opened')).toHaveLength(1);
});
