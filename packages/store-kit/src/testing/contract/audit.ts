import { serverChain } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import { verifyChain } from '../../audit-chain.ts';
import { codeOf, makeAppend, makeClaim, makeEvent, makeGrant, makeSession } from './make.ts';
import type { Subject } from './subject.ts';

const at = '2026-03-01T12:00:00.000Z';

/** Tests the audit, which is written in the commit of each settlement. */
export function testAudit(subject: Subject): void {
  describe('audit', () => {
    const settle = (sessionId: string, after: number, seq = after + 1) =>
      subject.store.events.append(
        makeAppend(sessionId, after, {
          events: [makeEvent(after + 1, `settlement:c${seq}.1`)],
          audit: [makeClaim(after + 1)],
        }),
      );

    test('[SEC7] a row is stored with its append and chained per session', async () => {
      for (const id of ['s1', 's2']) await subject.store.sessions.create(makeSession(id));
      await Promise.all([settle('s1', 0), settle('s2', 0), settle('s1', 1)]);
      await subject.reopen();
      await settle('s1', 2);
      const rows = await subject.store.audit.read('s1');
      expect(rows.map(({ n, text }) => [n, JSON.parse(text)])).toEqual(
        [1, 2, 3].map((n) => [n, { sessionId: 's1', n, ...makeClaim(n) }]),
      );
      const log = new Map([1, 2, 3].map((seq) => [seq, `c${seq}.1`]));
      expect([...verifyChain(rows, log)]).toEqual([]);
      expect(await subject.store.audit.read('s2')).toHaveLength(1);
      expect(await subject.store.audit.read('nobody')).toEqual([]);
    });

    test('[SEC7] a refused append leaves no row', async () => {
      await subject.store.sessions.create(makeSession('s1'));
      const verdicts = [settle('s1', 0), settle('s1', 0), settle('s1', 1, 1), settle('s1', 1)].map(codeOf);
      expect(await Promise.all(verdicts)).toEqual(['ok', 'StoreError conflict', 'StoreError conflict', 'ok']);
      const rows = await subject.store.audit.read('s1');
      expect(rows.map(({ text }) => JSON.parse(text).seq)).toEqual([1, 2]);
      expect([...verifyChain(rows, new Map([1, 2].map((seq) => [seq, `c${seq}.1`])))]).toEqual([]);
    });

    test('[SEC7, OPS5] the rows of a deleted session stay and end with who deleted it', async () => {
      await subject.store.sessions.create(makeSession('s1'));
      await settle('s1', 0);
      const deletion = { event: 'session_deleted', at } as const;
      await subject.store.sessions.remove('s1', deletion);
      await subject.store.sessions.remove('s1', deletion);
      const { audit } = await subject.reopen();
      const rows = await audit.read('s1');
      expect(rows.map(({ text }) => JSON.parse(text).event)).toEqual(['interaction_response', 'session_deleted']);
      expect([...verifyChain(rows, undefined)]).toEqual([]);
    });

    test('[SEC7] each grant that ends has a row with the cause', async () => {
      const { sessions, grants, tokens } = subject.store;
      const by = { clientId: 'c', connectionId: 'k', principal: 't1', transport: 'ws' };
      await sessions.create(makeSession('s1'));
      await tokens.add('h1', { id: 't1', role: 'operator', createdAt: at });
      await grants.put(makeGrant('old'));
      await grants.put(makeGrant('new'));
      await grants.put(makeGrant("giver's", { key: '"rm"', by }));
      await grants.put(makeGrant("plugin's", { plugin: 'other', sessionId: 's2' }));
      await grants.put(makeGrant('always', { key: '"cd"', scope: 'always', sessionId: undefined }));
      await tokens.remove('t1');
      await sessions.remove('s1', { event: 'session_deleted', at });
      await grants.revoke({ plugin: 'other', sessionId: 's2' });
      await grants.revoke({ id: 'always', by: { principal: 'owner' } });
      const rows = await (await subject.reopen()).audit.read(serverChain);
      const ends = rows.map(({ text }) => JSON.parse(text)).filter(({ event }) => event === 'grant_revoked');
      expect(ends.map(({ grantId, cause, by: who }) => [grantId, cause, who?.principal])).toEqual([
        ['old', 'replaced', undefined],
        ["giver's", 'token_revoked', undefined],
        ['new', 'session_deleted', undefined],
        ["plugin's", 'plugin', undefined],
        ['always', 'person', 'owner'],
      ]);
    });
  });
}
