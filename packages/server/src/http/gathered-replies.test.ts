import { expect, test } from 'vitest';
import { GatheredReplies } from './gathered-replies.ts';

const page = { texts: ['x'.repeat(512 * 1024)] };

test('[SEC11] one request gathers replies up to a size limit', () => {
  const gathered = new GatheredReplies().begin('ada');
  gathered.send(page);
  expect(gathered.isFull).toBe(false);
  gathered.send(page);
  expect(gathered.isFull).toBe(true);
});

test('[SEC11] all requests of one person share a limit, which is freed once they are sent; other people have their own', () => {
  const replies = new GatheredReplies();
  const open = Array.from({ length: 32 }, () => replies.begin('ada'));
  for (const gathered of open) {
    expect(gathered.isFull).toBe(false);
    gathered.send(page);
  }
  const late = replies.begin('ada');
  expect(late.isFull).toBe(true);
  expect(replies.begin('bob').isFull).toBe(false);
  open[0]?.release();
  open[0]?.release();
  expect(late.isFull).toBe(false);
  late.send(page);
  expect(replies.begin('ada').isFull).toBe(true);
});

test('[SEC11] nothing is read for a client that has disconnected', () => {
  const gathered = new GatheredReplies().begin('ada');
  gathered.release();
  expect(gathered.isFull).toBe(true);
});
