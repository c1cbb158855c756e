import type { ChatEvent, ServerFrame } from '@parleyhq/core';
import { beforeAll, expect, test } from 'vitest';
import { foldOf } from '../support/fold.ts';
import type { Tab } from '../support/tab.ts';
import { startServer, useServer } from '../support/use-server.ts';

const server = useServer();
let writer: Tab;
beforeAll(async () => {
  writer = await server.open();
});

const upTo = (seq: number) => Array.from({ length: seq }, (_, index) => index + 1);
const seqs = (events: readonly ChatEvent[]) => events.map(({ seq }) => seq);

/** Session events at a high rate: every command is one event, and hundreds are in flight at once. */
function pour(session: string, count: number): Promise<unknown> {
  return Promise.all(
    Array.from({ length: count }, (_, n) =>
      writer.ask({ type: 'update_session', sessionId: session, title: `title ${n}` }),
    ),
  );
}

const reaches = (tab: Tab, session: string, seq: number) =>
  tab.until(() => (tab.eventsSinceSnapshot(session).at(-1)?.seq ?? 0) >= seq);

test('[RPL1, EVT1] a subscriber during a stream of events gets each once, in order, and a matching head', async () => {
  const session = await writer.createSession();
  await pour(session, 300);
  const poured = pour(session, 1500);
  const tabs = await Promise.all(Array.from({ length: 8 }, () => server.open()));
  const snapshots = await Promise.all(tabs.map((tab) => tab.follow(session)));
  await poured;
  for (const [index, tab] of tabs.entries()) {
    await reaches(tab, session, 1800);
    expect(seqs(tab.events(session))).toEqual(upTo(1800));
    const { seq, head } = snapshots[index] as (typeof snapshots)[0];
    expect(seq).toBeGreaterThanOrEqual(300);
    expect(head).toEqual(JSON.parse(JSON.stringify(foldOf(tab.events(session).slice(0, seq)).head)));
    expect(phasesOf(tab.frames, session)).toMatch(/^snapshot (chat_events )+live (chat_event )*$/);
  }
});

/** Returns the frame types of one session, with repetitions merged. */
function phasesOf(frames: readonly ServerFrame[], session: string): string {
  return frames
    .filter((frame) => ['snapshot', 'chat_events', 'live', 'chat_event', 'reset'].includes(frame.type))
    .filter((frame) => 'sessionId' in frame && frame.sessionId === session)
    .map(({ type }) => `${type} `)
    .join('');
}

test('[RPL1] the frame `live` marks the end of history, and only newer events follow it', async () => {
  const session = await writer.createSession();
  await pour(session, 10);
  const tab = await server.open();
  await tab.follow(session);
  expect(await tab.waitFor('live')).toMatchObject({ sessionId: session, seq: 10 });
  await pour(session, 1);
  await reaches(tab, session, 11);
  expect(phasesOf(tab.frames, session)).toBe('snapshot chat_events live chat_event ');
});

test('[RPL1] subscribing again on the same connection while events arrive starts over without a gap', async () => {
  const session = await writer.createSession();
  await pour(session, 50);
  const tab = await server.open();
  await tab.follow(session);
  const poured = pour(session, 600);
  for (let round = 0; round < 6; round += 1) tab.send({ type: 'subscribe', sessionId: session });
  await tab.follow(session);
  await poured;
  await reaches(tab, session, 650);
  expect(seqs(tab.eventsSinceSnapshot(session))).toEqual(upTo(650));
});

test('[RPL1, FRM4] a cursor gets only newer events, while more arrive', async () => {
  const session = await writer.createSession();
  await pour(session, 20);
  const tab = await server.open();
  const { epoch } = await tab.follow(session);
  let seen: ChatEvent[] = [];
  let last = tab;
  for (let round = 0; round < 5; round += 1) {
    const poured = pour(session, 200);
    await reaches(last, session, 50 + 200 * round);
    last.terminate();
    await last.closed();
    seen = [...seen, ...last.events(session)];
    last = await server.open({ clientId: tab.clientId });
    await last.follow(session, { cursor: { epoch, seq: seen.at(-1)?.seq as number } });
    await poured;
    await reaches(last, session, 20 + 200 * (round + 1));
  }
  const all = [...seen, ...last.events(session)];
  expect(seqs(all)).toEqual(upTo(1020));
  expect(last.frames.some(({ type }) => type === 'reset')).toBe(false);
  const fresh = await server.open();
  await fresh.follow(session);
  expect(foldOf(all)).toEqual(foldOf(fresh.events(session)));
});

test('[RPL1] a cursor at the head gets nothing but live', async () => {
  const session = await writer.createSession();
  await pour(session, 5);
  const tab = await server.open();
  const { epoch } = await tab.waitFor('welcome');
  await tab.follow(session, { cursor: { epoch, seq: 5 } });
  expect(phasesOf(tab.frames, session)).toBe('snapshot live ');
});

test.each([
  ['another epoch', { epoch: 'another', seq: 3 }],
  ['a cursor beyond the head', { seq: 6 }],
])('[RPL2] %s gives reset and the whole history', async (_, cursor) => {
  const session = await writer.createSession();
  await pour(session, 5);
  const tab = await server.open();
  const { epoch } = await tab.waitFor('welcome');
  await tab.follow(session, { cursor: { epoch, ...cursor } });
  expect(await tab.waitFor('reset')).toEqual({ type: 'reset', sessionId: session, epoch });
  expect(phasesOf(tab.frames, session)).toBe('reset snapshot chat_events live ');
  expect(seqs(tab.events(session))).toEqual(upTo(5));
});

test('[RPL2, DUR1] the epoch and cursors survive a restart', async () => {
  const own = await startServer();
  const tab = await own.open();
  const session = await tab.createSession();
  const { epoch } = await tab.follow(session);
  await tab.say(session, 'hello');
  await tab.event(session, 'turn_end');
  await own.restart();
  const back = await own.open();
  expect(await back.waitFor('welcome')).toMatchObject({ epoch });
  await back.follow(session, { cursor: { epoch, seq: 3 } });
  expect(back.events(session)).toEqual(tab.events(session).slice(3));
});

test('[RPL1] no events arrive after unsubscribe', async () => {
  const session = await writer.createSession();
  const tab = await server.open();
  await tab.follow(session);
  await tab.ask({ type: 'unsubscribe', sessionId: session });
  await pour(session, 3);
  tab.send({ type: 'ping' });
  await tab.waitFor('pong');
  expect(tab.events(session)).toEqual([]);
});
