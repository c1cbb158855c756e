import { type GrantFilter, nameCallGrant, nameGrant, nameRuleGrant, resultKey } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import { codeOf, makeAppend, makeGrant, makeSession, readSeqs } from './make.ts';
import type { Subject } from './subject.ts';

/** Tests grants and plugin state. */
export function testValues(subject: Subject): void {
  describe('grants', () => {
    const now = Date.parse('2026-03-01T12:00:00.000Z');
    const ls = { plugin: 'shell', key: '"ls"', sessionId: 's1' };
    const take = async (key = '"ls"', sessionId = 's1', plugin = 'shell') =>
      (await subject.store.grants.take({ plugin, key, sessionId }, now))?.id;

    test('[APR1] a grant covers its plugin, its key and its session', async () => {
      await subject.store.grants.put(makeGrant('g1'));
      expect(await take('"ls"', 's2')).toBeUndefined();
      expect(await take('"rm"')).toBeUndefined();
      expect(await take('"ls"', 's1', 'other')).toBeUndefined();
      await subject.reopen();
      expect(await take()).toBe('g1');
      expect(await take()).toBe('g1');
    });

    test('[APR1] once comes before session, session before always', async () => {
      const { grants } = subject.store;
      await grants.put(makeGrant('always', { scope: 'always', sessionId: undefined }));
      await grants.put(makeGrant('session'));
      await grants.put(makeGrant('once', { scope: 'once' }));
      expect(await take()).toBe('once');
      expect(await take()).toBe('session');
      expect(await grants.revoke({ plugin: 'shell', sessionId: 's1' })).toBe(1);
      expect(await take()).toBe('always');
      expect(await take('"ls"', 's2')).toBe('always');
    });

    test('[APR1] a once grant is used by the first that takes it', async () => {
      await subject.store.grants.put(makeGrant('once', { scope: 'once' }));
      const taken = await Promise.all([take(), take(), take()]);
      expect(taken).toEqual(['once', undefined, undefined]);
      await subject.reopen();
      expect(await take()).toBeUndefined();
    });

    test('[APR4] uses are counted and listed, oldest grant first', async () => {
      const { grants } = subject.store;
      const always = makeGrant('g1', { scope: 'always', sessionId: undefined });
      await grants.put(always);
      await grants.put(makeGrant('g2', { key: '"rm"' }));
      await Promise.all([take(), take()]);
      expect(await grants.take(ls, now)).toEqual({ ...always, uses: 3 });
      const { grants: reopened } = await subject.reopen();
      expect(await reopened.list(now)).toEqual([{ ...always, uses: 3 }, makeGrant('g2', { key: '"rm"' })]);
    });

    test('[APR4] grants keep their details; expired ones cover nothing and are not listed', async () => {
      const by = { clientId: 'c', connectionId: 'k', principal: 'owner', transport: 'ws' };
      const expiresAt = new Date(now + 1000).toISOString();
      const told = { by, interactionId: 'call-1.1', title: 'List?', subject: { kind: 'text', text: 'ls' } } as const;
      const grant = makeGrant('g1', { expiresAt, ...told });
      await subject.store.grants.put(grant);
      const { grants } = await subject.reopen();
      expect(await grants.list(now)).toEqual([grant]);
      expect(await grants.take(ls, now + 999)).toEqual({ ...grant, uses: 1 });
      expect(await grants.take(ls, now + 1000)).toBeUndefined();
      expect(await grants.list(now + 1000)).toEqual([]);
    });

    test('[APR4] lists can be limited to a session, a key and the newest few', async () => {
      const { grants } = subject.store;
      await grants.put(makeGrant('own'));
      await grants.put(makeGrant('other', { sessionId: 's2' }));
      await grants.put(makeGrant('always', { scope: 'always', sessionId: undefined }));
      await grants.put(makeGrant('rm', { key: '"rm"' }));
      await grants.put(makeGrant('alien', { plugin: 'other' }));
      await grants.put(makeGrant('expired', { key: '"rm"', scope: 'always', expiresAt: new Date(now).toISOString() }));
      const ids = async (filter?: GrantFilter) => (await grants.list(now, filter)).map(({ id }) => id);
      expect(await ids({ sessionId: 's1' })).toEqual(['own', 'always', 'rm', 'alien']);
      expect(await ids({ sessionId: 's1', limit: 2 })).toEqual(['rm', 'alien']);
      expect(await ids({ limit: 10 })).toEqual(['own', 'other', 'always', 'rm', 'alien']);
      expect(await ids(ls)).toEqual(['own', 'always']);
      expect(await ids({ ...ls, sessionId: 's3' })).toEqual(['always']);
      expect(await ids({ ...ls, key: '"rm"' })).toEqual(['rm']);
    });

    test('[APR7] grants of rules keep their rule, and are listed by plugin and session', async () => {
      const { grants } = subject.store;
      const rule = { id: 'prefix', label: '`npm test` with any arguments', key: ['npm', 'test'] };
      const key = nameRuleGrant('run_command', rule.key);
      const grant = makeGrant('rule', { key, rule });
      await grants.put(grant);
      await grants.put(makeGrant('exact', { key: nameGrant(rule.key) }));
      await grants.put(makeGrant('call', { key: nameCallGrant({ name: 'run_command' }, {}) }));
      await grants.put(makeGrant('elsewhere', { key, rule, sessionId: 's2' }));
      await grants.put(makeGrant('everywhere', { key, rule, scope: 'always', sessionId: undefined }));
      await grants.put(makeGrant('alien', { key, rule, plugin: 'other' }));
      const { grants: reopened } = await subject.reopen();
      const found = await reopened.list(now, { plugin: 'shell', sessionId: 's1', isRule: true });
      expect(found.map(({ id }) => id)).toEqual(['rule', 'everywhere']);
      expect(found[0]).toEqual(grant);
    });

    test("[APR4, DUR3] a call's use of a grant is recorded with it, and deleted with the call", async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      const note = (key: string) => ({ sessionId: 's1', toolCallId: 'call-1', key });
      await store.grants.put(makeGrant('g1'), note('put'));
      await Promise.all([
        store.grants.take(ls, now, note('took')),
        store.grants.take({ ...ls, key: '"none"' }, now, note('found nothing')),
        store.grants.take(ls, now, { ...note('elsewhere'), sessionId: 'unknown' }),
      ]);
      const { index, events } = await subject.reopen();
      expect(await index.records('s1', 'call-1')).toEqual([
        { toolCallId: 'call-1', key: 'put', value: 'session' },
        { toolCallId: 'call-1', key: 'took', value: 'session' },
      ]);
      await events.append(makeAppend('s1', 0, { endedCalls: ['call-1'] }));
      expect(await index.records('s1', 'call-1')).toEqual([]);
    });

    test('[APR4, DUR3, OPS4] a call whose result is stored neither gives nor uses a grant, and leaves no record', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      await store.grants.put(makeGrant('g1', { scope: 'once' }));
      const result = { seq: 1, key: resultKey('call-1'), text: '{}' };
      await store.events.append(makeAppend('s1', 0, { events: [result], endedCalls: ['call-1'] }));
      const note = (toolCallId: string) => ({ sessionId: 's1', toolCallId, key: 'late' });
      expect(await codeOf(store.grants.take(ls, now, note('call-1')))).toBe('StoreError conflict');
      expect(await codeOf(store.grants.put(makeGrant('g2'), note('call-1')))).toBe('StoreError conflict');
      expect(await store.index.records('s1', 'call-1')).toEqual([]);
      expect((await store.grants.list(now)).map(({ id, uses }) => [id, uses])).toEqual([['g1', 0]]);
      expect(await store.grants.take(ls, now, note('call-2'))).toMatchObject({ id: 'g1' });
    });

    test('[APR2, APR4] grants and uses are stored with their events, and not at all if the append is refused', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      const [given, refused] = [makeGrant('given'), makeGrant('refused', { key: '"rm"' })];
      await store.events.append(makeAppend('s1', 0, { grants: [given] }));
      await store.events.append(makeAppend('s1', 1, { usedGrants: { ids: ['given', 'given'], now } }));
      const conflict = store.events.append(
        makeAppend('s1', 1, { grants: [refused], usedGrants: { ids: ['given'], now } }),
      );
      expect(await codeOf(conflict)).toBe('StoreError conflict');
      const { grants } = await subject.reopen();
      expect(await grants.list(now)).toEqual([{ ...given, uses: 2 }]);
    });

    test('[APR4] an append based on a revoked or expired grant stores nothing, and its neighbours are stored', async () => {
      const { store } = subject;
      const { grants } = store;
      await grants.put(makeGrant('held'));
      await grants.put(makeGrant('brief', { key: '"rm"', expiresAt: new Date(now + 1000).toISOString() }));
      await grants.put(makeGrant('revoked', { key: '"mv"' }));
      await grants.revoke({ id: 'revoked' });
      const append = async (sessionId: string, at: number, ...ids: string[]) => {
        await store.sessions.create(makeSession(sessionId));
        const given = [makeGrant(`by ${sessionId}`, { key: JSON.stringify(sessionId) })];
        return codeOf(store.events.append(makeAppend(sessionId, 0, { grants: given, usedGrants: { ids, now: at } })));
      };
      expect(
        await Promise.all([
          append('held', now, 'held'),
          append('in time', now + 999, 'held', 'brief'),
          append('late', now + 1000, 'held', 'brief'),
          append('after', now, 'held', 'revoked'),
        ]),
      ).toEqual(['ok', 'ok', 'StoreError grant_gone', 'StoreError grant_gone']);
      const reopened = await subject.reopen();
      const seqs = await Promise.all(['held', 'in time', 'late', 'after'].map((id) => readSeqs(reopened, id)));
      expect(seqs).toEqual([[1], [1], [], []]);
      const uses = (await reopened.grants.list(now)).map(({ id, uses: count }) => [id, count]);
      expect(uses).toEqual([
        ['held', 2],
        ['brief', 1],
        ['by held', 0],
        ['by in time', 0],
      ]);
    });

    test('[APR4] a revoked grant has no duplicate that remains', async () => {
      const { grants } = subject.store;
      for (const id of ['g1', 'g2']) await grants.put(makeGrant(id));
      for (const id of ['g3', 'g4']) await grants.put(makeGrant(id, { sessionId: 's2' }));
      for (const id of ['a1', 'a2']) await grants.put(makeGrant(id, { scope: 'always', sessionId: id }));
      expect((await grants.list(now)).map((grant) => grant.id)).toEqual(['g2', 'g4', 'a2']);
      expect(await grants.revoke({ id: 'g2' })).toBe(1);
      expect(await grants.revoke({ id: 'g2' })).toBe(0);
      expect(await take()).toBe('a2');
      expect(await grants.revoke({ plugin: 'shell', sessionId: 's2' })).toBe(1);
      expect(await grants.revoke({ plugin: 'shell', sessionId: 'a2' })).toBe(0);
      expect((await grants.list(now)).map((grant) => grant.id)).toEqual(['a2']);
    });
  });

  describe('values', () => {
    test('[PLG3] plugin state is kept by plugin, session and key, and undefined deletes', async () => {
      const { pluginState } = subject.store;
      await subject.store.sessions.create(makeSession('s1'));
      await pluginState.set('a', 's1', 'k', { list: [1, 'two', null] });
      await pluginState.set('a', undefined, 'k', 'server');
      await pluginState.set('b', 's1', 'k', false);
      await pluginState.set('a', 's1', 'gone', 1);
      await pluginState.set('a', 's1', 'gone', undefined);
      const { pluginState: state } = await subject.reopen();
      expect(await state.get('a', 's1', 'k')).toEqual({ list: [1, 'two', null] });
      expect(await state.get('a', undefined, 'k')).toBe('server');
      expect(await state.get('b', 's1', 'k')).toBe(false);
      expect(await state.get('b', undefined, 'k')).toBeUndefined();
      expect(await state.get('a', 's1', 'gone')).toBeUndefined();
      await state.set('a', 's1', 'k', null);
      expect(await state.get('a', 's1', 'k')).toBeNull();
    });

    test('[PLG3] what is stored is a copy', async () => {
      const { pluginState } = subject.store;
      const value = { n: 1 };
      const stored = pluginState.set('a', undefined, 'k', value);
      value.n = 2;
      await stored;
      expect(await pluginState.get('a', undefined, 'k')).toEqual({ n: 1 });
    });
  });
}
