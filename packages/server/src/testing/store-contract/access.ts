import type { AccessToken } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import type { Subject } from './subject.ts';

const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);
const noon = '2026-03-01T12:00:00.000Z';

function makeAccessToken(id: string, part: Partial<AccessToken> = {}): AccessToken {
  return { id, role: 'viewer', createdAt: noon, ...part };
}

/** Tokens and logins. */
export function testAccess(subject: Subject): void {
  describe('access', () => {
    test('[SEC2] a login lasts until it expires or is removed', async () => {
      const { logins } = subject.store;
      await logins.add('h1', { expiresAt: noon });
      await logins.add('h2', { expiresAt: noon, tokenId: 't' });
      await logins.add('h3', { expiresAt: noon });
      await logins.remove('h3');
      const { logins: reopened } = await subject.reopen();
      expect(await reopened.find('h1', at('11:59:59.999'))).toEqual({ expiresAt: noon });
      expect(await reopened.find('h2', at('11:59:59.999'))).toEqual({ expiresAt: noon, tokenId: 't' });
      expect(await reopened.find('h3', at('11:59:59.999'))).toBeUndefined();
      expect(await reopened.find('h1', at('12:00:00.000'))).toBeUndefined();
      await reopened.add('h1', { expiresAt: '2026-03-02T00:00:00.000Z' });
      expect(await reopened.find('h1', at('12:00:00.000'))).toBeDefined();
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
  });
}
