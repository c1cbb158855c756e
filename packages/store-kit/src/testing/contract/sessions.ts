import type { Session, SessionFilter } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import { codeOf, makeAppend, makeEvent, makeGrant, makeHead, makeSession, readSeqs } from './make.ts';
import type { Subject } from './subject.ts';

const deletion = { event: 'session_deleted', at: '2026-03-01T12:00:00.000Z' } as const;

/** Tests rows, their cached heads, lists and removal. */
export function testSessions(subject: Subject): void {
  describe('sessions', () => {
    test('[EVT3] a row is as its last events left it, with the last cached head', async () => {
      const { store } = subject;
      const created = makeSession('s1');
      await store.sessions.create(created);
      expect(await store.sessions.get('s1')).toEqual({ session: created, head: undefined });
      const running = makeSession('s1', { status: 'running', title: 'Renamed', updatedAt: '2026-03-01T12:05:00.000Z' });
      await store.events.append(makeAppend('s1', 0, { session: running }));
      await store.heads.save('s1', makeHead(1));
      const later = { ...running, agent: 'other', permissionMode: 'plan', openCount: 2, status: 'waiting' as const };
      await store.events.append(makeAppend('s1', 1, { session: later }));
      const last = { ...later, updatedAt: '2026-03-01T12:05:01.000Z' };
      await store.events.append(makeAppend('s1', 2, { session: last }));
      const { sessions } = await subject.reopen();
      expect(await sessions.get('s1')).toEqual({ session: { ...last, seq: 3 }, head: makeHead(1) });
      expect(await sessions.get('nobody')).toBeUndefined();
    });

    test('[EVT3] the last of several heads saved in one tick is kept', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      await Promise.all([
        store.events.append(makeAppend('s1', 0)),
        store.heads.save('s1', makeHead(1, 'a')),
        store.events.append(makeAppend('s1', 1)),
        store.heads.save('s1', makeHead(2, 'b')),
        store.events.append(makeAppend('s1', 2)),
      ]);
      expect((await store.sessions.get('s1'))?.head).toEqual(makeHead(2, 'b'));
    });

    test('[EVT3] a head that does not match the end of the log is ignored', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      await store.events.append(makeAppend('s1', 0, { count: 2 }));
      await store.heads.save('s1', makeHead(2));
      const refused = store.events.append(makeAppend('s1', 1));
      const ahead = store.heads.save('s1', makeHead(3, 'of what was refused'));
      expect([await codeOf(refused), await codeOf(ahead)]).toEqual(['StoreError conflict', 'ok']);
      await store.heads.save('s1', makeHead(1, 'too old'));
      await store.heads.save('nobody', makeHead(0));
      const { sessions } = await subject.reopen();
      expect(await sessions.get('s1')).toEqual({ session: makeSession('s1', { seq: 2 }), head: makeHead(2) });
      expect(await sessions.get('nobody')).toBeUndefined();
    });

    test('[FRM6] a session id can be used only once', async () => {
      const { sessions } = subject.store;
      const verdicts = [makeSession('s1'), makeSession('s1', { title: 'Other' }), makeSession('s2')].map((session) =>
        codeOf(sessions.create(session)),
      );
      expect(await Promise.all(verdicts)).toEqual(['ok', 'StoreError conflict', 'ok']);
      expect((await sessions.get('s1'))?.session.title).toBe('Session s1');
    });

    test('[SEC11] a person has no more sessions than they may have, also when several are created at once', async () => {
      const { sessions } = subject.store;
      const create = (id: string, person: string, most?: number) =>
        codeOf(sessions.create(makeSession(id), { maker: { person, most } }));
      const verdicts = [create('a1', 'ann', 2), create('b1', 'bob', 1), create('a2', 'ann', 2), create('a3', 'ann', 2)];
      expect(await Promise.all(verdicts)).toEqual(['ok', 'ok', 'ok', 'StoreError quota']);
      expect(await create('a4', 'ann')).toBe('ok');
      const { sessions: reopened } = await subject.reopen();
      const again = (id: string) => codeOf(reopened.create(makeSession(id), { maker: { person: 'ann', most: 3 } }));
      expect(await again('a5')).toBe('StoreError quota');
      await reopened.remove('a1', deletion);
      expect([await again('a6'), await again('a7')]).toEqual(['ok', 'StoreError quota']);
      expect((await reopened.list({})).map(({ session }) => session.id).toSorted()).toEqual(['a2', 'a4', 'a6', 'b1']);
    });

    test('[WEB6] lists are newest first and can be paged, searched and limited to the unfinished', async () => {
      const { store } = subject;
      const at = (time: string) => ({ updatedAt: `2026-03-01T${time}Z` });
      await store.sessions.create(makeSession('old', { ...at('09:00:00.000'), title: 'Ölpreis 100%' }));
      await store.sessions.create(makeSession('asked', { ...at('10:00:30.000'), openCount: 1 }));
      await store.sessions.create(makeSession('busy', { ...at('10:00:10.000'), status: 'running' }));
      await store.sessions.create(makeSession('new', at('11:00:00.000')));
      const list = async (filter: SessionFilter) =>
        (await store.sessions.list(filter)).map((record) => record.session.id);
      const unfinished = async () => {
        const found: string[] = [];
        for await (const records of store.sessions.unfinished())
          found.push(...records.map(({ session }) => session.id));
        return found.toSorted();
      };
      expect(await list({})).toEqual(['new', 'asked', 'busy', 'old']);
      expect(await list({ limit: 2 })).toEqual(['new', 'asked']);
      expect(await list({ before: at('10:00:30.000').updatedAt, limit: 1 })).toEqual(['busy']);
      expect(await list({ query: 'ölPREIS' })).toEqual(['old']);
      expect(await list({ query: '0%' })).toEqual(['old']);
      expect(await list({ query: '%' })).toEqual(['old']);
      expect(await list({ ids: ['old', 'busy', 'nobody'] })).toEqual(['busy', 'old']);
      expect(await list({ ids: ['old', 'busy'], limit: 1, query: 'session' })).toEqual(['busy']);
      expect(await list({ ids: [] })).toEqual([]);
      expect(await unfinished()).toEqual(['asked', 'busy']);
      const finished = makeSession('busy', at('12:00:00.000'));
      await store.events.append(makeAppend('busy', 0, { session: finished }));
      expect(await unfinished()).toEqual(['asked']);
      expect(await list({ limit: 1 })).toEqual(['busy']);
    });

    test('[WEB8] sessions are pinned and archived, and lists contain those asked for', async () => {
      const { store } = subject;
      for (const id of ['plain', 'kept', 'away', 'both']) await store.sessions.create(makeSession(id));
      const mark = (id: string, after: number, marks: Partial<Session>) =>
        store.events.append(makeAppend(id, after, { session: makeSession(id, marks) }));
      await mark('kept', 0, { pinned: true });
      await mark('away', 0, { archived: true });
      await mark('both', 0, { pinned: true, archived: true });
      const { sessions, events } = await subject.reopen();
      const list = async (filter: SessionFilter) => (await sessions.list(filter)).map(({ session }) => session.id);
      expect(await list({})).toEqual(['plain', 'kept', 'both', 'away']);
      expect(await list({ only: 'current' })).toEqual(['plain', 'kept']);
      expect(await list({ only: 'current', query: 'kept', limit: 1 })).toEqual(['kept']);
      expect(await list({ only: 'archived' })).toEqual(['both', 'away']);
      expect(await list({ only: 'archived', ids: ['away', 'kept'] })).toEqual(['away']);
      expect(await list({ only: 'pinned' })).toEqual(['kept']);
      expect((await sessions.get('both'))?.session).toEqual(
        makeSession('both', { pinned: true, archived: true, seq: 1 }),
      );
      await events.append(makeAppend('both', 1));
      expect((await sessions.get('both'))?.session).toEqual(makeSession('both', { seq: 2 }));
    });

    test('[WEB6] pages of sessions with the same time neither skip nor repeat one', async () => {
      const { store } = subject;
      for (const id of ['b', 'd', 'a', 'c']) await store.sessions.create(makeSession(id));
      const list = async (filter: SessionFilter) =>
        (await store.sessions.list(filter)).map((record) => record.session.id);
      const before = makeSession('a').updatedAt;
      expect(await list({})).toEqual(['d', 'c', 'b', 'a']);
      expect(await list({ before, beforeId: 'c' })).toEqual(['b', 'a']);
      expect(await list({ before })).toEqual([]);
    });

    test('[OPS5] deleting a session deletes its events, records, grants and state, and nothing else', async () => {
      const { store } = subject;
      for (const id of ['s1', 's2']) {
        await store.sessions.create(makeSession(id));
        const records = [{ toolCallId: 'c1', key: 'k', value: 1 }];
        await store.events.append(makeAppend(id, 0, { events: [makeEvent(1, 'key')], records }));
        await store.grants.put(makeGrant(`grant of ${id}`, { sessionId: id }));
        await store.pluginState.set('shell', id, 'k', 1);
      }
      await store.grants.put(makeGrant('always', { scope: 'always', sessionId: 's1' }));
      await store.sessions.remove('s1', deletion);

      const reopened = await subject.reopen();
      expect(await reopened.sessions.get('s1')).toBeUndefined();
      expect(await readSeqs(reopened, 's1')).toEqual([]);
      expect(await reopened.index.find('s1', 'key')).toEqual([]);
      expect(await reopened.index.records('s1', 'c1')).toEqual([]);
      expect(await reopened.pluginState.get('shell', 's1', 'k')).toBeUndefined();
      expect((await reopened.grants.list(0)).map((grant) => grant.id)).toEqual(['grant of s2', 'always']);
      expect(await codeOf(reopened.events.append(makeAppend('s1', 1)))).toBe('StoreError conflict');
      expect(await readSeqs(reopened, 's2')).toEqual([1]);
      expect(await reopened.pluginState.get('shell', 's2', 'k')).toBe(1);
      await reopened.sessions.remove('s1', deletion);
    });

    test('[OPS6] a session whose log has grown since is not deleted', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      await store.events.append(makeAppend('s1', 0));
      expect(await codeOf(store.sessions.remove('s1', deletion, { seq: 0 }))).toBe('StoreError conflict');
      expect(await readSeqs(store, 's1')).toEqual([1]);
      await store.sessions.remove('s1', deletion, { seq: 1 });
      expect(await store.sessions.get('s1')).toBeUndefined();
    });

    test('[OPS5] an append after the deletion in one tick is refused, and a new session with that id is empty', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      await store.events.append(makeAppend('s1', 0));
      const verdicts = await Promise.all([
        codeOf(store.events.append(makeAppend('s1', 1))),
        codeOf(store.sessions.remove('s1', deletion)),
        codeOf(store.events.append(makeAppend('s1', 2))),
        codeOf(store.sessions.create(makeSession('s1'))),
        codeOf(store.events.append(makeAppend('s1', 0))),
      ]);
      expect(verdicts).toEqual(['ok', 'ok', 'StoreError conflict', 'ok', 'ok']);
      expect(await readSeqs(store, 's1')).toEqual([1]);
    });

    test("[RPL2] the epoch stays the store's own", async () => {
      const { epoch } = subject.store;
      expect(epoch).toMatch(/^[\da-f-]{36}$/);
      expect((await subject.reopen()).epoch).toBe(epoch);
    });
  });
}
