import type { AccessToken, Credential, Login } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import { codeOf, makeAppend, makeGrant, makeSession } from './make.ts';
import type { Subject } from './subject.ts';

const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);
const noon = '2026-03-01T12:00:00.000Z';

function makeAccessToken(id: string, part: Partial<AccessToken> = {}): AccessToken {
  return { id, role: 'viewer', createdAt: noon, ...part };
}

function makeLogin(id: string, part: Partial<Login> = {}): Login {
  return { id, createdAt: noon, expiresAt: noon, ...part };
}

/** Tests tokens and logins. */
export function testAccess(subject: Subject): void {
  describe('access', () => {
    test('[SEC2] a login lasts until it expires or is removed', async () => {
      const { logins } = subject.store;
      const first = makeLogin('1');
      const second = makeLogin('2', { tokenId: 't', userAgent: 'Firefox', address: '127.0.0.1' });
      await subject.store.tokens.add('hash', makeAccessToken('t'));
      await logins.add('h1', first);
      await logins.add('h2', second);
      await logins.add('h3', makeLogin('3'));
      expect([await logins.remove({ hash: 'h3' }), await logins.remove({ hash: 'h3' })]).toEqual([true, false]);
      const { logins: reopened } = await subject.reopen();
      expect(await reopened.find('h1', at('11:59:59.999'))).toEqual(first);
      expect(await reopened.find('h2', at('11:59:59.999'))).toEqual(second);
      expect(await reopened.find('h3', at('11:59:59.999'))).toBeUndefined();
      expect(await reopened.find('h1', at('12:00:00.000'))).toBeUndefined();
      await reopened.add('h1', { ...first, expiresAt: '2026-03-02T00:00:00.000Z' });
      expect(await reopened.find('h1', at('12:00:00.000'))).toBeDefined();
    });

    test('[TEAM3] an append based on votes stores nothing if the token of a voter was revoked, but an expired one counts', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      await store.tokens.add('a', makeAccessToken('stays'));
      await store.tokens.add('b', makeAccessToken('expired', { expiresAt: '2020-01-01T00:00:00.000Z' }));
      await store.tokens.add('c', makeAccessToken('revoked'));
      await store.tokens.remove('revoked');
      const append = (seq: number, ...ids: string[]) =>
        codeOf(store.events.append(makeAppend('s1', seq, { voters: ids.map((id) => ({ id, votedAt: noon })) })));
      expect(await append(0, 'stays', 'revoked')).toBe('StoreError voter_gone');
      expect(await append(0, 'stays', 'expired')).toBe('ok');
    });

    test('[TEAM3] a vote counts only if its token has lived on since, under whatever name and role', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      const voters = [{ id: 't1', votedAt: '2026-03-01T12:00:00.001Z' }];
      const append = (seq: number) => codeOf(store.events.append(makeAppend('s1', seq, { voters })));
      const token = makeAccessToken('t1', { role: 'operator', createdAt: noon });
      await store.tokens.add('h1', token);
      await store.tokens.change({ ...token, role: 'responder', name: 'Ann' });
      expect(await append(0)).toBe('ok');
      await store.tokens.remove('t1');
      expect(await append(1)).toBe('StoreError voter_gone');
      await store.tokens.add('h2', { ...token, createdAt: '2026-03-01T12:00:00.002Z' });
      expect(await append(1)).toBe('StoreError voter_gone');
    });

    test('[SIGN1, SEC9] a token gets another name and role in one write, which ends its logins and grants', async () => {
      const { tokens, logins, grants } = subject.store;
      const giver = { clientId: 'c', connectionId: 'k', transport: 'ws' };
      const token = makeAccessToken('t1', { role: 'operator', name: 'Ann' });
      await tokens.add('h1', token);
      await tokens.add('h2', makeAccessToken('t2', { name: 'Bob' }));
      await logins.add('cookie', makeLogin('1', { tokenId: 't1' }));
      await grants.put(makeGrant('g1', { by: { ...giver, principal: 't1' } }));
      expect(await codeOf(tokens.change({ ...token, name: 'Bob' }))).toBe('StoreError conflict');
      expect(await tokens.change({ ...token, name: 'Anna' }, { keepGrants: true })).toBe(true);
      expect(await tokens.find({ hash: 'h1' }, 0)).toEqual({ ...token, name: 'Anna' });
      expect([(await logins.list(0)).length, (await grants.list(0)).length]).toEqual([0, 1]);
      expect(await tokens.change({ ...token, role: 'viewer', name: 'Anna' })).toBe(true);
      expect(await grants.list(0)).toEqual([]);
      expect(await tokens.change(makeAccessToken('gone'))).toBe(false);
    });

    test('[SEC4] a token is found unchanged by hash and by id until it expires or is removed', async () => {
      const { tokens } = subject.store;
      const whole = makeAccessToken('t1', {
        role: 'responder',
        name: 'Ann',
        owner: 'ann',
        sessions: ['s1', 's2'],
        expiresAt: noon,
      });
      await tokens.add('h1', whole);
      await tokens.add('h2', makeAccessToken('t2', { role: 'operator' }));
      const { tokens: reopened } = await subject.reopen();
      expect(await reopened.find({ hash: 'h1' }, at('11:59:59.999'))).toEqual(whole);
      expect(await reopened.find({ id: 't1' }, at('11:59:59.999'))).toEqual(whole);
      expect(await reopened.find({ id: 'h1' }, at('11:59:59.999'))).toBeUndefined();
      expect(await reopened.find({ hash: 'h1' }, at('12:00:00.000'))).toBeUndefined();
      expect(await reopened.list()).toEqual([whole, makeAccessToken('t2', { role: 'operator' })]);
      expect([await reopened.remove('t1'), await reopened.remove('t1')]).toEqual([true, false]);
      expect(await reopened.find({ hash: 'h1' }, 0)).toBeUndefined();
      expect((await reopened.list()).map(({ id }) => id)).toEqual(['t2']);
    });

    test('[SEC9] logins are listed until they expire, and ended by id', async () => {
      const { logins } = subject.store;
      await logins.add('h1', makeLogin('1'));
      await logins.add('h2', makeLogin('2', { expiresAt: '2026-03-02T00:00:00.000Z' }));
      const ids = async (time: string) => (await logins.list(at(time))).map(({ id }) => id);
      expect([await ids('11:00:00.000'), await ids('13:00:00.000')]).toEqual([['1', '2'], ['2']]);
      expect([await logins.remove({ id: '2' }), await logins.remove({ id: '2' })]).toEqual([true, false]);
      expect(await logins.find('h2', at('11:00:00.000'))).toBeUndefined();
    });

    test('[SEC9] a login that has not presented its token recently is refused what requires that, until it does', async () => {
      const { store } = subject;
      await store.logins.add('old', makeLogin('1', { expiresAt: '2026-03-09T00:00:00.000Z' }));
      await store.logins.add('ended', makeLogin('2'));
      await store.sessions.create(makeSession('s1'));
      let seq = 0;
      const append = async (since?: string) => {
        const authority = { credential: { loginHash: 'old' }, now: at('14:00:00.000') };
        const more = since === undefined ? {} : { provedSince: at(since) };
        const verdict = await codeOf(
          subject.store.events.append(makeAppend('s1', seq, { authority: { ...authority, ...more } })),
        );
        if (verdict === 'ok') seq += 1;
        return verdict;
      };
      expect([await append(), await append('12:00:00.000'), await append('12:00:00.001')]).toEqual([
        'ok',
        'ok',
        'StoreError login_again',
      ]);
      const proofs = ['old', 'ended', 'nobody'].map((hash) => store.logins.prove(hash, at('13:00:00.000')));
      expect(await Promise.all(proofs)).toEqual([true, false, false]);
      const { logins } = await subject.reopen();
      expect(await logins.find('old', at('13:00:00.000'))).toMatchObject({ provedAt: '2026-03-01T13:00:00.000Z' });
      expect([await append('13:00:00.000'), await append('13:00:00.001')]).toEqual(['ok', 'StoreError login_again']);
      const authority = { credential: { loginHash: 'old' }, now: at('14:00:00.000'), provedSince: at('13:30:00.000') };
      expect(await codeOf(logins.remove({ hash: 'old' }, authority))).toBe('StoreError login_again');
      expect(await logins.remove({ hash: 'old' })).toBe(true);
    });

    test('[SEC9] removing a token removes its logins, and its grants unless they are kept', async () => {
      const { tokens, logins, grants } = subject.store;
      const by = (principal: string) => ({ clientId: 'c', connectionId: 'k', principal, transport: 'ws' });
      for (const id of ['t1', 't2', 't3']) {
        await tokens.add(`h-${id}`, makeAccessToken(id));
        await logins.add(`l-${id}`, makeLogin(`l-${id}`, { tokenId: id }));
        await grants.put(makeGrant(`g-${id}`, { key: JSON.stringify(id), by: by(id) }));
      }
      await grants.put(makeGrant('g', { key: '"nobody"' }));
      await tokens.remove('t1');
      await tokens.remove('t2', { keepGrants: true });
      const store = await subject.reopen();
      const noonish = at('11:59:59.999');
      expect((await store.grants.list(noonish)).map(({ id }) => id)).toEqual(['g-t2', 'g-t3', 'g']);
      expect((await store.logins.list(noonish)).map(({ id }) => id)).toEqual(['l-t3']);
    });

    test('[SEC9, SIGN1] a login whose token was revoked meanwhile is not stored, and so not of the next token of this id', async () => {
      const { tokens, logins } = subject.store;
      await tokens.add('h1', makeAccessToken('t1'));
      await tokens.remove('t1');
      expect(await codeOf(logins.add('late', makeLogin('1', { tokenId: 't1' })))).toBe('StoreError unauthorised');
      await tokens.add('h2', makeAccessToken('t1'));
      expect(await codeOf(logins.add('next', makeLogin('2', { tokenId: 't1' })))).toBe('ok');
      expect((await logins.list(0)).map(({ id }) => id)).toEqual(['2']);
    });

    test('[SEC4] a second token of the same name or id is refused: names say who answered', async () => {
      const { tokens } = subject.store;
      await tokens.add('h1', makeAccessToken('t1', { name: 'Ann' }));
      const refused = [
        makeAccessToken('t2', { name: 'Ann' }),
        makeAccessToken('t1'),
        makeAccessToken('Ann'),
        makeAccessToken('t3', { name: 't1' }),
      ].map((token, n) => codeOf(tokens.add(`other ${n}`, token)));
      expect(await Promise.all(refused)).toEqual(Array(4).fill('StoreError conflict'));
      await tokens.add('h2', makeAccessToken('t2', { name: 'Bob' }));
      expect((await tokens.list()).map(({ id }) => id)).toEqual(['t1', 't2']);
    });

    test('[SEC9] an append whose token or login has ended stores nothing, and its neighbours are stored', async () => {
      const { store } = subject;
      await store.tokens.add('h1', makeAccessToken('t1', { expiresAt: noon }));
      await store.logins.add('l1', makeLogin('1', { tokenId: 't1' }));
      await store.logins.add('l2', makeLogin('2'));
      await store.logins.remove({ id: '2' });
      const append = async (credential: Credential, time: string, sessionId: string) => {
        await store.sessions.create(makeSession(sessionId));
        const grants = [makeGrant(`grant of ${sessionId}`, { key: JSON.stringify(sessionId) })];
        const authority = { credential, now: at(time) };
        return codeOf(store.events.append(makeAppend(sessionId, 0, { authority, grants })));
      };
      const both = { tokenId: 't1', loginHash: 'l1' };
      expect(
        await Promise.all([
          append({}, '11:00:00.000', 'owner'),
          append({ tokenId: 't1' }, '11:00:00.000', 'token'),
          append({ tokenId: 't1' }, '12:00:00.000', 'late'),
          append({ tokenId: 'gone' }, '11:00:00.000', 'revoked'),
          append(both, '11:00:00.000', 'login'),
          append({ loginHash: 'l2' }, '11:00:00.000', 'logged-out'),
        ]),
      ).toEqual(['ok', 'ok', 'StoreError unauthorised', 'StoreError unauthorised', 'ok', 'StoreError unauthorised']);
      await store.tokens.remove('t1', { keepGrants: true });
      expect(await append(both, '11:00:00.000', 'after')).toBe('StoreError unauthorised');
      const { events, grants } = await subject.reopen();
      for (const id of ['late', 'revoked', 'logged-out', 'after']) {
        for await (const texts of events.read(id, 0)) expect(texts).toEqual([]);
      }
      const given = (await grants.list(0)).map(({ id }) => id).toSorted();
      expect(given).toEqual(['grant of login', 'grant of owner', 'grant of token']);
    });

    test('[SEC9] an ended token neither creates nor deletes a session, and neither gives nor revokes a grant', async () => {
      const { sessions, grants } = subject.store;
      await subject.store.tokens.add('h1', makeAccessToken('t1', { expiresAt: noon }));
      await sessions.create(makeSession('s1'));
      await grants.put(makeGrant('g1'));
      const deletion = { event: 'session_deleted', at: noon } as const;
      const authority = { credential: { tokenId: 't1' }, now: at('12:00:00.000') };
      const verdicts = await Promise.all([
        codeOf(sessions.create(makeSession('s2'), { authority })),
        codeOf(grants.put(makeGrant('g2', { key: '"rm"' }), undefined, authority)),
        codeOf(grants.revoke({ id: 'g1', authority })),
        codeOf(sessions.remove('s1', deletion, { authority })),
      ]);
      expect(verdicts).toEqual(Array(4).fill('StoreError unauthorised'));
      const { sessions: kept, grants: given } = await subject.reopen();
      expect((await kept.list({})).map(({ session }) => session.id)).toEqual(['s1']);
      expect(await given.list(0)).toHaveLength(1);
    });

    test('[SEC9] a token that is valid does all of this', async () => {
      const { sessions, grants } = subject.store;
      await subject.store.tokens.add('h1', makeAccessToken('t1', { expiresAt: noon }));
      await grants.put(makeGrant('g1'));
      const authority = { credential: { tokenId: 't1' }, now: at('11:00:00.000') };
      await sessions.create(makeSession('s1'), { authority });
      await grants.put(makeGrant('g2', { key: '"rm"' }), undefined, authority);
      expect(await grants.revoke({ id: 'g1', authority })).toBe(1);
      await sessions.remove('s1', { event: 'session_deleted', at: noon }, { authority });
      expect(await sessions.list({})).toEqual([]);
    });
  });
}
