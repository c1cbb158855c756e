import { expect, test } from 'vitest';
import { scriptContext, submit } from '../test/script.ts';

const destination = submit({ destination: 'lisbon' });
const dates = submit({ start: '2026-05-01', end: '2026-05-08' });
const travellers = submit({ adults: 2 });
const cancel = { action: 'cancel' } as const;

test('[DUR5] a trip takes three prompts, each with a key', async () => {
  const person = scriptContext(destination, dates, travellers);

  expect(await person.run('plan_trip')).toEqual({
    ok: true,
    plan: { destination: 'lisbon', start: '2026-05-01', end: '2026-05-08', adults: 2 },
  });

  expect(person.asked.map((prompt) => prompt.key)).toEqual(['destination', 'dates', 'travellers']);
});

test.each([
  [1, [cancel]],
  [2, [destination, cancel]],
  [3, [destination, dates, cancel]],
])('[PLG7] a cancel at step %i ends the trip', async (_step, script) => {
  expect(await scriptContext(...script).run('plan_trip')).toEqual({ ok: false, cancelled: true });
});

test('[INT10] a step that nobody answers ends the trip', async () => {
  expect(await scriptContext(destination, 'timeout').run('plan_trip')).toEqual({ ok: false, error: 'timeout' });
});

test('[INT8] an end date before the start is asked for again', async () => {
  const person = scriptContext(destination, submit({ start: '2026-05-08', end: '2026-05-01' }), dates, travellers);

  expect(await person.run('plan_trip')).toMatchObject({ ok: true, plan: { end: '2026-05-08' } });

  expect(person.asked[2]?.fieldErrors).toEqual({ end: 'Must not be before the first day.' });
});
