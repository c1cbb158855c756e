import { type Principal, RefusalError } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { QuotaService } from './quota-service.ts';

const hour = 3_600_000;
const ann: Principal = { id: 'laptop', role: 'responder', owner: 'ann' };
const annsPhone: Principal = { id: 'phone', role: 'responder', owner: 'ann' };
const bob: Principal = { id: 'bob', role: 'responder' };
const operator: Principal = { id: 'carla', role: 'operator' };

function makeBook(options = {}) {
  const clock = { now: 0 };
  const reached: string[] = [];
  const quotas = { sessionsPerHour: 3, storedBytesPerHour: 1000, ...options };
  return {
    clock,
    reached,
    book: new QuotaService(
      quotas,
      (quota) => reached.push(quota),
      () => clock.now,
    ),
  };
}

const create = (book: QuotaService, principal: Principal) =>
  refusalOf(() => book.spend(principal, ['sessionsPerHour', 1]));

function refusalOf(work: () => void): object | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof RefusalError) return error.toWire();
    throw error;
  }
}

test('[SEC11] two tokens of one owner share one quota, which nobody else uses', () => {
  const { book, reached } = makeBook();
  const done = [ann, annsPhone, ann].map((principal) => create(book, principal));
  expect(done).toEqual([undefined, undefined, undefined]);
  const refusal = {
    code: 'rate_limited',
    message: 'You may create 3 sessions an hour. Try again in 20 minutes.',
    details: { limit: 'sessionsPerHour', retryAfterMs: hour / 3 },
  };
  expect([create(book, annsPhone), create(book, ann)]).toEqual([refusal, refusal]);
  expect(create(book, bob)).toBeUndefined();
  expect(reached).toEqual(['sessionsPerHour', 'sessionsPerHour']);
});

test('[SEC11] what one quota refuses is not charged to another', () => {
  const { book } = makeBook({ messagesPerHour: 1 });
  const send = (bytes: number) => refusalOf(() => book.payerOf(ann, ['messagesPerHour', 1])(bytes));
  const store = (bytes: number) => refusalOf(() => book.payerOf(ann)(bytes));
  expect(store(600)).toBeUndefined();
  expect(send(500)).toMatchObject({ details: { limit: 'storedBytesPerHour' } });
  expect(send(100)).toBeUndefined();
  expect(send(100)).toMatchObject({ details: { limit: 'messagesPerHour' } });
  expect(store(290)).toBeUndefined();
});

test('[SEC11] a command that is decided again is charged once', () => {
  const { book } = makeBook();
  const pay = book.payerOf(ann);
  pay(600);
  pay(600);
  expect(refusalOf(() => book.payerOf(ann)(400))).toBeUndefined();
  expect(refusalOf(() => book.payerOf(ann)(400))).toBeDefined();
});

test('[SEC11] after the time named in a refusal there is quota again, but never more than that of an hour', () => {
  const { book, clock } = makeBook();
  while (!create(book, ann));
  clock.now += hour / 3;
  expect([create(book, ann), create(book, ann)]).toEqual([undefined, expect.anything()]);
  clock.now += 10 * hour;
  expect([1, 2, 3, 4].map(() => create(book, ann) === undefined)).toEqual([true, true, true, false]);
});

test('[SEC11] operators are limited only if a setting says so', () => {
  const free = makeBook().book;
  for (let n = 0; n < 10; n += 1) expect(create(free, operator)).toBeUndefined();
  expect([free.size, free.limitsOf(operator)]).toEqual([0, {}]);
  const { book } = makeBook({ operators: true });
  expect([1, 2, 3, 4].map(() => create(book, operator) === undefined)).toEqual([true, true, true, false]);
});

test('[SEC11] something larger than the quota of an hour waits for a full hour, not for ever', () => {
  const { book, clock } = makeBook();
  const store = (bytes: number) => refusalOf(() => book.payerOf(ann)(bytes));
  expect(store(1)).toBeUndefined();
  expect(store(5000)).toMatchObject({ details: { limit: 'storedBytesPerHour', retryAfterMs: hour / 1000 } });
  clock.now += hour;
  expect(store(5000)).toBeUndefined();
});

test('[SEC11] people who have spent nothing for an hour are forgotten', () => {
  const { book, clock } = makeBook();
  for (let n = 0; n < 1000; n += 1) {
    create(book, { id: `p${n}`, role: 'responder' });
    clock.now += hour / 10;
  }
  expect(book.size).toBeLessThanOrEqual(11);
});

test('[SEC11, OPS4] what a person spent and has open at other nodes counts here, too', () => {
  const { book } = makeBook({ connections: 2 });
  book.addSpent({ person: 'ann', costs: [['sessionsPerHour', 2]] });
  expect([1, 2].map(() => create(book, ann) === undefined)).toEqual([true, false]);
  const enter = () => refusalOf(() => book.enter(ann));
  const update = (...nodes: readonly [string, number][][]) =>
    book.connections.update(new Map(nodes.map((counts, n) => [`node ${n}`, counts])));
  update([['ann', 1]], [['ann', 1]]);
  expect(enter()).toMatchObject({ details: { limit: 'connections' } });
  update([['ann', 1]]);
  expect([enter(), enter() === undefined]).toEqual([undefined, false]);
  expect(book.connections.json).toEqual([['ann', 1]]);
});
