import { expect, test } from 'vitest';
import { FrameBudget } from './frame-budget.ts';

/** Makes a budget of ten per frame, whose frames run by hand. */
function makeBudget() {
  const frames: (() => void)[] = [];
  const done: string[] = [];
  const budget = new FrameBudget(10, (run) => frames.push(run));
  return {
    done,
    run: (name: string, cost: number) => budget.run(cost, () => done.push(name)),
    /** Runs the next frame and returns what it did; undefined if no frame was requested. */
    frame: () => {
      const before = done.length;
      const begin = frames.shift();
      begin?.();
      return begin && done.slice(before);
    },
  };
}

test('[SEC5] work that fits runs at once, the rest in the next frames, the newest first', () => {
  const { run, frame, done } = makeBudget();
  for (const name of ['a', 'b', 'c', 'd', 'e']) run(name, 4);
  expect(done).toEqual(['a', 'b']);
  expect([frame(), frame(), frame(), frame()]).toEqual([['e', 'd'], ['c'], [], undefined]);
  run('f', 4);
  expect(done.at(-1)).toBe('f');
});

test('[SEC5] work that costs more than the budget gets a frame of its own', () => {
  const { run, frame, done } = makeBudget();
  run('large', 50);
  run('larger', 60);
  run('small', 1);
  expect(done).toEqual(['large']);
  expect([frame(), frame(), frame()]).toEqual([['small'], ['larger'], []]);
});

test('[SEC5] after a frame with nothing to do no more are requested, and the next one has the full budget', () => {
  const { run, frame, done } = makeBudget();
  run('a', 10);
  expect(frame()).toEqual([]);
  run('b', 10);
  run('empty', 0);
  expect(done).toEqual(['a', 'b', 'empty']);
});
