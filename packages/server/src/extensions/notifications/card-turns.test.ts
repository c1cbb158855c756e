import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CardTurns } from './card-turns.ts';

test('[CHAT1] changes of a message come one after the other, and none that waited draws over a settled card', async () => {
  const turns = new CardTurns();
  const drawn: string[] = [];
  const draw = (text: string, ms: number) => async () => {
    await pause(ms);
    drawn.push(text);
  };
  const first = turns.run('m', false, draw('open', 20));
  await pause(0); // it has begun
  await Promise.all([
    first,
    turns.run('m', false, draw('delays', 0)),
    turns.run('m', true, draw('settled', 0)),
    turns.run('n', false, draw('another', 0)),
  ]);
  await turns.run('m', false, draw('late', 0));
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
