import { type ChatEvent, emptyItems, listItems, mergeItems, reduceItems } from '@parleyhq/core';
import { beforeAll, expect, test } from 'vitest';
import { foldOf } from '../support/fold.ts';
import { loadShippedPlugin } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

const server = useLocalServer({ plugins: [await loadShippedPlugin('ask-user')] });
let tab: Tab;
let session: string;
let whole: ChatEvent[];

/** A long session with two open prompts near its beginning. */
beforeAll(async () => {
  tab = await server.open();
  session = await tab.createSession();
  await tab.follow(session);
  const ask = '/call ask_user {"question":"Well?"}';
  await tab.say(session, `${ask}\n${ask}\n${ask}`);
  const first = await tab.prompt(session);
  await tab.prompt(session, 6);
  await tab.until(() => tab.events(session).filter(({ type }) => type === 'interaction_request').length === 3);
  await tab.answer(session, first, { action: 'submit', input: { answer: 'one' } });
  for (let n = 0; n < 40; n += 1) await tab.ask({ type: 'update_session', sessionId: session, title: `title ${n}` });
  await tab.until(() => tab.events(session).filter(({ type }) => type === 'session_changed').length === 40);
  whole = tab.events(session);
});

const seqs = (events: readonly ChatEvent[]) => events.map(({ seq }) => seq);
const page = async (before: number, limit: number) =>
  (await tab.ask<{ events: ChatEvent[] }>({ type: 'read_events', sessionId: session, before, limit })).events;

test('[RPL4] a tail begins with the requests of older open prompts, then the last events', async () => {
  const late = await server.open();
  const { seq, head } = await late.follow(session, { tail: 10 });
  const open = whole.filter(({ type }) => type === 'interaction_request').slice(1);
  expect(seqs(late.events(session))).toEqual([...seqs(open), ...seqs(whole.slice(-10))]);
  expect(late.events(session)).toEqual([...open, ...whole.slice(-10)]);
  expect(head.prompts.map(({ request }) => request)).toEqual(open.map(({ payload }) => payload));
  expect(seq).toBe(whole.length);
});

test('[RPL4] a tail that reaches an open prompt does not bring its request twice', async () => {
  const late = await server.open();
  await late.follow(session, { tail: 1000 });
  expect(late.events(session)).toEqual(whole);
  const [, , third] = whole.filter(({ type }) => type === 'interaction_request');
  const other = await server.open();
  await other.follow(session, { tail: whole.length - (third as ChatEvent).seq + 1 });
  expect(new Set(seqs(other.events(session))).size).toBe(other.events(session).length);
});

test('[RPL4] a tail of zero has the open prompts only, and continues live', async () => {
  const late = await server.open();
  await late.follow(session, { tail: 0 });
  expect(late.events(session).map(({ type }) => type)).toEqual(['interaction_request', 'interaction_request']);
});

test('[RPL4] read_events pages backwards to the beginning, and ends there', async () => {
  const pages: ChatEvent[] = [];
  for (let before = whole.length + 1; before > 1; ) {
    const events = await page(before, 7);
    expect(events.at(-1)?.seq).toBe(before - 1);
    pages.unshift(...events);
    before = events[0]?.seq as number;
  }
  expect(pages).toEqual(whole);
  expect(await page(1, 7)).toEqual([]);
  expect(await page(100_000, 3)).toEqual([]);
});

test('[RPL4, EVT3] a tail and the pages before it merge into the items of the whole log', async () => {
  const late = await server.open();
  await late.follow(session, { tail: 5 });
  let items = reduceItems(emptyItems, late.events(session));
  for (let before = whole.length - 4; before > 1; before -= 6) {
    items = mergeItems(reduceItems(emptyItems, await page(before, 6)), items);
  }
  expect(listItems(items)).toEqual(listItems(foldOf(whole).items));
});
