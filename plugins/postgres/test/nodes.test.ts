import { inspect } from 'node:util';
import type { Store } from '@parleyhq/core';
import { chain, chainStart } from '@parleyhq/store-kit';
import { codeOf, makeAppend, makeClaim, makeGrant, makeSession, readSeqs } from '@parleyhq/store-kit/testing';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { usePostgres } from './support/use-postgres.ts';

const at = '2026-03-01T12:00:00.000Z';

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  return store;
}

/** Opens two nodes on one database. @returns also its address */
async function openTwo(): Promise<{ a: Store; b: Store; url: string }> {
  const url = await (await usePostgres()).createDatabase();
  const [a, b] = await Promise.all([open(url), open(url)]); // they migrate at the same time
  return { a, b, url };
}

function useSql(url: string): postgres.Sql {
  const sql = postgres(url, { max: 1 });
  onTestFinished(() => sql.end({ timeout: 0 }));
  return sql;
}

test('[OPS4] if two nodes append at the same position, exactly one is stored', async () => {
  const { a, b } = await openTwo();
  expect(a.epoch).toBe(b.epoch);
  const ids = ['s1', 's2', 's3'];
  for (const id of ids) await a.sessions.create(makeSession(id));
  for (let seq = 0; seq < 20; seq += 1) {
    // in opposite orders, because each node's transaction locks all sessions
    const race = [...ids.map((id) => [a, id] as const), ...ids.toReversed().map((id) => [b, id] as const)];
    const verdicts = await Promise.all(race.map(([node, id]) => codeOf(node.events.append(makeAppend(id, seq)))));
    for (const id of ids) {
      const own = verdicts.filter((_, n) => race[n]?.[1] === id);
      expect(own.toSorted()).toEqual(['StoreError conflict', 'ok']);
    }
  }
  for (const id of ids) expect(await readSeqs(b, id)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
});

test('[OPS4] an append that builds on a conflicting one is not stored, even if its position is right by chance', async () => {
  const { a, b } = await openTwo();
  await a.sessions.create(makeSession('s1'));
  await b.events.append(makeAppend('s1', 0));
  const lineage = {};
  const together = [makeAppend('s1', 0, { lineage }), makeAppend('s1', 1, { lineage })];
  const verdicts = await Promise.all(together.map((each) => codeOf(a.events.append(each))));
  expect(verdicts).toEqual(['StoreError conflict', 'StoreError conflict']);
  expect(await codeOf(a.events.append(makeAppend('s1', 1, { lineage })))).toBe('StoreError conflict');
  expect(await codeOf(a.events.append(makeAppend('s1', 1, { lineage: {} })))).toBe('ok');
  expect(await readSeqs(b, 's1')).toEqual([1, 2]);
});

test('[OPS4] the appends of a tick are one statement for all sessions, and if one cannot be stored the others are', async () => {
  const { a, b, url } = await openTwo();
  const sql = useSql(url);
  await sql.unsafe(`
    create table statements (n integer);
    create function note_statement() returns trigger language plpgsql as 'begin insert into statements values (1); return null; end';
    create trigger counting after insert on events for each statement execute function note_statement()`);
  const ids = Array.from({ length: 30 }, (_, n) => `s${n}`);
  for (const id of ids) await a.sessions.create(makeSession(id));
  const appendAll = (seq: number) =>
    Promise.all(
      [...ids, ...ids].map((id, n) => codeOf(a.events.append(makeAppend(id, n < ids.length ? seq : seq + 1)))),
    );
  expect(new Set(await appendAll(0))).toEqual(new Set(['ok']));
  expect(await sql`select n from statements`).toHaveLength(1);
  await b.events.append(makeAppend('s7', 2));
  const verdicts = await appendAll(2);
  // the other append has the right position by chance
  expect(verdicts.flatMap((verdict, n) => (verdict === 'ok' ? [] : [n]))).toEqual([7]);
  expect(await readSeqs(b, 's7')).toEqual([1, 2, 3, 4]);
});

test('[OPS4] events of a session do not update the indexes of its row, and unfinished sessions are found all the same', async () => {
  const url = await (await usePostgres()).createDatabase();
  const store = await openPostgresStore(url);
  await store.sessions.create(makeSession('s1'));
  for (let seq = 0; seq < 20; seq += 1) {
    const session = makeSession('s1', { status: seq % 3 === 0 ? 'running' : 'waiting', openCount: seq % 2 });
    await store.events.append(makeAppend('s1', seq, { session }));
  }
  const unfinished = async () => {
    const found: unknown[] = [];
    for await (const records of store.sessions.unfinished()) found.push(...records);
    return found;
  };
  expect(await unfinished()).toHaveLength(1);
  await store.events.append(makeAppend('s1', 20, { session: makeSession('s1', { openCount: 0, status: 'idle' }) }));
  expect(await unfinished()).toHaveLength(0);
  await store.close(); // a connection publishes its statistics when it ends
  const sql = useSql(url);
  const read = () => sql`
    select n_tup_upd::integer as changed, n_tup_hot_upd::integer as alone from pg_stat_user_tables where relname = 'sessions'`;
  await expect.poll(read, { timeout: 30_000 }).toEqual([{ changed: 21, alone: 19 }]); // all updates except the first and the last
});

test('[OPS4, SEC7] nodes that write a session in turn extend one audit chain', async () => {
  const { a, b } = await openTwo();
  await a.sessions.create(makeSession('s1'));
  const turns = [a, a, b, a, b, b, a];
  for (const [seq, node] of turns.entries())
    expect(await codeOf(node.events.append(makeAppend('s1', seq, { audit: [makeClaim(seq + 1)] })))).toBe('ok');
  let last = chainStart;
  for (const row of await a.audit.read('s1')) {
    expect(row).toEqual(chain('s1', last, makeClaim(last.n + 1)));
    last = row;
  }
  expect(last.n).toBe(turns.length);
});

test('[OPS4, EVT2] until a commit has ended, its appends are not settled and no node sees them', async () => {
  const { a, b, url } = await openTwo();
  await a.sessions.create(makeSession('s1'));
  const holder = useSql(url);
  await holder.unsafe(`
    create function wait_for_holder() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(1); return null; end';
    create constraint trigger slow_commit after insert on events deferrable initially deferred
      for each row execute function wait_for_holder()`);
  await holder`select pg_advisory_lock(1)`;
  let isSettled = false;
  const append = a.events.append(makeAppend('s1', 0, { count: 2 })).then(() => {
    isSettled = true;
  });
  const waiting = () => holder<[]>`select 1 from pg_locks where locktype = 'advisory' and not granted`;
  await expect.poll(waiting, { timeout: 30_000 }).toHaveLength(1); // everything is written except the commit itself
  expect([isSettled, await readSeqs(a, 's1'), await readSeqs(b, 's1')]).toEqual([false, [], []]);
  await holder`select pg_advisory_unlock(1)`;
  await append;
  expect([await readSeqs(a, 's1'), await readSeqs(b, 's1')]).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

test('[OPS4, APR1, SEC11] a once grant, a caller’s key, a token name and a quota are shared by all nodes', async () => {
  const { a, b } = await openTwo();
  const nodes = [a, b];
  await a.sessions.create(makeSession('s1'));
  await b.sessions.create(makeSession('s2'));
  await a.grants.put(makeGrant('once', { scope: 'once' }));
  const wish = { plugin: 'shell', key: '"ls"', sessionId: 's1' };
  const taken = await Promise.all(nodes.map((node) => node.grants.take(wish, Date.parse(at))));
  expect(taken.filter(Boolean)).toHaveLength(1);
  const call = (node: Store, sessionId: string) => {
    const outsideCall = { principal: 'ci', callId: 'ship-1', toolCallId: `call of ${sessionId}` };
    return codeOf(node.events.append(makeAppend(sessionId, 0, { outsideCall })));
  };
  expect((await Promise.all([call(a, 's1'), call(b, 's2')])).toSorted()).toEqual(['StoreError conflict', 'ok']);
  const token = (id: string) => ({ id, role: 'viewer', name: 'Ann', createdAt: at }) as const;
  const named = await Promise.all(nodes.map((node, n) => codeOf(node.tokens.add(`hash ${n}`, token(`t${n}`)))));
  expect(named.toSorted()).toEqual(['StoreError conflict', 'ok']);
  const make = (node: Store, n: number) =>
    codeOf(node.sessions.create(makeSession(`own ${n}`), { maker: { person: 'ann', most: 3 } }));
  const made = await Promise.all(Array.from({ length: 8 }, (_, n) => make(nodes[n % 2] as Store, n)));
  expect(made.filter((verdict) => verdict === 'ok')).toHaveLength(3);
});

test('[OPS4, SEC9] once a revocation is confirmed on one node, the others store nothing for that token', async () => {
  const { a, b } = await openTwo();
  await a.sessions.create(makeSession('s1'));
  await a.tokens.add('hash', { id: 't1', role: 'operator', createdAt: at });
  const authority = { credential: { tokenId: 't1' }, now: Date.parse(at) };
  let isRevoked = false;
  const stored: boolean[] = [];
  const appending = (async () => {
    for (let seq = 0; ; seq += 1) {
      const isLate = isRevoked;
      const verdict = await codeOf(b.events.append(makeAppend('s1', seq, { authority })));
      if (verdict !== 'ok') return verdict;
      stored.push(isLate);
    }
  })();
  await expect.poll(() => stored.length).toBeGreaterThan(5);
  await a.tokens.remove('t1');
  isRevoked = true;
  expect(await appending).toBe('StoreError unauthorised');
  expect(stored).not.toContain(true);
});

test('[OPS4] while one node migrates, all others wait and do not repeat the migration', async () => {
  const url = await (await usePostgres()).createDatabase();
  const migrating = useSql(url);
  await migrating`select pg_advisory_lock(7420000)`;
  const opening = Promise.all([open(url), open(url), open(url)]);
  const waiting = () => migrating`select 1 from pg_locks where locktype = 'advisory' and not granted`;
  await expect.poll(waiting, { timeout: 30_000 }).toHaveLength(3);
  expect(await migrating`select to_regclass('events') as made`).toEqual([{ made: null }]);
  await migrating`select pg_advisory_unlock(7420000)`;
  const stores = await opening; // creating a table twice would fail
  expect(new Set(stores.map(({ epoch }) => epoch)).size).toBe(1);
});

test('[OPS4] a node of an older release rejects a newer database, and explains what to do', async () => {
  const { url } = await openTwo();
  await useSql(url)`update meta set value = '99' where name = 'schema'`;
  await expect(openPostgresStore(url)).rejects.toThrow(/written by a newer Parley \(schema 99; this one knows 10\)/);
});

test('[OPS4, SIGN2] in a database of an older release signed grants end with a passkey, whatever text is in them', async () => {
  const { a, url } = await openTwo();
  const by = { clientId: 'c', connectionId: 'k', transport: 'ws', principal: 't1', owner: 'ann' };
  const subject = { kind: 'text', text: '\u0000 \\u0000 \ud800 \\\ud800' } as const;
  for (const each of [
    { isSigned: true, owner: 'ann' } as const,
    { owner: 'ann' },
    { isSigned: true, owner: 'bob' } as const,
  ]) {
    const { owner, ...signed } = each;
    const id = `${owner} ${'isSigned' in signed}`;
    await a.grants.put(makeGrant(id, { key: `"${id}"`, subject, ...signed, by: { ...by, owner } }));
  }
  const sql = useSql(url);
  await sql`alter table grants drop column signer`;
  await sql`update meta set value = '9' where name = 'schema'`;
  await open(url);
  expect(await sql`select id, signer from grants order by position`).toEqual([
    { id: 'ann true', signer: 'ann' },
    { id: 'ann false', signer: null },
    { id: 'bob true', signer: 'bob' },
  ]);
});

test('[OPS4, RPL2] a database that was restored, or whose standby took over, has a new epoch, once', async () => {
  const { a, url } = await openTwo();
  await useSql(url)`update meta set value = 'of another server' where name = 'identity'`;
  const restored = await open(url);
  expect(restored.isRewound).toBe(true);
  expect(restored.epoch).not.toBe(a.epoch);
  const next = await open(url);
  expect({ epoch: next.epoch, isRewound: next.isRewound }).toEqual({ epoch: restored.epoch, isRewound: false });
});

test('[OPS4, RPL2] no node stores anything in a database that was set back, and reopening it creates a new epoch', async () => {
  const { a, b, url } = await openTwo();
  await a.sessions.create(makeSession('s1'));
  for (let beat = 0; beat < 2; beat += 1) await a.shared?.renew({ id: 'node a', details: {} }, 15_000);
  await useSql(url)`update nodes set beats = 1`;
  expect(await codeOf(a.events.append(makeAppend('s1', 0)))).toBe('StoreError failed');
  await a.shared?.replaced;
  // the first node has marked the epoch as ended
  expect(await codeOf(b.events.append(makeAppend('s1', 0)))).toBe('StoreError failed');
  await b.shared?.replaced;
  const [next, later] = [await open(url), await open(url)];
  expect({ epoch: later.epoch, isRewound: next.isRewound }).toEqual({ epoch: next.epoch, isRewound: true });
  expect(next.epoch).not.toBe(a.epoch);
  expect(await codeOf(next.events.append(makeAppend('s1', 0)))).toBe('ok');
});

test('[OPS4, RPL2] a node that leaves while it renews its lease does not take the database for another', async () => {
  const { a, b, url } = await openTwo();
  await a.sessions.create(makeSession('s1'));
  const renew = () => a.shared?.renew({ id: 'node a', details: {} }, 15_000);
  await renew();
  const sql = useSql(url);
  await sql`select pg_advisory_lock(7420002)`; // renewals wait for it
  const renewing = renew();
  await expect.poll(() => sql`select 1 from pg_locks where locktype = 'advisory' and not granted`).toHaveLength(1);
  const leaving = a.shared?.leave('node a');
  await sql`select pg_advisory_unlock(7420002)`;
  await Promise.all([renewing, leaving]);
  expect(await b.shared?.renew({ id: 'node b', details: {} }, 15_000)).toHaveLength(1); // the lease has ended
  expect(await codeOf(a.events.append(makeAppend('s1', 0)))).toBe('ok');
  expect((await open(url)).epoch).toBe(b.epoch);
});

test('[OPS4, RPL2] renewals that were asked for at once, or that arrive late, do not set their count back', async () => {
  const { a, url } = await openTwo();
  await a.sessions.create(makeSession('s1'));
  const sql = useSql(url);
  const renew = () => a.shared?.renew({ id: 'node a', details: {} }, 15_000);
  const countBeats = async () => Number((await sql`select beats from nodes where id = 'node a'`)[0]?.beats);
  await renew();
  await sql`select pg_advisory_lock(7420002)`;
  const renewing = [renew(), renew()];
  const waiting = () => sql`select 1 from pg_locks where locktype = 'advisory' and not granted`;
  await expect.poll(waiting).toHaveLength(1);
  await sql`select pg_advisory_unlock(7420002)`;
  await Promise.all(renewing);
  expect(await countBeats()).toBe(3);
  await sql`select renew_node('node a', interval '15 s', '{}', 2, 1)`; // it was on its way all the time
  expect(await countBeats()).toBe(3);
  expect(await codeOf(a.events.append(makeAppend('s1', 0)))).toBe('ok');
  expect((await open(url)).epoch).toBe(a.epoch);
});

test('[OPS4] the first live node is the one that has renewed its lease longest without a pause', async () => {
  const { a, b } = await openTwo();
  const renew = async (store: Store, id: string, leaseMs = 15_000) =>
    (await store.shared?.renew({ id, details: {} }, leaseMs))?.map((node) => node.id);
  expect(await renew(a, 'z')).toEqual(['z']);
  expect(await renew(b, 'y')).toEqual(['z', 'y']);
  expect(await renew(a, 'z', 0)).toEqual(['y']); // the lease of z has expired
  expect(await renew(b, 'y')).toEqual(['y']);
  expect(await renew(a, 'z')).toEqual(['y', 'z']);
});

test('[OPS4, SEC2] a code of one node can be used once, at any node, and expires with its node', async () => {
  const { a, b } = await openTwo();
  const renew = (leaseMs: number) => a.shared?.renew({ id: 'a', details: {} }, leaseMs);
  await renew(60_000);
  for (const hash of ['h1', 'h2', 'h3']) await a.loginCodes?.add(hash, 'a');
  expect([await a.loginCodes?.has('h1'), await b.loginCodes?.has('h1')]).toEqual([true, true]);
  const uses = await Promise.all([a, b, a, b].map(({ loginCodes }) => loginCodes?.remove('h1')));
  expect(uses.filter((isUsed) => isUsed)).toHaveLength(1);
  expect([await a.loginCodes?.has('h1'), await b.loginCodes?.has('h2')]).toEqual([false, true]);
  await renew(0); // the node’s lease has expired
  expect([await b.loginCodes?.has('h2'), await b.loginCodes?.remove('h2')]).toEqual([false, false]);
  await renew(60_000); // the node is live again
  expect(await b.loginCodes?.remove('h2')).toBe(true);
  await a.shared?.leave('a');
  await renew(60_000);
  expect([await b.loginCodes?.has('h3'), await b.loginCodes?.remove('h3')]).toEqual([false, false]);
});

test('[OPS4, SEC8] no message contains the password of the database', async () => {
  const { url } = await openTwo();
  const wrong = Object.assign(new URL(url), { password: 'hunter2-is-secret', port: '1' }).href;
  for (const [address, words] of [
    [wrong, 'cannot be reached (ECONNREFUSED)'],
    ['postgres://user:hunter2-is-secret@[bad', 'address of the database is not valid'],
  ] as const) {
    const fault: unknown = await openPostgresStore(address).catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: 'failed', message: expect.stringContaining(words) });
    expect(inspect(fault, { depth: 9 })).not.toContain('hunter2');
  }
});

test('[OPS4, DUR8] a statement that the database rejects fails alone; after a lost connection writes fail until there is a new one', async () => {
  const { a, url } = await openTwo();
  for (const id of ['s1', 's2']) await a.sessions.create(makeSession(id));
  const odd = makeAppend('s1', 0, { records: [{ toolCallId: 'c1', key: 'a\u0000b', value: 1 }] });
  const verdicts = [a.events.append(odd), a.events.append(makeAppend('s2', 0))].map(codeOf);
  expect(await Promise.all(verdicts)).toEqual(['StoreError failed', 'ok']);
  const end = () => useSql(url)`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parley' and datname = current_database()`;
  await end();
  await expect.poll(() => codeOf(a.events.append(makeAppend('s1', 0))), { timeout: 30_000 }).toBe('ok');
  expect(await readSeqs(a, 's1')).toEqual([1]);
});

test('[OPS4, DUR8] a connection that ends in the middle of a transaction fails only that transaction, and does not end the process', async () => {
  const { a, url } = await openTwo();
  await a.sessions.create(makeSession('s1'));
  const sql = useSql(url);
  await sql.unsafe(`
    create function hang() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(1); return null; end';
    create trigger hanging after insert on events for each row execute function hang()`);
  await sql`select pg_advisory_lock(1)`;
  const append = codeOf(a.events.append(makeAppend('s1', 0)));
  const end = () => useSql(url)`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'parley' and datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await end()).length, { timeout: 30_000 }).toBe(1);
  expect(await append).toBe('StoreError failed');
  await sql`select pg_advisory_unlock(1)`;
  expect(await codeOf(a.events.append(makeAppend('s1', 0)))).toBe('ok');
});
