import { definePlugin, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import type { Tab } from '../support/tab.ts';

const laundry = definePlugin({
  name: 'laundry',
  tools: [
    {
      name: 'later',
      description: 'Asks, and goes on without an answer.',
      parameters: { type: 'object' },
      handler: (_, ctx: ToolContext) =>
        ctx.requestInteraction({
          type: 'approval',
          prompt: 'Which command?',
          timeoutMs: 20,
          onTimeout: () => ({ pending: { message: 'Later.' } }),
        }),
    },
    {
      name: 'wait',
      description: 'Waits for a person.',
      parameters: { type: 'object' },
      handler: (_, ctx: ToolContext) => ctx.confirm('wait', 'Go on?'),
    },
  ],
});

/** Opens a pending question of a turn that Ann asked for and that has ended. */
async function open() {
  const server = await startGuardedServer({ plugins: [laundry] });
  const tokens = {
    ann: (await server.makeToken({ role: 'responder', name: 'Ann', owner: 'ann' })).token,
    bob: (await server.makeToken({ role: 'responder', name: 'Bob', owner: 'bob' })).token,
  };
  const enter = (token: string): Promise<Tab> => server.local.open({ hello: { token } });
  const owner = await server.enter();
  const session = await owner.createSession();
  const ann = await enter(tokens.ann);
  for (const tab of [owner, ann]) await tab.follow(session);
  await ann.say(session, '/call later {}');
  const prompt = await owner.prompt(session);
  await owner.event(session, 'turn_end');
  return { server, owner, session, prompt, enterAsBob: () => enter(tokens.bob) };
}

const isLate = ({ payload }: { payload: { trigger: string } }) => payload.trigger === 'interaction';

test("[TEAM2, INT9] the requesters of a late answer's turn are whoever answered and whoever asked, also after a restart", async () => {
  const { server, session, prompt, enterAsBob } = await open();
  await server.local.restart();
  const bob = await enterAsBob();
  await bob.follow(session);
  expect(await bob.answer(session, prompt, { action: 'deny' })).toMatchObject({ ok: true });
  expect((await bob.event(session, 'turn_start', isLate)).payload.requesters).toEqual(['bob', 'ann']);
});

test('[TEAM2, INT19] a late answer that waited through a restart keeps its requesters, too', async () => {
  const { server, owner, session, prompt, enterAsBob } = await open();
  const { seq } = await owner.say(session, '/call wait {}');
  const waiting = await owner.prompt(session, seq);
  const bob = await enterAsBob();
  await bob.answer(session, prompt, { action: 'deny' });
  await owner.event(session, 'message_queued');
  await server.local.restart();
  const back = await server.enter();
  await back.follow(session);
  await back.answer(session, waiting, { action: 'approve' });
  expect((await back.event(session, 'turn_start', isLate)).payload.requesters).toEqual(['bob', 'ann']);
});
