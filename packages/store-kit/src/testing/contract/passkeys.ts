import {
  type AccessToken,
  type Authority,
  maxPasskeys,
  type Passkey,
  type PasskeyUse,
  serverChain,
} from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import { fingerprintOfPasskey } from '../../fingerprint.ts';
import { codeOf, makeAppend, makeGrant, makeSession, readSeqs } from './make.ts';
import type { Subject } from './subject.ts';

const noon = '2026-03-01T12:00:00.000Z';
const now = Date.parse(noon);
const authority: Authority = { credential: {}, now };

function makePasskey(id: string, part: Partial<Passkey> = {}): Passkey {
  return {
    ...{ id, person: 'ann', credentialId: `credential-${id}`, publicKey: 'cose', name: `Key ${id}` },
    ...{ origin: 'https://parley.example', counter: 5, createdAt: noon, transports: ['internal'] },
    ...part,
  };
}

function useOf({ credentialId, person }: Passkey, counter: number): PasskeyUse {
  return { credentialId, person, counter, now };
}

/** Tests passkeys, and the writes that depend on one. */
export function testPasskeys(subject: Subject): void {
  describe('passkeys', () => {
    test('[SIGN2] are added, found, listed, renamed and removed, and survive a restart', async () => {
      const [first, second] = [makePasskey('1'), makePasskey('2', { createdAt: '2026-03-01T12:00:01.000Z' })];
      await subject.store.passkeys.add(first, { authority });
      await subject.store.passkeys.add(second, { authority, use: useOf(first, 6) });
      await subject.store.passkeys.add(makePasskey('3', { person: 'bob' }), { authority });
      const { passkeys } = await subject.reopen();
      const used = { ...first, counter: 6, lastUsedAt: noon };
      expect(await passkeys.list('ann')).toEqual([used, second]);
      expect((await passkeys.list()).map(({ id }) => id)).toEqual(['1', '3', '2']);
      expect(await passkeys.find('credential-2')).toEqual(second);
      expect(await passkeys.find('credential-9')).toBeUndefined();
      expect(await passkeys.rename(second, 'Phone', authority)).toBe(true);
      expect(await passkeys.rename({ id: '2', person: 'bob' }, 'Mine', authority)).toBe(false);
      expect((await passkeys.find('credential-2'))?.name).toBe('Phone');
      expect(await passkeys.remove({ id: '2', person: 'ann' }, { authority, use: useOf(first, 7) })).toBe(true);
      expect(await passkeys.remove({ id: '2', person: 'ann' }, { authority, use: useOf(first, 8) })).toBe(false);
      expect(await passkeys.list('ann')).toHaveLength(1);
      expect([await passkeys.revoke('3'), await passkeys.revoke('3')]).toEqual([true, false]);
    });

    test('[SIGN2, SEC7] with a passkey the grants end that one of its person signed, and the audit says so', async () => {
      const { passkeys, grants, audit } = subject.store;
      const giver = { clientId: 'c', connectionId: 'k', transport: 'ws' };
      const signed = (id: string, by: { principal: string; owner?: string }) =>
        grants.put(makeGrant(id, { key: `"${id}"`, by: { ...giver, ...by }, isSigned: true }));
      await passkeys.add(makePasskey('1'), { authority });
      await signed('own', { principal: 'ann' });
      await signed('by token', { principal: 't1', owner: 'ann' });
      await signed("bob's", { principal: 'bob' });
      await grants.put(makeGrant('unsigned', { key: '"u"', by: { ...giver, principal: 'ann' } }));
      const command = { kind: 'command', text: 'printf \u0000 \ud800 "isSigned":true' } as const;
      await grants.put(makeGrant('odd', { key: '"odd"', by: { ...giver, principal: 'bob' }, subject: command }));
      await passkeys.revoke('1');
      expect((await grants.list(now)).map(({ id }) => id)).toEqual(["bob's", 'unsigned', 'odd']);
      const rows = (await audit.read(serverChain)).map(({ text }) => JSON.parse(text));
      const ends = rows.filter(({ event }) => event === 'grant_revoked');
      expect(ends.map(({ grantId, cause }) => [grantId, cause]).sort()).toEqual([
        ['by token', 'passkey_removed'],
        ['own', 'passkey_removed'],
      ]);
    });

    test('[SIGN2] a signed grant is stored only while its person has the passkey that signed it', async () => {
      const { passkeys, grants } = subject.store;
      const ann = makePasskey('1');
      await passkeys.add(ann, { authority });
      await passkeys.add(makePasskey('2', { person: 'bob' }), { authority });
      const by = { clientId: 'c', connectionId: 'k', transport: 'ws', principal: 'ann' };
      const grant = makeGrant('signed', { by, isSigned: true });
      const put = (passkey: string) => codeOf(grants.put(grant, undefined, { ...authority, passkey }));
      expect(await put('credential-2')).toBe('StoreError passkey_gone');
      expect(await put(ann.credentialId)).toBe('ok');
      await passkeys.revoke('1');
      expect(await put(ann.credentialId)).toBe('StoreError passkey_gone');
      expect(await grants.list(now)).toEqual([]);
    });

    test('[SIGN2] whoever has a passkey adds and removes others only with a signature by one of theirs', async () => {
      const { passkeys } = subject.store;
      const [ann, bob] = [makePasskey('1'), makePasskey('2', { person: 'bob' })];
      await passkeys.add(ann, { authority });
      await passkeys.add(bob, { authority });
      const wrong = [undefined, useOf(bob, 6), { ...useOf(bob, 6), person: 'ann' }, useOf(makePasskey('9'), 6)];
      for (const use of wrong) {
        expect(await codeOf(passkeys.add(makePasskey('3'), { authority, use }))).toBe('StoreError passkey_gone');
        expect(await codeOf(passkeys.remove(ann, { authority, use }))).toBe('StoreError passkey_gone');
      }
      expect(await codeOf(passkeys.remove(ann, { authority, use: useOf(ann, 5) }))).toBe('StoreError passkey_gone');
      expect(await codeOf(passkeys.remove({ ...bob, person: 'ann' }, { authority, use: useOf(ann, 6) }))).toBe('ok');
      expect(await passkeys.list()).toHaveLength(2); // bob's is still there
    });

    test('[SIGN2] a credential has one passkey, and a person a limited number', async () => {
      const { passkeys } = subject.store;
      const first = makePasskey('0', { counter: 0 });
      await passkeys.add(first, { authority });
      const change = { authority, use: useOf(first, 0) };
      const twin = makePasskey('x', { person: 'bob', credentialId: first.credentialId });
      expect(await codeOf(passkeys.add(twin, { authority }))).toBe('StoreError conflict');
      for (let n = 1; n < maxPasskeys; n += 1) await passkeys.add(makePasskey(String(n)), change);
      expect(await codeOf(passkeys.add(makePasskey('more'), change))).toBe('StoreError quota');
      expect(await passkeys.list('ann')).toHaveLength(maxPasskeys);
    });

    test('[SIGN2, SEC9] only a credential that has not ended, and is fresh if it must be, changes them', async () => {
      const { passkeys, tokens, logins } = subject.store;
      const token: AccessToken = { id: 't1', role: 'responder', createdAt: noon };
      await tokens.add('h', token);
      await logins.add('cookie', { id: 'l', createdAt: noon, expiresAt: '2026-03-02T00:00:00.000Z', tokenId: 't1' });
      const stale = { credential: { tokenId: 't1', loginHash: 'cookie' }, now, provedSince: now + 1 };
      expect(await codeOf(passkeys.add(makePasskey('1'), { authority: stale }))).toBe('StoreError login_again');
      await passkeys.add(makePasskey('1'), { authority: { ...stale, provedSince: now } });
      await tokens.remove('t1');
      const ended = { authority: { credential: { tokenId: 't1' }, now }, use: useOf(makePasskey('1'), 6) };
      expect(await codeOf(passkeys.add(makePasskey('2'), ended))).toBe('StoreError unauthorised');
      expect(await codeOf(passkeys.remove(makePasskey('1'), ended))).toBe('StoreError unauthorised');
      expect(await codeOf(passkeys.rename(makePasskey('1'), 'x', ended.authority))).toBe('StoreError unauthorised');
    });

    test('[SIGN2] an append that a passkey signed is stored only while its person has it and its counter moves on', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      const [counting, constant] = [makePasskey('1'), makePasskey('2', { person: 'bob', counter: 0 })];
      await store.passkeys.add(counting, { authority });
      await store.passkeys.add(constant, { authority });
      let seq = 0;
      const append = async (passkey: PasskeyUse) => {
        const code = await codeOf(store.events.append({ ...makeAppend('s1', seq), passkey }));
        if (code === 'ok') seq += 1;
        return code;
      };
      expect(await append(useOf(counting, 6))).toBe('ok');
      expect(await store.passkeys.find(counting.credentialId)).toMatchObject({ counter: 6, lastUsedAt: noon });
      for (const counter of [6, 5, 0]) expect(await append(useOf(counting, counter))).toBe('StoreError passkey_gone');
      expect(await append({ ...useOf(counting, 7), person: 'bob' })).toBe('StoreError passkey_gone');
      expect([await append(useOf(constant, 0)), await append(useOf(constant, 0))]).toEqual(['ok', 'ok']);
      await store.passkeys.revoke('1');
      expect(await append(useOf(counting, 8))).toBe('StoreError passkey_gone');
      expect(await readSeqs(store, 's1')).toEqual([1, 2, 3]);
    });

    test('[SIGN2] of appends that are signed with the same count, one is stored, and a refused one leaves the others', async () => {
      const { store } = subject;
      const passkey = makePasskey('1');
      await store.passkeys.add(passkey, { authority });
      for (const id of ['s1', 's2', 's3']) await store.sessions.create(makeSession(id));
      const signed = { passkey: useOf(passkey, 6) };
      const codes = await Promise.all([
        codeOf(store.events.append({ ...makeAppend('s1', 0), ...signed })),
        codeOf(store.events.append({ ...makeAppend('s2', 0), ...signed })),
        codeOf(store.events.append(makeAppend('s3', 0))),
      ]);
      expect(codes).toEqual(['ok', 'StoreError passkey_gone', 'ok']);
    });

    test('[SIGN2, SEC7] adding and removing are audited', async () => {
      const { store } = subject;
      const passkey = makePasskey('1');
      await store.passkeys.add(passkey, { authority });
      await store.passkeys.revoke('1');
      const rows = (await store.audit.read(serverChain)).map(({ text }) => JSON.parse(text));
      expect(rows).toMatchObject([
        { event: 'passkey_added', passkeyId: '1', person: 'ann', fingerprint: fingerprintOfPasskey(passkey) },
        { event: 'passkey_removed', passkeyId: '1', person: 'ann' },
      ]);
    });
  });
}
