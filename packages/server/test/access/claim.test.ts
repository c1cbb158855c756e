import type { ServerFrameOf } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import { loadShippedPlugin } from '../support/journey.ts';
import type { Tab } from '../support/tab.ts';

const args = { question: 'Which one?', audience: { principals: ['Ann', 'Bob'] } };

type Claimed = ServerFrameOf<'claimed'>;

const claimed = (tab: Tab, accepts: (frame: Claimed) => boolean = () => true) =>
  tab.until((frame) => frame.type === 'claimed' && accepts(frame as Claimed)) as Promise<Claimed>;

async function open() {
  const server = await startGuardedServer({ plugins: [await loadShippedPlugin('ask-user')] });
  const owner = await server.enter();
  const ann = await server.enter({ role: 'responder', name: 'Ann' });
  const bob = await server.enter({ role: 'responder', name: 'Bob' });
  const session = await owner.createSession();
  for (const tab of [owner, ann]) await tab.follow(session);
  await owner.say(session, `/call ask_human ${JSON.stringify(args)}`);
  const prompt = await owner.prompt(session);
  const frame = { type: 'claim_interaction', sessionId: session, interactionId: prompt.interactionId } as const;
  return { server, owner, ann, bob, session, prompt, frame };
}

test('[TEAM4] "Ann is on it" is published to everybody who may answer, wherever they are, and blocks nobody', async () => {
  const { owner, ann, bob, session, prompt, frame } = await open();
  await ann.ask(frame);
  for (const tab of [ann, bob]) {
    const told = await claimed(tab);
    expect(told).toMatchObject({ sessionId: session, interactionId: prompt.interactionId, by: { name: 'Ann' } });
    const leftMs = Date.parse(told.until) - Date.now();
    expect(leftMs).toBeGreaterThan(4 * 60_000);
    expect(leftMs).toBeLessThanOrEqual(5 * 60_000 + 1000);
  }
  const length = ann.events(session).length;
  expect(await bob.answer(session, prompt, { action: 'submit', input: { answer: 'this' } })).toMatchObject({
    ok: true,
  });
  await owner.event(session, 'tool_result');
  expect(owner.frames.some(({ type }) => type === 'claimed')).toBe(false);
  expect(ann.events(session)[length - 1]?.type).toBe('interaction_request');
});

test('[TEAM4] people who connect later get the claim, until the claimant releases it', async () => {
  const { server, ann, bob, frame } = await open();
  await ann.ask(frame);
  const token = await server.makeToken({ role: 'operator', name: 'Cleo' });
  const later = await server.local.open({ hello: { token: token.token } });
  await later.ask({ type: 'list_open' });
  expect(later.frames.some(({ type }) => type === 'claimed')).toBe(false);
  await bob.ask({ ...frame, release: true });
  await ann.ask({ ...frame, release: true });
  const last = await claimed(bob, ({ until }) => Date.parse(until) <= Date.now() + 1000);
  expect(last.by).toMatchObject({ name: 'Ann' });
});

test('[TEAM4] only people who may answer can claim a prompt, and only while it is open', async () => {
  const { owner, ann, frame } = await open();
  expect(await owner.request(frame)).toMatchObject({ error: { code: 'forbidden' } });
  expect(await ann.request({ ...frame, interactionId: 'nothing.1' })).toMatchObject({ error: { code: 'not_found' } });
});
