import { checkValues, type Field, type Json } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { askField } from './field-prompt.ts';
import type { Prompts } from './prompts.ts';

interface Line {
  readonly initial?: string;
  readonly check?: (text: string) => string | undefined;
}

/** Types a text, or presses Enter at once. @returns the value or the error message, and the kind of prompt */
async function fill(field: Omit<Field, 'id'>, { typed, initial }: { typed?: string; initial?: Json }) {
  const own: Field = { id: 'it', ...field };
  const asked: string[] = [];
  const answer = (kind: string) => (line: Line) => {
    asked.push(kind);
    const text = typed ?? line.initial ?? '';
    const fault = line.check?.(text);
    return fault === undefined ? Promise.resolve(text) : Promise.reject(new Error(fault));
  };
  const prompts = { askText: answer('line'), askLines: answer('lines'), askSecret: answer('secret') };
  const check = (value: Json) => checkValues({ type: 'form', fields: [own] }, { it: value }, () => true).it;
  const give = () => Promise.reject(new Error('no files'));
  const said = askField({ field: own, initial, check, give }, prompts as unknown as Prompts);
  const value = await said.catch((error: Error) => error.message);
  return { value, asked: asked[0] };
}

test.each(['2026-10-25T02:30:00+01:00', '2026-07-01T10:00:00.678Z'])(
  '[INT16] a date-time that was not edited is returned unchanged: %s',
  async (initial) => {
    expect(await fill({ type: 'datetime' }, { initial })).toMatchObject({ value: initial });
  },
);

test.each(['2026-03-31', '09:30', 'tomorrow', '2026-02-30 10:00'])(
  '[INT16] %s is rejected as a date and time, with an example of the expected form',
  async (typed) => {
    const { value } = await fill({ type: 'datetime' }, { typed });
    expect(value).toMatch(/^Must be a date and time/);
  },
);

test.each<[Field['type'], string]>([
  ['date', '2026-03'],
  ['date', '2026-02-31'],
  ['time', '09'],
])('[INT16] an incomplete %s is rejected: %s', async (type, typed) => {
  expect((await fill({ type }, { typed })).value).toMatch(/^Must be a (date|time), as in/);
});

test.each([
  ['1,5', 1.5],
  ['٣٤', 34],
  [' +5 ', 5],
  ['1.234,5', 'Must be a number, as in 1234.5.'],
  ['0x10', 'Must be a number, as in 1234.5.'],
])('[INT16] %j is read as a number, or rejected', async (typed, value) => {
  expect(await fill({ type: 'number' }, { typed })).toMatchObject({ value });
});

test('[INT16] a default with several lines gets a multi-line prompt', async () => {
  const initial = 'Fix the bug\nIt was off by one';
  expect(await fill({ type: 'text' }, { initial })).toEqual({ value: initial, asked: 'lines' });
});

test('[INT16] free text keeps its spaces', async () => {
  expect(await fill({ type: 'text' }, { typed: ' two  ' })).toMatchObject({ value: ' two  ' });
  expect(await fill({ type: 'secret' }, { typed: ' ' })).toMatchObject({ value: ' ' });
});
