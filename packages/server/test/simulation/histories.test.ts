import { expect, onTestFinished, test } from 'vitest';
import { testHistories } from './histories.ts';
import { makeOwner, Scheduler } from './scheduler.ts';
import { playWorld } from './world.ts';

testHistories(30);

test('work that is stopped twice at once continues in order', async () => {
  const [people, node] = [makeOwner('people'), makeOwner('node')];
  const scheduler = new Scheduler(people);
  const done: string[] = [];
  scheduler.stop(node, 100);
  scheduler.after(10, node, () => done.push('first'));
  scheduler.after(20, people, () => scheduler.stop(node, 5));
  scheduler.after(50, node, () => done.push('second'));
  await scheduler.play(() => done.length === 2, 1000);
  expect(done).toEqual(['first', 'second']);
  expect(scheduler.now).toBe(100);
});

test('[DUR8] a session that could not be loaded is dropped, and leaves no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const hear = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', hear);
  onTestFinished(() => void process.off('unhandledRejection', hear));
  await playWorld(156, 5, { faults: ['stop'], weather: { lostCalls: 0.1 } });
  expect(unhandled).toEqual([]);
});

test('a seed gives the same history each time', async () => {
  const [first, again, other] = [await playWorld(7, 3), await playWorld(7, 3), await playWorld(8, 3)];
  expect(again).toEqual(first);
  expect(other.trace).not.toEqual(first.trace);
});
