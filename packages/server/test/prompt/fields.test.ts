import type { InteractionRequest } from '@parleyhq/core';
import { beforeAll, expect, test } from 'vitest';
import { Journey, loadPlugin, loadShippedPlugin } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadPlugin('scripted.mjs'), await loadShippedPlugin('forms')] });

const full = {
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  code: 'ABC-123',
  about: 'Mathematics\nand engines',
  age: 36,
  budget: 10.5,
  city: 'oslo',
  languages: ['en', 'pt'],
  contact: 'phone',
  phone: '555',
  day: '2026-03-31',
  time: '09:30',
  moment: '2026-03-31T09:30:00+02:00',
  news: false,
  street: 'Main Street 1',
  postcode: '1000',
};

test('[INT16, INT17, PLG7] all_fields comes with every kind of field, takes every value as it was given, and shows no secret', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('all_fields');
  const types = new Set(prompt.inputSchema?.fields.map(({ type }) => type));
  expect(types).toEqual(
    new Set('text textarea number checkbox select multiselect radio date time datetime secret'.split(' ')),
  );
  expect(await journey.submit(prompt, { ...full, password: 'correct horse' })).toMatchObject({ ok: true });
  const shown = { ...full, password: { redacted: true } };
  expect(await journey.outcome()).toEqual({ result: { ok: true, values: shown } });
  expect((await journey.event('interaction_response')).payload.input).toEqual(shown);
  await journey.event('turn_end');
  expect(JSON.stringify(journey.events())).not.toContain('correct horse');
});

let journey: Journey;
let prompt: InteractionRequest;
beforeAll(async () => {
  journey = await Journey.begin(server);
  prompt = await journey.ask('all_fields');
});

test.each([
  ['an unknown field', { unknown: 1 }, 'unknown'],
  ['a missing required value', { name: undefined }, 'name'],
  ['an empty required value', { name: '' }, 'name'],
  ['a number where a text belongs', { name: 7 }, 'name'],
  ['a text that is too short', { name: 'A' }, 'name'],
  ['a text that is too long', { name: 'A'.repeat(81) }, 'name'],
  ['no email', { email: 'ada@' }, 'email'],
  ['a pattern that is matched in part only', { code: 'xABC-1234' }, 'code'],
  ['a text where a number belongs', { age: '36' }, 'age'],
  ['a number below its minimum', { age: -1 }, 'age'],
  ['a number above its maximum', { age: 151 }, 'age'],
  ['a number off its step', { age: 1.5 }, 'age'],
  ['a fraction off its step', { budget: 0.75 }, 'budget'],
  ['no choice of a select', { city: 'rome' }, 'city'],
  ['an empty free choice', { city: { other: '' } }, 'city'],
  ['a free choice with more in it', { city: { other: 'Porto', more: 1 } }, 'city'],
  ['a free choice where none is offered', { contact: { other: 'pigeon' }, phone: undefined }, 'contact'],
  ['a text where a list belongs', { languages: 'en' }, 'languages'],
  ['a choice twice', { languages: ['en', 'en'] }, 'languages'],
  ['too many choices', { languages: ['en', 'fr', 'pt'] }, 'languages'],
  ['a value of a hidden field', { contact: 'email', phone: '555' }, 'phone'],
  ['a required field that is shown, left empty', { contact: 'phone', phone: undefined }, 'phone'],
  ['a day that no calendar has', { day: '2026-02-30' }, 'day'],
  ['a day before the first', { day: '2019-12-31' }, 'day'],
  ['a day in another order', { day: '31.03.2026' }, 'day'],
  ['an hour that no clock has', { time: '25:00' }, 'time'],
  ['a time after the last', { time: '18:01' }, 'time'],
  ['a moment without its offset', { moment: '2026-03-31T09:30:00' }, 'moment'],
  ['a text where a tick belongs', { news: 'yes' }, 'news'],
  ['half of an optional section', { street: 'Main Street 1', postcode: undefined }, 'postcode'],
])('[INT16, INT6] %s is refused at its field, and the form stays open', async (_, change, field) => {
  const reply = await journey.submit(prompt, { ...full, ...change });
  expect(reply).toMatchObject({ ok: false, error: { code: 'invalid', details: { fieldErrors: expect.anything() } } });
  const { details } = (reply as { error: { details: { fieldErrors: object } } }).error;
  expect(Object.keys(details.fieldErrors)).toEqual([field]);
  expect(journey.settlements(prompt)).toEqual([]);
});

test('[INT16] a free choice, the edges of ranges and an empty optional section are valid; empty values are absent', async () => {
  const least = { name: 'Al', age: 0, budget: 0.5, city: { other: 'Porto' }, time: '18:00', news: true };
  const empty = { email: '', about: '', languages: [], street: '', postcode: '' };
  expect(await journey.submit(prompt, { ...least, ...empty })).toMatchObject({ ok: true });
  expect(await journey.outcome()).toEqual({ result: { ok: true, values: least } });
});

test('[INT16, INT6] names of Object.prototype are not fields', async () => {
  const other = await Journey.begin(server);
  const open = await other.ask('all_fields');
  for (const id of ['__proto__', 'constructor', 'toString']) {
    const text = JSON.stringify({ ...full, [`${id}X`]: 1 }).replace(`${id}X`, id);
    expect(await other.submit(open, JSON.parse(text))).toMatchObject({ ok: false, error: { code: 'invalid' } });
  }
  await other.answer(open, { action: 'cancel' });
});

test('[SEC6, INT16] a pattern with catastrophic backtracking is stopped, and the server answers others meanwhile', async () => {
  const slow = await Journey.begin(server);
  const fields = [{ id: 'a', type: 'text', pattern: '(a+)+b' }];
  const request = { type: 'input', inputSchema: { type: 'form', fields } };
  const open = await slow.ask('scripted', { request });
  const before = performance.now();
  expect(await slow.submit(open, { a: 'a'.repeat(40) })).toMatchObject({ ok: false, error: { code: 'invalid' } });
  expect(performance.now() - before).toBeLessThan(3000);
  expect(await slow.submit(open, { a: 'aab' })).toMatchObject({ ok: true });
});

test('[INT16] initial values, sections, labels and options reach the tab as the tool gave them', async () => {
  const shown = await Journey.begin(server);
  const inputSchema = {
    type: 'form',
    layout: 'stepper',
    submitLabel: 'Send',
    cancelLabel: 'Not now',
    sections: [{ id: 'one', title: 'One', description: 'First', optional: true, fields: ['a', 'b'] }],
    fields: [
      { id: 'a', type: 'text', label: 'A', header: 'Chip', description: 'About', placeholder: 'x', defaultValue: 'y' },
      { id: 'b', type: 'radio', options: [{ value: '1', label: 'One', description: 'the first' }], other: true },
      { id: 'c', type: 'number', when: { field: 'b', equals: '1' }, min: 1, max: 3, step: 0.5 },
    ],
  };
  const open = await shown.ask('scripted', { request: { type: 'input', inputSchema, initialValues: { a: 'z' } } });
  expect(open.inputSchema).toEqual(inputSchema);
  expect(open.initialValues).toEqual({ a: 'z' });
  expect(await shown.submit(open, { b: '1', c: 2.5 })).toMatchObject({ ok: true });
});
