import { expect, test } from 'vitest';
import { Writers } from './writers.ts';

/** A writer that writes until it is stopped. */
function startWriter(writers: Writers, log: string[], name: string) {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const write = async () => {
    log.push(`${name} begins`);
    await stopped;
    log.push(`${name} ends`);
  };
  return { written: writers.run('file', write, stop), stop };
}

test('[PLG13a] of several writers of one upload only the last one goes on, and never two at once', async () => {
  const writers = new Writers();
  const log: string[] = [];
  const [one, two, three] = ['one', 'two', 'three'].map((name) => startWriter(writers, log, name));
  await Promise.all([one?.written, two?.written]);
  three?.stop();
  await three?.written;
  expect(log).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends']);
});

test('[PLG13a] looking at an upload or discarding it stops its writer first', async () => {
  const writers = new Writers();
  const log: string[] = [];
  const { written } = startWriter(writers, log, 'one');
  await writers.run('file', async () => void log.push('looked'));
  await written;
  expect(log).toEqual(['one begins', 'one ends', 'looked']);
});

test('[PLG13a] a failed writer does not block the next one', async () => {
  const writers = new Writers();
  const failed = writers.run('file', () => Promise.reject(new Error('lost')));
  const next = writers.run('file', async () => 'next');
  await expect(failed).rejects.toThrow('lost');
  expect(await next).toBe('next');
});
