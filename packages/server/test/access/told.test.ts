import type { InboxEntry, InteractionRequest, ServerFrame, Session } from '@parleyhq/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GuardedServer } from '../support/guarded-server.ts';
import { pluginPath, question } from '../support/journey.ts';
import type { Tab } from '../support/tab.ts';

let server: GuardedServer;
let owner: Tab;
beforeAll(async () => {
  const { default: scripted } = await import(pluginPath('scripted.mjs'));
  server = new GuardedServer({ plugins: [scripted] });
  await server.start();
  owner = await server.enter();
});
afterAll(() => server.remove());

async function ask(audience?: object): Promise<{ session: string; prompt: InteractionRequest }> {
  const session = await owner.createSession();
  await owner.follow(session);
  const request = question('answer', audience && { audience });
  await owner.say(session, `/call scripted ${JSON.stringify({ request })}`);
  return { session, prompt: await owner.prompt(session) };
}

const isRow =
  (id: string, openCount: number) =>
  (frame: ServerFrame): boolean =>
    frame.type === 'session_updated' && frame.session.id === id && frame.session.openCount === openCount;

const inboxOf = (tab: Tab, id: string) =>
  tab.frames.filter(
    (frame) => (frame.type === 'interaction_opened' || frame.type === 'interaction_settled') && frame.sessionId === id,
  );

const submit = { action: 'submit', input: { answer: 'tea' } };

test('[TEAM1, WEB6] only people who may answer are notified of a prompt and of its end', async () => {
  const ann = await server.enter({ role: 'responder', name: 'Ann' });
  const bob = await server.enter({ role: 'responder', name: 'Bob' });
  const viewer = await server.enter({ role: 'viewer' });
  const { session, prompt } = await ask({ principals: ['Ann', 'owner'] });
  await ann.until(isRow(session, 1));
  const waits = (frame: ServerFrame) =>
    frame.type === 'session_updated' && frame.session.id === session && frame.session.status === 'waiting';
  await bob.until(waits);
  await viewer.until(waits);
  await owner.answer(session, prompt, submit);
  const ends = (frame: ServerFrame) =>
    frame.type === 'session_updated' && frame.session.id === session && frame.session.status === 'idle';
  for (const tab of [ann, bob, viewer]) await tab.until(ends);
  expect(inboxOf(ann, session).map(({ type }) => type)).toEqual(['interaction_opened', 'interaction_settled']);
  for (const tab of [bob, viewer]) {
    expect(inboxOf(tab, session)).toEqual([]);
    expect(tab.frames.some(isRow(session, 1))).toBe(false);
  }
});

test('[TEAM1] a welcome, a list and a snapshot count what their reader may answer', async () => {
  const mine = await ask({ role: 'operator' });
  const anybodys = await ask();
  const tellings = async (tab: Tab) => {
    const { open, openTotal, sessions } = await tab.waitFor('welcome');
    expect(openTotal).toBe(open.length);
    expect((await tab.ask<{ open: InboxEntry[] }>({ type: 'list_open' })).open).toEqual(open);
    const listed = (await tab.ask<{ sessions: Session[] }>({ type: 'list_sessions' })).sessions;
    const counts = (rows: readonly Session[], { session }: { session: string }) =>
      rows.find(({ id }) => id === session)?.openCount;
    const snapshots = [(await tab.follow(mine.session)).session, (await tab.follow(anybodys.session)).session];
    return {
      open: [mine, anybodys].map(({ session }) => open.filter(({ sessionId }) => sessionId === session).length),
      welcomed: [mine, anybodys].map((each) => counts(sessions, each)),
      listed: [mine, anybodys].map((each) => counts(listed, each)),
      snapshots: snapshots.map(({ openCount }) => openCount),
    };
  };
  const all = (counts: number[]) => ({ open: counts, welcomed: counts, listed: counts, snapshots: counts });
  expect(await tellings(await server.enter())).toEqual(all([1, 1]));
  expect(await tellings(await server.enter({ role: 'responder', name: 'Cleo' }))).toEqual(all([0, 1]));
  expect(await tellings(await server.enter({ role: 'viewer' }))).toEqual(all([0, 0]));
});
