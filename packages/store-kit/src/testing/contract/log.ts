import { messageKey, settlementKey } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import { codeOf, makeAppend, makeEvent, makeSession, readAll, readSeqs } from './make.ts';
import type { Subject } from './subject.ts';

const conflict = 'StoreError conflict';

/** Tests appends and reads. */
export function testLog(subject: Subject): void {
  describe('the log', () => {
    test('[EVT1] events come back as they were stored, in order, also after reopening', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      await store.events.append(makeAppend('s1', 0, { count: 3 }));
      await store.events.append(makeAppend('s1', 3));
      const texts = [1, 2, 3, 4].map((seq) => makeEvent(seq).text);
      expect(await readAll(store, 's1')).toEqual(texts);
      expect(await readAll(await subject.reopen(), 's1')).toEqual(texts);
    });

    test('[EVT1] after reopening the log continues where it ended', async () => {
      await subject.store.sessions.create(makeSession('s1'));
      await subject.store.events.append(makeAppend('s1', 0, { count: 2 }));
      const { events } = await subject.reopen();
      expect(await codeOf(events.append(makeAppend('s1', 1)))).toBe(conflict);
      expect(await codeOf(events.append(makeAppend('s1', 2)))).toBe('ok');
    });

    test('[EVT1] a seq other than the last one is a conflict and stores nothing', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      await store.events.append(makeAppend('s1', 0));
      for (const wrong of [0, 2]) expect(await codeOf(store.events.append(makeAppend('s1', wrong)))).toBe(conflict);
      expect(await readSeqs(store, 's1')).toEqual([1]);
    });

    test('[EVT1] events with a gap between them are refused', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      const gap = makeAppend('s1', 0, { events: [makeEvent(1), makeEvent(3)] });
      expect(await codeOf(store.events.append(gap))).toBe('StoreError failed');
      expect(await readSeqs(store, 's1')).toEqual([]);
    });

    test('[DUR8] appends of one tick follow each other and settle in their order', async () => {
      const { store } = subject;
      for (const id of ['s1', 's2']) await store.sessions.create(makeSession(id));
      const settled: number[] = [];
      const appends = Array.from({ length: 20 }, (_, n) =>
        store.events.append(makeAppend(n % 2 ? 's1' : 's2', n >> 1)).then(() => settled.push(n)),
      );
      await Promise.all(appends);
      expect(settled).toEqual(Array.from({ length: 20 }, (_, n) => n));
      expect(await readSeqs(store, 's1')).toEqual(Array.from({ length: 10 }, (_, n) => n + 1));
      expect((await store.sessions.get('s1'))?.session.seq).toBe(10);
    });

    test('[DUR8] a session may be created and written in one tick', async () => {
      const { store } = subject;
      await Promise.all([store.sessions.create(makeSession('s1')), store.events.append(makeAppend('s1', 0))]);
      expect(await readSeqs(store, 's1')).toEqual([1]);
    });

    test('[EVT2] nothing settles before the tick ends or is visible before its commit; what has settled is visible', async () => {
      const { store, isRemote } = subject;
      await store.sessions.create(makeSession('s1'));
      let isSettled = false;
      const append = store.events.append(makeAppend('s1', 0)).then(() => {
        isSettled = true;
      });
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      expect(isSettled).toBe(false);
      if (!isRemote) expect(await readSeqs(store, 's1')).toEqual([]); // its turn of the event loop has not begun
      await append;
      expect(await readSeqs(store, 's1')).toEqual([1]);
    });

    test('[EVT2, DUR8] a reader sees all appends of one tick or none', async () => {
      const { store } = subject;
      for (const id of ['s1', 's2']) await store.sessions.create(makeSession(id));
      const appends = Promise.all([
        store.events.append(makeAppend('s1', 0, { count: 2 })),
        store.events.append(makeAppend('s2', 0)),
        store.events.append(makeAppend('s1', 2, { count: 3 })),
      ]);
      let seen: readonly number[] = [];
      while (seen.length === 0) {
        seen = await readSeqs(store, 's1');
        expect([[], [1, 2, 3, 4, 5]]).toContainEqual(seen);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await readSeqs(store, 's2')).toEqual([1]);
      await appends;
    });

    test('[DUR8] a conflict does not affect other appends of its tick', async () => {
      const { store } = subject;
      for (const id of ['s1', 's2']) await store.sessions.create(makeSession(id));
      const verdicts = await Promise.all(
        [
          makeAppend('s1', 0),
          makeAppend('s1', 0),
          makeAppend('s2', 0, { count: 2 }),
          makeAppend('s1', 1),
          makeAppend('nobody', 0),
          makeAppend('s2', 2),
        ].map((change) => codeOf(store.events.append(change))),
      );
      expect(verdicts).toEqual(['ok', conflict, 'ok', 'ok', conflict, 'ok']);
      expect(await readSeqs(store, 's1')).toEqual([1, 2]);
      expect(await readSeqs(store, 's2')).toEqual([1, 2, 3]);
    });

    test('[INT4] one of two claims of a prompt wins, in one tick or later', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      const claim = (after: number) => makeAppend('s1', after, { events: [makeEvent(after + 1, settlementKey('p'))] });
      const verdicts = await Promise.all([0, 1, 0].map((after) => codeOf(store.events.append(claim(after)))));
      expect(verdicts).toEqual(['ok', conflict, conflict]);
      expect(await codeOf(store.events.append(claim(1)))).toBe(conflict);
      const reopened = await subject.reopen();
      expect(await codeOf(reopened.events.append(claim(1)))).toBe(conflict);
      expect(await readSeqs(reopened, 's1')).toEqual([1]);
      expect(await codeOf(reopened.events.append(makeAppend('s1', 1)))).toBe('ok');
    });

    test('[DUR3] a refused append leaves neither events nor records nor a row', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      await store.events.append(makeAppend('s1', 0, { events: [makeEvent(1, 'taken')] }));
      const refused = makeAppend('s1', 1, {
        events: [makeEvent(2, 'free'), makeEvent(3, 'taken'), makeEvent(4)],
        records: [{ toolCallId: 'c1', key: 'step', value: 1 }],
        session: makeSession('s1', { title: 'Refused' }),
      });
      expect(await codeOf(store.events.append(refused))).toBe(conflict);
      expect(await readSeqs(store, 's1')).toEqual([1]);
      expect(await store.index.find('s1', 'free')).toEqual([]);
      expect(await store.index.records('s1', 'c1')).toEqual([]);
      expect(await store.sessions.get('s1')).toEqual({ session: makeSession('s1', { seq: 1 }), head: undefined });
      const twice = makeAppend('s1', 1, { events: [makeEvent(2, 'same'), makeEvent(3, 'same')] });
      expect(await codeOf(store.events.append(twice))).toBe(conflict);
      expect(await codeOf(store.events.append(makeAppend('s1', 1, { events: [makeEvent(2, 'free')] })))).toBe('ok');
    });

    test('[INT4] the same key in another session is another key', async () => {
      const { store } = subject;
      for (const id of ['s1', 's2']) {
        await store.sessions.create(makeSession(id));
        await store.events.append(makeAppend(id, 0, { events: [makeEvent(1, 'message:m')] }));
      }
      expect(await store.index.find('s2', 'message:m')).toEqual([makeEvent(1, 'message:m').text]);
    });

    test('[FRM6] an event is found by its key, also after reopening', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      const event = makeEvent(2, messageKey('m1'));
      await store.events.append(makeAppend('s1', 0, { events: [makeEvent(1), event] }));
      expect(await store.index.find('s1', messageKey('m1'))).toEqual([event.text]);
      const { index } = await subject.reopen();
      expect(await index.find('s1', messageKey('m1'))).toEqual([event.text]);
      expect(await index.find('s1', messageKey('m2'))).toEqual([]);
      expect(await index.find('nobody', messageKey('m1'))).toEqual([]);
    });

    test('[RPL4] several events are found by one look-up, in the order of the log', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      const [first, second, third] = [makeEvent(1, 'request:b'), makeEvent(2, 'request:a'), makeEvent(3)];
      await store.events.append(makeAppend('s1', 0, { events: [first, second, third] }));
      expect(await store.index.find('s1', 'request:a', 'request:none', 'request:b')).toEqual([first.text, second.text]);
      expect(await store.index.find('s1')).toEqual([]);
    });

    test('[RPL1] a log is read from any position, up to any length, in chunks', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      await store.events.append(makeAppend('s1', 0, { count: 1000 }));
      const all = Array.from({ length: 1000 }, (_, n) => n + 1);
      expect(await readSeqs(store, 's1')).toEqual(all);
      expect(await readSeqs(store, 's1', 990)).toEqual(all.slice(990));
      expect(await readSeqs(store, 's1', 300, 512)).toEqual(all.slice(300, 812));
      expect(await readSeqs(store, 's1', 1, 1)).toEqual([2]);
      for (const [after, limit] of [[1000], [5000], [0, 0]] as const) {
        expect(await readSeqs(store, 's1', after, limit)).toEqual([]);
      }
      expect(await readSeqs(store, 'nobody')).toEqual([]);
      for await (const chunk of store.events.read('s1', 0)) expect(chunk.length).toBeLessThanOrEqual(512);
    });

    test('[RPL1] a reader is not disturbed by concurrent writes', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      await store.events.append(makeAppend('s1', 0, { count: 600 }));
      const seqs: number[] = [];
      let isFirst = true;
      for await (const chunk of store.events.read('s1', 0)) {
        if (isFirst) await store.events.append(makeAppend('s1', 600, { count: 2 }));
        isFirst = false;
        seqs.push(...chunk.map((text) => JSON.parse(text).seq));
      }
      expect(seqs).toEqual(Array.from({ length: 602 }, (_, n) => n + 1));
    });

    test('[DUR3] records are kept by call and key, replaced by later ones and deleted with their call', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      const value = { nested: [1, null, 'two'] };
      await store.events.append(
        makeAppend('s1', 0, {
          records: [
            { toolCallId: 'c1', key: 'b', value: 'first' },
            { toolCallId: 'c1', key: 'a', value },
            { toolCallId: 'c2', key: 'b', value: null },
          ],
        }),
      );
      await store.events.append(
        makeAppend('s1', 1, { events: [], records: [{ toolCallId: 'c1', key: 'b', value: 2 }] }),
      );
      const reopened = await subject.reopen();
      expect(await reopened.index.records('s1', 'c1')).toEqual([
        { toolCallId: 'c1', key: 'b', value: 2 },
        { toolCallId: 'c1', key: 'a', value },
      ]);
      const end = { endedCalls: ['c1'], records: [{ toolCallId: 'c1', key: 'late', value: 1 }] };
      await reopened.events.append(makeAppend('s1', 1, end));
      expect(await reopened.index.records('s1', 'c1')).toEqual([]);
      expect(await reopened.index.records('s1', 'c2')).toEqual([{ toolCallId: 'c2', key: 'b', value: null }]);
    });

    test('[DUR8] a closed store refuses writes and settles earlier ones', async () => {
      const { store } = subject;
      await store.sessions.create(makeSession('s1'));
      const last = codeOf(store.events.append(makeAppend('s1', 0)));
      await store.close();
      expect(await last).toBe('ok');
      expect(await codeOf(store.events.append(makeAppend('s1', 1)))).toBe('StoreError failed');
    });
  });
}
