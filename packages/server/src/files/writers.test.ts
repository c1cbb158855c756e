import { expect, test } from 'vitest';
import { Writers } from './writers.ts';

/** Somebody who writes until they are stopped. */
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

test('[PLG13a] of several who take up one upload at once the last one writes, and none beside another', async () => {
  const writers = new Writers();
  const log: string[] = [];
  const [one, two, three] = ['one', 'two', 'three'].map((name) => startWriter(writers, log, name));
  await Promise.all([one?.written, two?.written]);
  three?.stop();
  await three?.written;
  expect(log).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends']);
});

test('[PLG13a] whoever looks at an upload, or gives it up, has the one who writes it stopped first', async () => {
  const writers = new Writers();
  const log: string[] = [];
  const { written } = startWriter(writers, log, 'one');
  await writers.run('file', async () => void log.push('looked'));
  await written;
  expect(log).toEqual(['one begins', 'one ends', 'looked']);
});

test('[PLG13a] a writer that fails keeps nobody out', async () => {
  const writers = new Writers();
  const failed = writers.run('file', () => Promise.reject(new Error('lost')));
  const next = writers.run('file', async () => 'next');
  await expect(failed).rejects.toThrow('lost');
  expect(await next).toBe('next');
});
