import { playTool } from '@parleyhq/core/testing';
import { expect, test } from 'vitest';
import { compareImages } from './compare-images.ts';
import forms from './index.ts';
import { pickColour } from './pick-colour.ts';

const image = 'data:image/png;base64,aGk=';

test('[PLG10] the colour picker is a text field with a view, and takes a colour alone', async () => {
  const play = playTool(pickColour, { args: { start: '#ff0000' } });
  const prompt = await play.prompt();
  expect(prompt.request).toMatchObject({ view: { name: 'colour' }, initialValues: { colour: '#ff0000' } });
  expect(prompt.submit({ colour: 'red' })).toMatchObject({ ok: false });
  prompt.submit({ colour: '#00ff7f' });
  expect(await play.result).toEqual({ ok: true, values: { colour: '#00ff7f' } });
});

test('[PLG10] the comparison is a choice whose view has both images', async () => {
  const sides = { before: { label: 'Old', image }, after: { label: 'New', image } };
  const play = playTool(compareImages, { args: sides });
  const prompt = await play.prompt();
  expect(prompt.request).toMatchObject({ view: { name: 'comparison', data: sides } });
  prompt.submit({ choice: 'after' });
  expect(await play.result).toEqual({ ok: true, values: { choice: 'after' } });
  expect(Object.keys(forms.views ?? {})).toEqual(['colour', 'comparison']);
});
