import type { AccessToken, ChatLink, Credential } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import { codeOf, makeAppend, makeSession } from './make.ts';
import type { Subject } from './subject.ts';

const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);
const noon = '2026-03-01T12:00:00.000Z';

const token = (id: string): AccessToken => ({ id, role: 'responder', createdAt: noon });

function makeLink(codeHash: string, part: Partial<ChatLink> = {}): Omit<ChatLink, 'principal' | 'credential'> {
  const account = { id: '1001', name: 'Ann' };
  return { id: `l-${codeHash}`, createdAt: noon, notifier: 'telegram', account, codeHash, ...part };
}

/** Tests chat accounts and the codes that link them. */
export function testLinks(subject: Subject): void {
  describe('links', () => {
    const addCode = (hash: string, credential: Credential) =>
      subject.store.links.addCode(
        hash,
        { principal: credential.tokenId ?? 'owner', credential, expiresAt: noon },
        { credential, now: at('11:50:00.000') },
      );

    test('[CHAT2] a code links one account, once and in time, and a new link replaces that of the same account', async () => {
      await subject.store.tokens.add('h', token('t1'));
      await addCode('c1', { tokenId: 't1' });
      const { links } = await subject.reopen();
      expect(await links.redeem(makeLink('other'), at('11:55:00.000'))).toBeUndefined();
      expect(await links.redeem(makeLink('c1'), at('12:00:00.000'))).toBeUndefined(); // too late
      const first = await links.redeem(makeLink('c1'), at('11:59:59.999'));
      expect(first).toEqual({ ...makeLink('c1'), principal: 't1', credential: { tokenId: 't1' } });
      expect(await links.redeem(makeLink('c1', { id: 'l-2' }), at('11:59:59.999'))).toBeUndefined();
      await addCode('c2', {});
      await addCode('c3', {});
      const second = await links.redeem(makeLink('c2'), at('11:55:00.000'));
      const other = await links.redeem(makeLink('c3', { notifier: 'slack' }), at('11:55:00.000'));
      expect(await links.list()).toEqual([second, other]);
      expect(await links.find('telegram', '1001')).toEqual(second);
      expect(await links.find('telegram', '1002')).toBeUndefined();
      await addCode('c4', {});
      expect(await links.findCode('c4', at('11:59:59.999'))).toEqual({
        principal: 'owner',
        credential: {},
        expiresAt: noon,
      });
      expect(await links.findCode('c4', at('12:00:00.000'))).toBeUndefined();
      expect([await links.dropCode('c4'), await links.dropCode('c4')]).toEqual([true, false]);
      expect([await links.remove('l-c2'), await links.remove('l-c2')]).toEqual([true, false]);
    });

    test('[CHAT2, SEC9] links and codes end with their token or login, and no code is made for one that has ended', async () => {
      const { tokens, logins, links } = subject.store;
      await tokens.add('h', token('t1'));
      await logins.add('cookie', { id: 'login', createdAt: noon, expiresAt: '2026-03-02T00:00:00.000Z' });
      for (const [hash, credential] of [
        ['c1', { tokenId: 't1' }],
        ['c2', { tokenId: 't1' }],
        ['c3', { loginHash: 'cookie' }],
      ] as const)
        await addCode(hash, credential);
      await links.redeem(makeLink('c1'), at('11:55:00.000'));
      await links.redeem(makeLink('c3', { account: { id: '1003' } }), at('11:55:00.000'));
      await tokens.remove('t1');
      expect((await links.list()).map(({ id }) => id)).toEqual(['l-c3']);
      expect(await links.redeem(makeLink('c2'), at('11:55:00.000'))).toBeUndefined();
      await logins.remove({ id: 'login' });
      expect(await links.list()).toEqual([]);
      expect(await codeOf(addCode('c5', { tokenId: 't1' }))).toBe('StoreError unauthorised');
    });

    test('[CHAT2, SEC9] an append by a link stores nothing once the link has ended', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      await addCode('c1', {});
      await store.links.redeem(makeLink('c1'), at('11:55:00.000'));
      const append = (expectedSeq: number) =>
        codeOf(
          store.events.append({
            ...makeAppend('s1', expectedSeq),
            authority: { credential: { linkId: 'l-c1' }, now: at('11:56:00.000') },
          }),
        );
      expect(await append(0)).toBe('ok');
      await store.links.remove('l-c1');
      expect(await append(1)).toBe('StoreError unauthorised');
    });
  });
}
