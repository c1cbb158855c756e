import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tool } from '@parleyhq/core';
import { approve, comment, deny, givenFile, playTool, Stage, submit } from '@parleyhq/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import booking from './booking.ts';
import canary from './canary.ts';
import expenses from './expenses.ts';
import importing from './import.ts';
import invoice from './invoice.ts';
import moving from './moving.ts';
import plan from './plan.ts';
import review from './review.ts';
import settings from './settings.ts';

const [watchCanary] = canary.tools as readonly [Tool];
const [bookTable] = booking.tools as readonly [Tool];
const [countExpenses] = expenses.tools as readonly [Tool];
const [importRows] = importing.tools as readonly [Tool];
const [chargeCustomer] = invoice.tools as readonly [Tool];
const [orderMove] = moving.tools as readonly [Tool];
const [agreePlan] = plan.tools as readonly [Tool];
const [askReview, awaitReview] = review.tools as readonly [Tool, Tool];
const [changeSetting] = settings.tools as readonly [Tool];
const dataDir = await mkdtemp(join(tmpdir(), 'played-'));
const table = { guests: 4, day: '2026-05-01', place: 'outside' };

beforeAll(() => new Stage().setUp(importing, { dataDir }));
afterAll(() => rm(dataDir, { recursive: true }));

test('[PLG5] a person books a table, and an invalid answer is asked again', async () => {
  const play = playTool(bookTable, {
    human: [submit({ guests: 10, day: '2026-05-01', place: 'outside' }), submit(table)],
  });
  expect(await play.end()).toMatchObject({ result: { guests: 4, place: 'outside' } });
  expect(play.prompts[1]?.request.fieldErrors).toEqual({ place: 'Outside there is room for eight.' });
});

test('[PLG5] rows are imported once, though the process dies twice', async () => {
  const play = playTool(importRows, { args: { rows: 3 }, human: ['crash', approve(), 'crash', 'timeout'] });
  expect(await play.end()).toEqual({ result: { imported: 3, isAnnounced: false } });
  expect(play.effects).toEqual({ import: 1 });
});

test('[PLG5] the test answers by itself, and lets time pass', async () => {
  const play = playTool(importRows, { args: { rows: 3 } });
  const prompt = await play.prompt();
  expect(prompt.prompt).toBe('Import 3 rows?');
  await play.advance(5 * 60_000);
  expect(await play.end()).toEqual({ error: { code: 'denied', message: 'Not imported.' } });
});

test('[PLG5, PLG11] the test also plays the program that calls back', async () => {
  const play = playTool(chargeCustomer, { args: { amount: 12 } });
  await expect(play.post('payment', { paid: 'yes' })).rejects.toThrow('a server answers 400');
  play.crash();
  await play.post('payment', { paid: true, amount: 12 });
  expect(await play.end()).toEqual({ result: 'Paid.' });
  expect(play.effects).toEqual({ send: 1 });
});

test('[PLG5, PLG11] nobody calls back in time', async () => {
  const play = playTool(chargeCustomer, { args: { amount: 12 } });
  await play.waiting('payment');
  await play.advance(24 * 60 * 60_000);
  expect(await play.end()).toMatchObject({ error: { code: 'timeout' } });
  await expect(play.post('payment', { paid: true, amount: 12 })).rejects.toThrow('a server answers 410');
});

test('[PLG5, PLG11] Back keeps what was typed, and so does a crash', async () => {
  const back = { action: 'submit', button: 'back', input: { note: 'A piano' } } as const;
  const play = playTool(orderMove, {
    human: [submit({ rooms: 2 }), back, 'crash', submit({ rooms: 3 }), submit({ boxes: 20, note: 'A piano' })],
  });
  expect(await play.end()).toEqual({ result: { rooms: 3, boxes: 20, note: 'A piano' } });
  expect(play.prompts.map(({ initialValues }) => initialValues)).toEqual([{}, {}, { rooms: 2 }, { note: 'A piano' }]);
});

