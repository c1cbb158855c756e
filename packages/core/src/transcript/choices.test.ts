import { expect, test } from 'vitest';
import { World } from '../../test/support/world.ts';
import type { FormSchema } from '../form/field.ts';
import { makeTranscript, renderMarkdown } from './index.ts';

test('[RPL3, RPL5] an export lists the options that were not chosen', () => {
  const world = new World();
  const options = ['dayjs', 'luxon', 'moment'].map((value) => ({ value, label: `The ${value}` }));
  const inputSchema: FormSchema = {
    type: 'form',
    fields: [{ id: 'library', type: 'radio', label: 'Which library?', options, other: true }],
  };
  const [one, two] = [1, 2].map(() =>
    world.ask({ interactionType: 'input', inputSchema, initialValues: { library: 'moment' } }),
  );
  world.answer(one!, { action: 'submit', input: { library: 'luxon' } });
  world.answer(two!, { action: 'submit', input: { library: { other: 'Temporal' } } });
  const session = { id: 's', title: 'S', createdAt: '2026-03-01T09:00:00.000Z' };
  const text = [...renderMarkdown(makeTranscript(session, world.log, '2026-03-01T10:00:00.000Z'))].join('');
  expect(text.match(/not chosen/g)).toHaveLength(2);
  expect(text).toContain('Answered, `Which library?`: `The luxon`; not chosen: `The dayjs`, `The moment`');
  expect(text).toContain('Answered, `Which library?`: `Temporal`; not chosen: `The dayjs`, `The luxon`, `The moment`');
});
