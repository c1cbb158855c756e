import type { Field, FormValues } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { showField } from './show-field.ts';

const green = { value: 'g', label: 'Green' };
const tea: Field = { id: 'tea', type: 'radio', required: true, label: 'Which tea?', options: [green] };
const file = { fileId: 'f', name: 'cv.txt', mediaType: 'text/plain', size: 9, sha256: '0' };

test.each<[string, Field, FormValues, string]>([
  [
    'the labels of choices where they differ',
    { ...tea, options: [green, { value: 'None', label: 'None' }] },
    {},
    '  tea (radio) Which tea?: g = Green, None',
  ],
  [
    'a choice of your own',
    { ...tea, other: true },
    {},
    '  tea (radio) Which tea?: g = Green, {"other": "…"} = something else',
  ],
  [
    'descriptions, one choice a line',
    {
      ...tea,
      description: 'For four.',
      options: [
        { ...green, description: 'fresh\nand light' },
        { value: 'b', label: 'Black' },
      ],
    },
    {},
    '  tea (radio) Which tea?\n    For four.\n    g = Green: fresh\n    and light\n    b = Black',
  ],
  [
    'a preview',
    { ...tea, options: [{ ...green, preview: 'one\n\ntwo' }] },
    {},
    '  tea (radio) Which tea?\n    g = Green\n      one\n\n      two',
  ],
  ['a default', { id: 'cups', type: 'number', defaultValue: 3 }, {}, '  cups (number, optional, suggested: 3) cups'],
  [
    'an earlier value',
    { ...tea, defaultValue: 'b' },
    { tea: 'g' },
    '  tea (radio, suggested: "g") Which tea?: g = Green',
  ],
  ['a file', { id: 'cv', type: 'file' }, { cv: file }, '  cv (file, optional, suggested: cv.txt (9 bytes)) cv'],
  ['no secret', { id: 'key', type: 'secret', defaultValue: 'x' }, { key: 'y' }, '  key (secret, optional) key'],
])('[ASK8, INT16] a field is shown with %s', (_, field, values, shown) => {
  expect(showField(field, values)).toBe(shown);
});
