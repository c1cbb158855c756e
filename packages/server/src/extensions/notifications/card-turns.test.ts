import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CardTurns } from './card-turns.ts';

test('[CHAT1] changes of a message come one after the other, and none that waited draws over a settled card', async () => {
  const turns = new CardTurns();
  const drawn: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const draw = (text: string, until?: Promise<void>) => async () => {
    await until;
    drawn.push(text);
  };
  const first = turns.run('m', false, draw('open', held));
  await pause(0); // it has begun
  const others = [turns.run('m', false, draw('delays')), turns.run('m', true, draw('settled'))];
  await turns.run('n', false, draw('another'));
  release();
  await Promise.all([first, ...others]);
  await turns.run('m', false, draw('late'));
  expect(drawn).toEqual(['another', 'open', 'settled']);
});

test('[CHAT1] a change that waits for another attempt gives up once its prompt is settled, and a failed one holds up none', async () => {
  const turns = new CardTurns();
  const retried = turns.run('m', false, (signal) => pause(60_000, 'drawn', { signal }));
  await pause(0); // it has begun
  expect(await turns.run('m', true, async () => 'settled')).toBe('settled');
  expect(await retried).toBeUndefined();
  const fail = () => Promise.reject(new Error('down'));
  await expect(turns.run('m', true, fail)).rejects.toThrow('down');
  expect(await turns.run('m', true, async () => 'settled again')).toBe('settled again');
});
