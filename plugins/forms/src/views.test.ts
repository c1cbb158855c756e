import { expect, test } from 'vitest';
import { scriptContext, submit } from '../test/script.ts';
import forms from './index.ts';

test('[PLG10] the colour picker is a text field with a view, which takes a colour alone', async () => {
  const person = scriptContext(submit({ colour: '#00ff7f' }));
  expect(await person.run('pick_colour', { start: '#ff0000' })).toEqual({ ok: true, values: { colour: '#00ff7f' } });
  expect(person.asked[0]).toMatchObject({ view: { name: 'colour' }, initialValues: { colour: '#ff0000' } });
});

test('[PLG10] the comparison is a choice whose view has both images', async () => {
  const image = 'data:image/png;base64,aGk=';
  const sides = { before: { label: 'Old', image }, after: { label: 'New', image } };
  const person = scriptContext(submit({ choice: 'after' }));
  expect(await person.run('compare_images', sides)).toEqual({ ok: true, values: { choice: 'after' } });
  expect(person.asked[0]).toMatchObject({ view: { name: 'comparison', data: sides } });
  expect(Object.keys(forms.views ?? {})).toEqual(['colour', 'comparison']);
});
