import { Socket } from 'node:net';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/adapters/store/sqlite/open.ts';
import { serveDatabase } from '../../src/adapters/store/sqlite.ts';
import { useLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

let commits = 0;
const local = useLocalServer({ openStore: (file) => serveDatabase(countCommits(file)) });
let tabs: Tab[];
let session: string;

beforeAll(async () => {
  tabs = await Promise.all(Array.from({ length: 20 }, () => local.open()));
});
beforeEach(async () => {
  session = await first().createSession();
  await Promise.all(tabs.map((tab) => tab.follow(session)));
});
afterEach(() => vi.restoreAllMocks());

const first = () => tabs[0] as Tab;

/** Opens a database that counts its transactions. */
function countCommits(path: string) {
  const db = openDatabase(path);
  const { transaction } = db;
  db.transaction = ((work: () => void) => {
    const made = transaction.call(db, work as never);
    const immediate = (writeAll: unknown) => {
      commits += 1;
      (made.immediate as (work: unknown) => void)(writeAll);
    };
    return { immediate };
  }) as never;
  return db;
}

const message = (sessionId: string, n: number) => ({ type: 'user_message', sessionId, messageId: `m${n}`, text: 'hi' });

test('[DUR8, EVT2] appends of one tick over many sessions are one transaction', async () => {
  const sessions = await Promise.all(Array.from({ length: 30 }, () => first().createSession()));
  const lives = await Promise.all(sessions.map((id) => local.server.hub.open(id)));
  const before = commits;
  await Promise.all(
    lives.map(({ session: live }) =>
      live.perform({ type: 'report', error: { code: 'c', message: 'm' }, turnId: undefined }),
    ),
  );
  expect(commits - before).toBe(1);
});

test('[EVT2] an event is serialised once, however many tabs follow', async () => {
  const stringify = vi.spyOn(JSON, 'stringify');
  await first().say(session, 'hello');
  await Promise.all(tabs.map((tab) => tab.event(session, 'turn_end')));
  const events = stringify.mock.calls.flatMap(([value]) => (isEvent(value) ? [value.seq] : []));
  expect(events.sort()).toEqual([1, 2, 3, 4]);
});

function isEvent(value: unknown): value is { seq: number } {
  return typeof value === 'object' && value !== null && 'seq' in value && 'payload' in value;
}

test('[EVT2] the events of a tick, and the reply, are sent in one write per connection', async () => {
  const writes = spyOnWrites();
  first().sendTogether(Array.from({ length: 10 }, (_, n) => ({ ...message(session, n), requestId: `r${n}` })));
  await Promise.all(
    tabs.map((tab) => tab.event(session, 'message_queued', ({ payload }) => payload.messageId === 'm9')),
  );
  const holding = writes.filter(({ text }) => text.includes('"messageId":"m9"') && text.includes('"message_queued"'));
  expect(holding).toHaveLength(tabs.length);
  for (const { text } of holding) expect(text.match(/"type":"message_queued"/g)).toHaveLength(9);
  expect(holding.filter(({ text }) => text.includes('"requestId":"r9"'))).toHaveLength(1);
});

/** What the server's sockets write, one entry per call. */
function spyOnWrites(): { text: string }[] {
  const writes: { text: string }[] = [];
  const note = (socket: Socket, text: string) => socket.localPort === local.port && writes.push({ text });
  const { _write, _writev } = Socket.prototype;
  vi.spyOn(Socket.prototype, '_write').mockImplementation(function (this: Socket, chunk, encoding, done) {
    note(this, String(chunk));
    return _write.call(this, chunk, encoding, done);
  });
  vi.spyOn(Socket.prototype as never as { _writev: NonNullable<typeof _writev> }, '_writev').mockImplementation(
    function (this: Socket, chunks, done) {
      note(this, chunks.map(({ chunk }) => String(chunk)).join(''));
      return _writev?.call(this, chunks, done);
    },
  );
  return writes;
}
