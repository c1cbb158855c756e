import { RefusalError, type WireErrorCode } from '@parleyhq/core';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Performed } from './perform-options.ts';
import { SupersededError } from './superseded.ts';
import { type Transaction, transact, transactUntilStored, type Writer } from './transact.ts';

const done: Performed = { seq: 1, events: [] };
const command = { type: 'record', toolCallIds: [] } as const;
const log = pino({ level: 'silent' });

/** A writer whose commits fail with these errors, one after the other, before one succeeds. */
class FailingWriter implements Writer {
  readonly missed = {
    count: 0,
    underWay: undefined as Promise<void> | undefined,
    read: async () => {
      this.missed.count += this.brought.shift() ?? 0;
    },
  };
  hasEnded = false;
  readonly committed: Transaction[] = [];
  readonly errors: Error[];
  /** How many events of other nodes each read brings. */
  readonly brought: number[];

  constructor(errors: Error[] = [], brought: number[] = []) {
    this.errors = errors;
    this.brought = brought;
  }

  requireLife(): void {
    if (this.hasEnded) throw new RefusalError('not_found');
  }

  async commit(transaction: Transaction): Promise<Performed> {
    this.committed.push(transaction);
    const error = this.errors.shift();
    if (error) throw error;
    return done;
  }
}

const refusal = (code: WireErrorCode) => new RefusalError(code);

test.each(['predecessor', 'grant', 'voter'] as const)(
  '[SEC9, APR4, TEAM3] a command whose %s was undone is prepared again',
  async (reason) => {
    const writer = new FailingWriter([new SupersededError(reason), new SupersededError(reason)]);
    let prepared = 0;
    const prepare = async () => {
      prepared += 1;
      return { command };
    };
    expect(await transact(writer, prepare)).toBe(done);
    expect(prepared).toBe(3);
  },
);

test('[OPS4] what other nodes may have decided is prepared again as long as they stored something', async () => {
  const errors = () => [refusal('not_found'), refusal('already_answered'), refusal('not_found')];
  expect(await transact(new FailingWriter(errors(), [1, 2, 1]), () => ({ command }))).toBe(done);
  const writer = new FailingWriter(errors(), [1, 0]);
  await expect(transact(writer, () => ({ command }))).rejects.toMatchObject({ code: 'already_answered' });
});

test.each(['rate_limited', 'storage_full', 'unauthorised'] as const)(
  '[OPS4] %s is final, whatever other nodes stored',
  async (code) => {
    const writer = new FailingWriter([refusal(code)], [1]);
    await expect(transact(writer, () => ({ command }))).rejects.toMatchObject({ code });
    expect(writer.committed).toHaveLength(1);
  },
);

test('[INT4] what no longer holds when it is to be decided is prepared again, and never decided', async () => {
  const writer = new FailingWriter();
  const stale = [true, true, false];
  await transact(writer, async () => ({ command, isUpToDate: () => !stale.shift() }));
  expect(stale).toEqual([]);
  expect(writer.committed).toHaveLength(1);
});

test('[OPS5] a session that ends while a command is prepared takes it no more', async () => {
  const writer = new FailingWriter();
  const prepare = async () => {
    writer.hasEnded = true;
    return { command };
  };
  await expect(transact(writer, prepare)).rejects.toMatchObject({ code: 'not_found' });
  expect(writer.committed).toEqual([]);
});

test('[EVT2] commands that need no preparation are decided in the order in which they were asked for', async () => {
  const writer = new FailingWriter();
  const keys = ['a', 'b', 'c'];
  await Promise.all(
    keys.map((key) => transact(writer, () => ({ command, records: [{ toolCallId: 'call', key, value: null }] }))),
  );
  expect(writer.committed.map(({ records }) => records?.[0]?.key)).toEqual(keys);
});

test('[DUR8] what must not be lost outlasts a full disk, and ends if it came too late or is no longer wanted', async () => {
  const full = new FailingWriter([refusal('storage_full'), refusal('storage_busy')]);
  await transactUntilStored(full, () => ({ command }), { log });
  expect(full.committed).toHaveLength(3);

  await transactUntilStored(new FailingWriter([refusal('closed')]), () => ({ command }), { log });

  const aborted = new FailingWriter([refusal('storage_full')]);
  await transactUntilStored(aborted, () => ({ command }), { log, signal: AbortSignal.abort() });
  expect(aborted.committed).toEqual([]);

  const invalid = transactUntilStored(new FailingWriter([refusal('invalid')]), () => ({ command }), { log });
  await expect(invalid).rejects.toMatchObject({ code: 'invalid' });
});

test('[DUR8] a full disk runs no code of authors again: what was prepared is kept until it is superseded', async () => {
  const errors = [refusal('storage_full'), new SupersededError('grant'), refusal('storage_full')];
  const writer = new FailingWriter(errors);
  let prepared = 0;
  const prepare = async () => {
    prepared += 1;
    return { command };
  };
  await transactUntilStored(writer, prepare, { log });
  expect(writer.committed).toHaveLength(4);
  expect(prepared).toBe(2);
});

test('[DUR8] a command that is superseded again and again leaves the process to others', async () => {
  const writer = new FailingWriter(Array.from({ length: 50 }, () => new SupersededError('predecessor')));
  let others = 0;
  const count = () => {
    others += 1;
    other = setImmediate(count);
  };
  let other = setImmediate(count);
  await transact(writer, () => ({ command }));
  clearImmediate(other);
  expect(others).toBeGreaterThan(0);
});