test('[PLG5, PLG11] a field that was cleared after Back is not ordered', async () => {
  const back = { action: 'submit', button: 'back', input: { note: 'A piano' } } as const;
  const play = playTool(orderMove, {
    human: [submit({ rooms: 2 }), back, submit({}), submit({ boxes: 20 })],
  });
  expect(await play.end()).toEqual({ result: { boxes: 20 } });
});

test('[PLG5, INT9] a late answer is a message to the agent if the tool continued without it', async () => {
  const play = playTool(askReview);
  const prompt = await play.prompt();
  await play.advance(60_000);
  expect(await play.end()).toMatchObject({ result: { pending: true } });
  prompt.submit({ verdict: 'Good' });
  expect(await play.message()).toBe('The review by Ann: Good');
});

test('[PLG5, DUR2] an answer is never late if the tool waits without a deadline', async () => {
  const play = playTool(awaitReview, { stage: new Stage({ available: false }) });
  const prompt = await play.prompt();
  await play.advance(30 * 24 * 60 * 60_000);
  play.crash();
  prompt.submit({ verdict: 'Good' });
  expect(await play.end()).toEqual({ result: { verdict: 'Good' } });
});

test('[PLG5, PLG13] edited arguments are shown as a new difference before they run', async () => {
  const play = playTool(changeSetting, {
    args: { name: 'replicas', value: '20' },
    human: [approve({ editedArgs: { name: 'replicas', value: '3' } }), approve()],
  });
  expect(await play.end()).toEqual({ result: { name: 'replicas', value: '3' } });
  expect(play.prompts.map(({ request }) => request.subject?.text.match(/^\+\w.*/m)?.[0])).toEqual([
    '+replicas: 20',
    '+replicas: 3',
  ]);
});

test('[PLG5, PLG13a] a table of expenses is given and read', async () => {
  const table = givenFile('march.csv', 'taxi,12\nlunch,20\n', 'text/csv');
  const play = playTool(countExpenses, { human: [submit({ table })] });
  expect(await play.end()).toEqual({ result: { name: 'march.csv', rows: 2 } });
});

test('[PLG11, INT11] a program and a person may both end a wait, also over a crash: the first counts', async () => {
  const byProgram = playTool(watchCanary);
  const prompt = await byProgram.prompt();
  byProgram.crash();
  await byProgram.post('checks', { healthy: true });
  expect(await byProgram.end()).toEqual({ result: 'Released: the checks are fine.' });
  expect(prompt.state).toBe('closed');
  expect(await playTool(watchCanary, { human: [deny()] }).end()).toEqual({ result: 'Stopped by a person.' });
});

test('[REV2, PLG5] a plan is reworked by what a person replaced, and a comment alone ends the call with its words', async () => {
  const args = { plan: '1. Build\n2. Deploy' };
  const replaced = { lines: [2, 2], quote: '2. Deploy', replacement: '2. Test\n3. Deploy' } as const;
  const play = playTool(agreePlan, {
    args,
    human: [{ ...deny(), annotations: [replaced] }, comment(approve(), { 2: 'Good.' })],
  });
  expect(await play.end()).toEqual({
    result: { plan: '1. Build\n2. Test\n3. Deploy', remarks: 'Line 2:\n> 2. Test\n\nGood.' },
  });
  expect(play.prompts[1]?.request.subject?.text).toBe('1. Build\n2. Test\n3. Deploy');

  const refused = playTool(agreePlan, { args, human: [comment(deny('No.'), { 1: 'Why?' })] });
  expect(await refused.end()).toMatchObject({
    error: { code: 'denied', message: 'No.\n\nLine 1:\n> 1. Build\n\nWhy?' },
  });
});

test('[REV4] a tool replies to a comment, and the prompt stays open', async () => {
  const play = playTool(agreePlan, { args: { plan: '1. Build' } });
  const prompt = await play.prompt();
  prompt.comment('Which version is this?');
  expect(await play.reply()).toBe('This is version 1.');
  expect(prompt.state).toBe('open');
  prompt.approve();
  expect(await play.end()).toMatchObject({ result: { plan: '1. Build' } });
});
