import { join } from 'node:path';
import { listItems } from '@parleyhq/core';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { foldOf } from '../support/fold.ts';
import { startServer } from '../support/use-server.ts';

test('[EVT5] an event of a later release is kept, replayed unchanged, and breaks nothing', async () => {
  const server = await startServer();
  const before = await server.open();
  const session = await before.createSession();
  await before.follow(session);
  await before.say(session, '/call ask_user {"question":"Well?"}');
  const prompt = await before.prompt(session);
  const { seq } = before.events(session).at(-1) as { seq: number };
  await server.kill();

  const event = {
    seq: seq + 1,
    id: 'from-the-future',
    sessionId: session,
    timestamp: '2031-01-01T00:00:00.000Z',
    v: 9,
    type: 'hologram_shown',
    payload: { of: 'a cat', nested: { deep: [1, 2, 3] } },
    newEnvelopeField: true,
  };
  appendByHand(join(server.dataDir, 'parley.db'), session, event);

  await server.restart();
  const tab = await server.open();
  await tab.follow(session);
  expect(tab.events(session)[seq]).toEqual(event);
  expect(await tab.ask({ type: 'read_events', sessionId: session, before: seq + 2, limit: 1 })).toEqual({
    events: [event],
  });
  expect(await tab.answer(session, prompt, { action: 'submit', input: { answer: 'yes' } })).toMatchObject({ ok: true });
  await tab.event(session, 'turn_end');
  expect(tab.events(session).map((each) => each.seq)).toEqual(tab.events(session).map((_, index) => index + 1));
  expect(listItems(foldOf(tab.events(session)).items)).toContainEqual(
    expect.objectContaining({ kind: 'opaque', event }),
  );
});

function appendByHand(path: string, session: string, event: { seq: number }): void {
  const db = new Sqlite(path);
  db.transaction(() => {
    db.prepare('insert into events (session, seq, text) select key, ?, ? from sessions where id = ?').run(
      event.seq,
      JSON.stringify(event),
      session,
    );
    db.prepare('update sessions set seq = ? where id = ?').run(event.seq, session);
  })();
  db.close();
}
