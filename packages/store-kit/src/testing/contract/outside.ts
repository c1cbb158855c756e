import { describe, expect, test } from 'vitest';
import { codeOf, makeAppend, makeSession, readSeqs } from './make.ts';
import type { Subject } from './subject.ts';

const channel = { principal: 'ci', name: 'nightly' };
const deletion = { event: 'session_deleted', at: '2026-03-01T12:00:00.000Z' } as const;

/** Tests channels and keys of external programs. */
export function testOutside(subject: Subject): void {
  describe('programs outside', () => {
    const key = { principal: 'ci', callId: 'ship-1' };
    const outsideCall = { ...key, toolCallId: 'call-1' };
    const found = { sessionId: 's1', toolCallId: 'call-1', principal: 'ci' };

    test('[ASK1] a channel has one session, also after reopening', async () => {
      const { sessions, outside } = subject.store;
      await sessions.create(makeSession('s0'));
      await sessions.create(makeSession('s1', { channel }));
      await sessions.create(makeSession('s2', { channel: { ...channel, name: 'other' } }));
      await sessions.create(makeSession('s3', { channel: { ...channel, principal: 'else' } }));
      expect(await codeOf(sessions.create(makeSession('s4', { channel })))).toBe('StoreError conflict');
      expect(await outside.findChannel(channel)).toBe('s1');
      const reopened = await subject.reopen();
      expect(await reopened.outside.channelsOf('ci')).toEqual(['s1', 's2']);
      expect((await reopened.sessions.get('s1'))?.session.channel).toEqual(channel);
      expect((await reopened.sessions.get('s0'))?.session.channel).toBeUndefined();
    });

    test('[ASK1] a key names one call, also after reopening', async () => {
      await subject.store.sessions.create(makeSession('s1'));
      await subject.store.events.append(makeAppend('s1', 0, { outsideCall }));
      const again = makeAppend('s1', 1, { outsideCall: { ...outsideCall, toolCallId: 'call-2' } });
      expect(await codeOf(subject.store.events.append(again))).toBe('StoreError conflict');
      expect(await readSeqs(subject.store, 's1')).toEqual([1]);
      const { outside } = await subject.reopen();
      expect(await outside.findCall(key)).toEqual(found);
      expect(await outside.findCall({ toolCallId: 'call-1' })).toEqual(found);
      expect(await outside.findCall({ ...key, principal: 'else' })).toBeUndefined();
      expect(await outside.findCall({ toolCallId: 'call-2' })).toBeUndefined();
    });

    test('[ASK6] the calls of a principal are listed newest first, a page at a time', async () => {
      await subject.store.sessions.create(makeSession('s1'));
      for (const [n, principal] of ['ci', 'else', 'ci', 'ci'].entries())
        await subject.store.events.append(
          makeAppend('s1', n, { outsideCall: { principal, callId: `ship-${n}`, toolCallId: `call-${n}` } }),
        );
      const { outside } = await subject.reopen();
      const idsOf = async (before?: string) =>
        (await outside.listCalls('ci', { before, limit: 2 })).map(({ toolCallId }) => toolCallId);
      expect(await idsOf()).toEqual(['call-3', 'call-2']);
      expect(await idsOf('call-2')).toEqual(['call-0']);
      expect(await idsOf('call-0')).toEqual([]);
    });

    test('[OPS5] channels and keys are deleted with their session', async () => {
      const { sessions, events, outside } = subject.store;
      await sessions.create(makeSession('s1', { channel }));
      await events.append(makeAppend('s1', 0, { outsideCall }));
      await sessions.remove('s1', deletion);
      expect(await outside.findChannel(channel)).toBeUndefined();
      expect(await outside.channelsOf('ci')).toEqual([]);
      expect(await outside.findCall(key)).toBeUndefined();
      await sessions.create(makeSession('s2', { channel }));
      expect(await codeOf(events.append(makeAppend('s2', 0, { outsideCall })))).toBe('ok');
    });
  });
}
