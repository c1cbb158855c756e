import type { Session } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { useLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

const noon = Date.parse('2026-03-01T12:00:00Z');
const server = useLocalServer({ now: () => noon });

async function createSessions(tab: Tab, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => tab.createSession()));
}

const list = async (tab: Tab, filter: object = {}) =>
  (await tab.ask<{ sessions: Session[] }>({ type: 'list_sessions', limit: 1000, ...filter })).sessions;

test.each([
  ['an id', ({ id }: Session) => id],
  ['a time and an id', ({ id, updatedAt }: Session) => `${updatedAt}/${id}`],
])('[FRM1] pages by %s neither skip nor repeat sessions of the same instant', async (_, beforeOf) => {
  for (let start = 0; start < 3; start += 1) {
    await server.restart(); // the clock begins again: its times are distinct in one process only
    await createSessions(await server.open(), 3);
  }
  const tab = await server.open();
  const all = await list(tab);
  expect(new Set(all.map(({ updatedAt }) => updatedAt)).size).toBeLessThan(all.length);
  const found: Session[] = [];
  let before: object = {};
  while (found.length <= all.length) {
    const page = await list(tab, { limit: 2, ...before });
    if (page.length === 0) break;
    found.push(...page);
    before = { before: beforeOf(page.at(-1) as Session) };
  }
  expect(found).toEqual(all);
});

test('[FRM1] a page continues where the last one ended, even if its last session was deleted', async () => {
  const tab = await server.open();
  await createSessions(tab, 4);
  const [, last, ...rest] = await list(tab);
  await tab.ask({ type: 'delete_session', sessionId: (last as Session).id });
  expect(await list(tab, { before: `${last?.updatedAt}/${last?.id}` })).toEqual(rest);
});
