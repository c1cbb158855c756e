import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer();

const listScratch = () => readdir(join(server.dataDir, 'plugins/forms/scratch'));

test('[PLG7] ask_user returns the answer, a choice by its value, or that it was cancelled', async () => {
  const journey = await Journey.begin(server);
  const open = await journey.ask('ask_user', { question: 'Name?' });
  await journey.submit(open, { answer: 'Ada' });
  expect(await journey.outcome(open)).toEqual({ result: { ok: true, answer: 'Ada' } });

  const choice = await journey.ask('ask_user', { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] });
  expect(await journey.submit(choice, { answer: 'Water' })).toMatchObject({ error: { code: 'invalid' } });
  await journey.submit(choice, { answer: 'Tea' });
  expect(await journey.outcome(choice)).toEqual({ result: { ok: true, answer: 'Tea' } });

  const refused = await journey.ask('ask_user', { question: 'Name?' });
  await journey.answer(refused, { action: 'cancel' });
  expect(await journey.outcome(refused)).toEqual({ result: { ok: false, cancelled: true } });
});

test('[PLG7, INT8] collect_email asks until it gets one', async () => {
  const journey = await Journey.begin(server);
  const first = await journey.ask('collect_email');
  await journey.submit(first, { email: 'nobody' });
  const second = await journey.next(first);
  expect(second).toMatchObject({
    attempt: 2,
    initialValues: { email: 'nobody' },
    error: expect.any(String),
    fieldErrors: { email: expect.any(String) },
  });
  await journey.submit(second, { email: 'ada@example.org' });
  expect(await journey.outcome()).toEqual({ result: { ok: true, email: 'ada@example.org' } });
});

test('[PLG7] collect_email reports that it was cancelled', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('collect_email');
  await journey.answer(prompt, { action: 'cancel' });
  expect(await journey.outcome()).toEqual({ result: { ok: false, cancelled: true } });
});

test('[PLG7, APR1] delete_files deletes what was allowed, and asks again for what was not', async () => {
  const journey = await Journey.begin(server);
  const denied = await journey.ask('delete_files', { files: ['todo.txt'] });
  await journey.answer(denied, { action: 'deny', reason: 'mine' });
  expect(await journey.outcome(denied)).toEqual({ result: { ok: false, denied: true, reason: 'mine' } });
  expect(await listScratch()).toContain('todo.txt');

  const allowed = await journey.ask('delete_files', { files: ['notes.txt'] });
  expect(allowed).toMatchObject({ risk: 'high', subject: { text: 'notes.txt' } });
  await journey.answer(allowed, { action: 'approve', approvalScope: 'session' });
  expect(await journey.outcome(allowed)).toEqual({ result: { ok: true, deleted: ['notes.txt'] } });
  expect(await listScratch()).not.toContain('notes.txt');

  expect((await journey.run('delete_files', { files: ['notes.txt'] })).result).toMatchObject({ ok: true });
  const other = await Journey.begin(server);
  const again = await other.ask('delete_files', { files: ['notes.txt'] });
  await other.answer(again, { action: 'cancel' });
  expect(await other.outcome()).toMatchObject({ result: { ok: false, denied: true } });
});

test('[INT9, AGT1] survey continues without an answer; the late one is noted', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('survey', { timeoutMs: 50 });
  expect((await journey.outcome()).result).toMatchObject({ pending: true, queued: true });
  const { seq } = await journey.event('turn_end');
  await journey.submit(prompt, { rating: 5, comment: 'Fine' });
  expect(await journey.words(seq)).toBe('Noted: How was it?\nRating: 5\nComment: Fine');
});

test('[INT10] quick_question decides by itself; plan_trip and ask_parallel gather their answers', async () => {
  const journey = await Journey.begin(server);
  const quick = await journey.ask('quick_question', { timeoutMs: 50 });
  expect(await journey.outcome(quick)).toEqual({ result: { ok: false, timedOut: true } });

  const trip = await journey.ask('plan_trip');
  await journey.submit(trip, { destination: 'oslo' });
  const dates = (await journey.event('interaction_request', ({ payload }) => payload.slot === 'dates')).payload;
  await journey.submit(dates, { start: '2026-05-01', end: '2026-05-08' });
  const people = (await journey.event('interaction_request', ({ payload }) => payload.slot === 'travellers')).payload;
  await journey.submit(people, { adults: 2 });
  expect(await journey.outcome(trip)).toEqual({
    result: { ok: true, plan: { destination: 'oslo', start: '2026-05-01', end: '2026-05-08', adults: 2 } },
  });
});
