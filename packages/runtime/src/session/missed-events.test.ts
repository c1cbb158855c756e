import { type ChatEvent, emptyHead } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { MissedEvents } from './missed-events.ts';

/** Makes a log of three events whose writer knows the first; `onRead` runs while it is read. */
function makeLog(onRead: () => void = () => undefined) {
  const at = (seq: number) => ({ head: { ...emptyHead, seq } });
  const log = { stored: at(1), isAppending: false, taken: [] as number[], at };
  const written = {
    id: 's',
    stored: () => log.stored,
    isAppending: () => log.isAppending,
    flushed: async () => {
      log.isAppending = false;
    },
    takeOver: ({ seq }: ChatEvent) => {
      log.taken.push(seq);
      log.stored = at(seq);
    },
  };
  const events = {
    async *read(_: string, afterSeq: number) {
      onRead();
      yield [1, 2, 3].filter((seq) => seq > afterSeq).map((seq) => JSON.stringify({ seq }));
    },
  };
  return { log, missed: new MissedEvents(written, events), alone: new MissedEvents(written, undefined) };
}

test('[OPS4] events that somebody else appended are taken over one by one, and only once', async () => {
  const { missed, log } = makeLog();
  await Promise.all([missed.read(), missed.read()]);
  expect([log.taken, missed.count, missed.underWay]).toEqual([[2, 3], 2, undefined]);
});

test('[OPS4] what is stored by this process during a read is not taken over as if it was missed', async () => {
  let reads = 0;
  const { missed, log } = makeLog(() => {
    reads += 1;
    if (reads === 1) log.isAppending = true; // the first event found may be its own
    if (reads === 2) log.stored = log.at(2); // it was
  });
  await missed.read();
  expect([reads, log.taken]).toEqual([3, [3]]);
});

test('[OPS4] a process that has its database to itself reads nothing', async () => {
  const { alone, log } = makeLog();
  await alone.read();
  expect([log.taken, alone.count, alone.arePossible]).toEqual([[], 0, false]);
});
