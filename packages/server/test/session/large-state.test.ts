import { type InboxEntry, limits } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { useLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

const bulky = {
  name: 'bulky',
  tools: [
    {
      name: 'ask_bulk',
      description: 'Asks at length.',
      parameters: { type: 'object' },
      handler: (
        { count, size }: { count: number; size: number },
        ctx: { requestInteraction(demand: object): unknown },
      ) =>
        Promise.all(
          Array.from({ length: count }, () =>
            ctx.requestInteraction({
              type: 'approval',
              onUnavailable: 'wait',
              subject: { kind: 'text', text: 'x'.repeat(size) },
            }),
          ),
        ),
    },
  ],
};

/** Sizes are looked at here: a reader that a busy machine slows down is not dropped. */
const server = useLocalServer({ plugins: [bulky as never], durations: { slowReaderMs: 60_000 } });

/** Backlog that a slow reader may have for a second (FRM5). */
const backlog = 1024 * 1024;

async function askMuch(tab: Tab, count: number, size: number): Promise<string> {
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, `/call ask_bulk ${JSON.stringify({ count, size })}`);
  await tab.until(() => tab.events(session).filter(({ type }) => type === 'interaction_request').length === count);
  return session;
}

test('[SEC11] the inbox in a welcome is bounded, counts everything open, and can be paged back to the first', async () => {
  const asker = await server.open();
  const large = await askMuch(asker, 60, 65_000);
  const small = await askMuch(asker, 80, 10);
  const tab = await server.open();
  const { open, openTotal } = await tab.waitFor('welcome');
  expect(openTotal).toBe(140);
  expect(open.length).toBeLessThanOrEqual(100);
  expect(JSON.stringify(open).length).toBeLessThan(300 * 1024);
  const all = [...open] as InboxEntry[];
  while (all.length < openTotal) {
    const before = (all[0] as InboxEntry).interaction.interactionId;
    const page = (await tab.ask<{ open: InboxEntry[] }>({ type: 'list_open', before })).open;
    expect(page.length).toBeGreaterThan(0);
    expect(JSON.stringify(page).length).toBeLessThan(300 * 1024);
    all.unshift(...page);
  }
  expect(all.map(({ sessionId }) => sessionId)).toEqual([...Array(60).fill(large), ...Array(80).fill(small)]);
  expect(new Set(all.map(({ interaction }) => interaction.interactionId)).size).toBe(140);
  expect((await tab.ask<{ open: InboxEntry[] }>({ type: 'list_open', limit: 3 })).open).toEqual(all.slice(-3));
  expect(await tab.request({ type: 'list_open', before: 'nobody' })).toMatchObject({ error: { code: 'not_found' } });
  for (const sessionId of [large, small]) await asker.ask({ type: 'cancel_turn', sessionId });
});

test('[SEC11, FRM5] the largest legal session opens: its snapshot is bounded, and its log contains the rest', async () => {
  const writer = await server.open();
  const session = await askMuch(writer, 60, 65_000);
  const text = 'q'.repeat(200_000);
  for (let n = 0; n < Math.floor(limits.queuedBytes / text.length); n += 1) await writer.say(session, text);
  expect(await writer.request({ type: 'user_message', sessionId: session, messageId: 'one more', text })).toMatchObject(
    { error: { code: 'queue_full' } },
  );
  for (const options of [{}, { tail: 5 }]) {
    const tab = await server.open();
    const snapshot = await tab.follow(session, options);
    expect(JSON.stringify(snapshot).length).toBeLessThan(backlog);
    expect(snapshot.head.prompts).toHaveLength(60);
    const requests = tab.events(session).filter(({ type }) => type === 'interaction_request');
    expect(requests).toHaveLength(60);
    expect(tab.closeCode).toBeUndefined();
  }
  await writer.ask({ type: 'cancel_turn', sessionId: session });
});

test('[SEC11] sessions that an earlier release permitted can still be opened and paged', async () => {
  const tab = await server.open();
  const session = await tab.createSession();
  const record = await server.store.sessions.get(session);
  if (!record) throw new Error('the session is not stored');
  const text = 'o'.repeat(255 * 1024);
  const stamp = (seq: number, type: string, payload: object) => ({
    seq,
    id: `old-${seq}`,
    sessionId: session,
    timestamp: new Date().toISOString(),
    turnId: 'old',
    v: 1,
    type,
    payload,
  });
  const events = [
    stamp(1, 'user_message', { messageId: 'm-1', text: 'go', origin: 'user' }),
    stamp(2, 'turn_start', { trigger: 'user', agent: 'demo', owner: 'another' }),
    ...Array.from({ length: 100 }, (_, n) =>
      stamp(n + 3, 'message_queued', { messageId: `m-${n + 3}`, text, origin: 'user' }),
    ),
  ];
  await server.store.events.append({
    sessionId: session,
    expectedSeq: 0,
    events: events.map((event) => ({ seq: event.seq, key: undefined, text: JSON.stringify(event) })),
    records: [],
    grants: [],
    usedGrants: { ids: [], now: 0 },
    endedCalls: [],
    audit: [],
    session: { ...record.session, seq: events.length },
  });
  const snapshot = await tab.follow(session, { tail: 3 });
  expect(snapshot.head.queue).toHaveLength(100);
  expect(JSON.stringify(snapshot).length).toBeLessThan(backlog);
  const page = await tab.ask<{ events: { seq: number }[] }>({
    type: 'read_events',
    sessionId: session,
    before: 100,
    limit: 1000,
  });
  expect(page.events.at(-1)?.seq).toBe(99);
  expect(JSON.stringify(page).length).toBeLessThan(backlog);
  expect(tab.closeCode).toBeUndefined();
});
