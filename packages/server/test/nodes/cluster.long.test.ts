import type { InteractionRequest } from '@parleyhq/core';
import { expect, test } from 'vitest';
import type { Reply, Tab } from '../support/tab.ts';
import { startTwo } from './support/start-nodes.ts';

const ask = '/call ask_user {"question":"Tea or coffee?","options":["Tea","Coffee"]}';

function answer(tab: Tab, session: string, prompt: InteractionRequest, choice: string): Promise<Reply> {
  return tab.answer(session, prompt, { action: 'submit', input: { answer: choice } });
}

/** Returns a tab's log of a session, without the ids of whoever answered. */
function logOf(tab: Tab, session: string): string[] {
  return tab.events(session).map(({ seq, type }) => `${seq} ${type}`);
}

test('[OPS4, INT4] a prompt is answered once, at whichever node, and every tab sees the same log', async () => {
  const [a, b] = (await startTwo()).nodes;
  const [atA, atB] = [await a.open(), await b.open()];
  const session = await atA.createSession();
  await atB.until((frame) => frame.type === 'session_created' && frame.session.id === session);
  await Promise.all([atA.follow(session), atB.follow(session)]);
  for (let round = 0; round < 5; round += 1) {
    const last = atA.events(session).at(-1)?.seq ?? 0;
    await (round % 2 === 0 ? atA : atB).say(session, ask); // its node runs the turn
    const [promptA, promptB] = await Promise.all([atA.prompt(session, last), atB.prompt(session, last)]);
    expect(promptB).toEqual(promptA);
    const replies = await Promise.all([answer(atA, session, promptA, 'Tea'), answer(atB, session, promptB, 'Coffee')]);
    expect(replies.map((reply) => (reply.ok ? 'ok' : reply.error.code)).toSorted()).toEqual(['already_answered', 'ok']);
    await Promise.all([atA, atB].map((tab) => tab.event(session, 'turn_end', undefined, last)));
    const responses = atB.events(session).filter(({ type, seq }) => type === 'interaction_response' && seq > last);
    expect(responses).toHaveLength(1);
  }
  expect(logOf(atB, session)).toEqual(logOf(atA, session));
  const late = await b.open();
  await late.follow(session);
  await late.event(session, 'turn_end', undefined, atA.events(session).at(-2)?.seq);
  expect(logOf(late, session)).toEqual(logOf(atA, session));
});

test('[OPS4, FRM6] a message that is sent to two nodes at once is stored once, and both senders learn where', async () => {
  const [a, b] = (await startTwo()).nodes;
  const tabs = [await a.open(), await b.open()] as const;
  const session = await tabs[0].createSession();
  await tabs[1].until((frame) => frame.type === 'session_created' && frame.session.id === session);
  await Promise.all(tabs.map((tab) => tab.follow(session)));
  for (let round = 1; round <= 10; round += 1) {
    const id = `message ${round}`;
    const [here, there] = await Promise.all([tabs[0].say(session, id, id), tabs[1].say(session, id, id)]);
    expect(there.seq).toBe(here.seq);
    for (const tab of tabs) await tab.event(session, 'turn_end', undefined, here.seq);
  }
  for (const tab of tabs) {
    const said = tab
      .events(session)
      .flatMap((event) => (event.type === 'user_message' ? [event.payload.messageId] : []));
    expect(said).toEqual(Array.from({ length: 10 }, (_, n) => `message ${n + 1}`));
    expect(tab.events(session).filter(({ type }) => type === 'turn_start')).toHaveLength(10);
  }
  expect(logOf(tabs[1], session)).toEqual(logOf(tabs[0], session));
});

test('[OPS4] a tab that moves to another node continues where it was; a deleted session ends everywhere', async () => {
  const [a, b] = (await startTwo()).nodes;
  const atA = await a.open();
  const session = await atA.createSession();
  await atA.follow(session);
  await atA.say(session, ask);
  const prompt = await atA.prompt(session);
  const { epoch, seq } = { ...(await atA.waitFor('snapshot')), seq: atA.events(session).at(-1)?.seq ?? 0 };
  const moved = await b.open();
  await moved.follow(session, { cursor: { epoch, seq } });
  expect(moved.events(session)).toEqual([]);
  await moved.until((frame) => frame.type === 'snapshot' && frame.seq === seq);
  expect((await answer(moved, session, prompt, 'Tea')).ok).toBe(true);
  await atA.event(session, 'turn_end');
  await moved.ask({ type: 'delete_session', sessionId: session });
  await atA.until((frame) => frame.type === 'session_deleted' && frame.session.id === session);
});
