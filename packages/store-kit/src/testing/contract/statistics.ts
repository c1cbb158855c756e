import { type ChatEvent, keyOf, type Store, type StoredCase } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import { makeAppend, makeEvent, makeSession } from './make.ts';
import type { Subject } from './subject.ts';

const deletion = { event: 'session_deleted', at: '2026-03-01T13:00:00.000Z' } as const;
const at = (minute: number) => `2026-03-01T12:${String(minute).padStart(2, '0')}:00.000Z`;

function makeStored(seq: number, sessionId: string, type: string, payload: object) {
  const event = { seq, id: `e${seq}`, sessionId, timestamp: at(seq), v: 1, type, payload } as unknown as ChatEvent;
  return { seq, key: keyOf(event), text: JSON.stringify(event) };
}

/** Stores a session in which a prompt is asked in minute 1, with an event before and after that nothing counts. */
async function ask({ sessions, events }: Store, sessionId: string, more: object = {}): Promise<void> {
  await sessions.create(makeSession(sessionId));
  const request = { toolCallId: 'c', interactionId: 'c.1', toolName: 'wipe', interactionType: 'approval', ...more };
  const asked = [
    makeStored(1, sessionId, 'interaction_request', request),
    makeEvent(2),
    makeStored(3, sessionId, 'tool_call', {
      ...{ toolCallId: 'd', toolName: 'list', args: {} },
      authorised: { by: 'policy' },
    }),
  ];
  await events.append(makeAppend(sessionId, 0, { events: asked }));
}

async function answer({ events }: Store, sessionId: string): Promise<void> {
  const payload = { toolCallId: 'c', interactionId: 'c.1', answerId: 'a', action: 'approve', by: { principal: 'ann' } };
  const answered = [makeStored(4, sessionId, 'interaction_response', payload)];
  await events.append(makeAppend(sessionId, 3, { events: answered }));
}

async function readCases({ statistics }: Store, filter = {}): Promise<readonly StoredCase[]> {
  const found: StoredCase[] = [];
  for await (const chunk of statistics.read(filter)) found.push(...chunk);
  const nameOf = ({ sessionId, counted }: StoredCase) => `${sessionId} ${counted.id}`;
  return found.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const resultsOf = async (store: Store, filter = {}) =>
  (await readCases(store, filter)).map(({ sessionId, counted: { id, result } }) => `${sessionId} ${id} ${result}`);

/** Tests the counted cases. */
export function testStatistics(subject: Subject): void {
  describe('statistics', () => {
    test('[LESS1] each read counts what was stored before it, also after reopening', async () => {
      expect(await readCases(subject.store)).toEqual([]);
      await ask(subject.store, 's1');
      expect(await resultsOf(subject.store)).toEqual(['s1 c.1 open', 's1 d policy']);
      const reopened = await subject.reopen();
      await answer(reopened, 's1');
      await ask(reopened, 's2');
      const settled = ['s1 c.1 approved', 's1 d policy', 's2 c.1 open', 's2 d policy'];
      expect(await resultsOf(reopened)).toEqual(settled);
      expect(await resultsOf(reopened)).toEqual(settled);
      const [first] = await readCases(reopened);
      expect(first?.counted).toMatchObject({ by: { person: 'ann' }, ms: 180_000, toolName: 'wipe' });
    });

    test('[LESS1] a read is of one session, or of a time', async () => {
      await ask(subject.store, 's1');
      await ask(subject.store, 's2');
      expect(await resultsOf(subject.store, { sessionId: 's2' })).toEqual(['s2 c.1 open', 's2 d policy']);
      expect(await resultsOf(subject.store, { sessionId: 'none' })).toEqual([]);
      expect(await resultsOf(subject.store, { from: at(2) })).toEqual(['s1 d policy', 's2 d policy']);
      expect(await resultsOf(subject.store, { sessionId: 's1', to: at(3) })).toEqual(['s1 c.1 open']);
    });

    test('[LESS1, TEAM1] a case of a hidden call says who may see it, even if it was hidden later', async () => {
      const ann = { principals: ['ann'] };
      await ask(subject.store, 's1', { visibility: 'audience', audience: ann });
      const later = { toolCallId: 'd', interactionId: 'd.1', toolName: 'list', interactionType: 'input' };
      const hiding = makeStored(4, 's1', 'interaction_request', { ...later, visibility: 'audience', audience: ann });
      await resultsOf(subject.store); // counts what is not hidden yet
      await subject.store.events.append(makeAppend('s1', 3, { events: [hiding] }));
      const found = await readCases(subject.store);
      expect(found.map(({ counted, hidden }) => [counted.id, hidden?.asked])).toEqual([
        ['c.1', { 'c.1': { audience: ann } }],
        ['d', { 'd.1': { audience: ann } }],
        ['d.1', { 'd.1': { audience: ann } }],
      ]);
    });

    test('[LESS1, OPS5] the cases of a deleted session are deleted, and its successor starts empty', async () => {
      await ask(subject.store, 's1');
      await ask(subject.store, 's2');
      await resultsOf(subject.store);
      await subject.store.sessions.remove('s2', deletion);
      expect(await resultsOf(subject.store)).toEqual(['s1 c.1 open', 's1 d policy']);
      await ask(subject.store, 's2');
      expect(await resultsOf(subject.store, { sessionId: 's2' })).toEqual(['s2 c.1 open', 's2 d policy']);
    });

    test('[LESS1] a session that is deleted while its events are counted leaves nothing behind', async () => {
      await ask(subject.store, 's1');
      const [, found] = await Promise.all([subject.store.sessions.remove('s1', deletion), resultsOf(subject.store)]);
      expect([[], ['s1 c.1 open', 's1 d policy']]).toContainEqual(found);
      expect(await resultsOf(subject.store)).toEqual([]);
      await ask(subject.store, 's1');
      expect(await resultsOf(subject.store)).toEqual(['s1 c.1 open', 's1 d policy']);
    });

    test('[LESS1] the cases may be dropped at any time, and are counted again', async () => {
      await ask(subject.store, 's1');
      await answer(subject.store, 's1');
      const before = await readCases(subject.store);
      const [, during] = await Promise.all([subject.store.statistics.reset(), readCases(subject.store)]);
      expect([before, []]).toContainEqual(during);
      expect(await readCases(await subject.reopen())).toEqual(before);
    });
  });
}
