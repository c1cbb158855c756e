import { expect, test } from 'vitest';
import { useLocalServer } from '../support/local-server.ts';

const local = useLocalServer();

test('[DUR8, EVT2] a write of one session that SQLite refuses does not affect other sessions of the same tick', async () => {
  const tab = await local.open();
  const ids = await Promise.all([1, 2, 3].map(() => tab.createSession()));
  const lives = await Promise.all(ids.map((id) => local.server.hub.open(id)));
  const [before, odd, after] = lives.map(({ session }) => session);
  const toolCallId = { not: 'a text' } as never;
  const report = { type: 'report', error: { code: 'c', message: 'm' }, turnId: undefined } as const;
  const verdicts = await Promise.allSettled([
    before?.perform(report),
    odd?.perform(report, { records: [{ toolCallId, key: 'k', value: 1 }] }),
    after?.perform(report),
  ]);
  expect(verdicts.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(verdicts[1]).toMatchObject({ reason: { code: 'storage_failed' } });
  expect(await odd?.perform(report)).toMatchObject({ seq: 1 });
  expect(lives.map(({ session }) => session.head.seq)).toEqual([1, 1, 1]);
});
