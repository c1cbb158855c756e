import { expect, test } from 'vitest';
import { digestText, interactionSpecSchema } from './interaction.ts';
import { pathOfView, readViewMessage } from './view-message.ts';

const spec = { type: 'input', inputSchema: { type: 'form', fields: [{ id: 'a', type: 'text' }] } } as const;
const faultsOf = (request: object) =>
  interactionSpecSchema.safeParse(request).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

test('[PLG10] inputs and approvals may have a view, with data of a size that opens on a phone', () => {
  expect(faultsOf({ ...spec, view: { name: 'colour', data: { start: '#000000' } } })).toBeUndefined();
  expect(faultsOf({ type: 'approval', view: { name: 'colour' } })).toBeUndefined();
  expect(faultsOf({ type: 'url', url: 'https://example.com', view: { name: 'colour' } })).toEqual([
    'view: only an input or an approval has a view',
  ]);
  expect(faultsOf({ ...spec, view: { name: 'colour', data: 'x'.repeat(256 * 1024) } })).toEqual([
    'view.data: must be at most 262144 characters of JSON',
  ]);
});

test('[PLG10, DUR5] what a view shows is part of the digest', () => {
  const text = (data: string) => digestText('pick', { ...spec, inputSchema: undefined, view: { name: 'v', data } });
  expect(text('a')).not.toBe(text('b'));
});

test('[PLG10] a view has its own path, and three kinds of messages', () => {
  expect(pathOfView({ plugin: '@a/b', name: 'colour' })).toBe('/views/%40a%2Fb/colour');
  const isSaid = (message: unknown) => readViewMessage(message) !== undefined;
  for (const message of [{ type: 'ready' }, { type: 'propose', values: { a: [1] } }, { type: 'resize', height: 9 }])
    expect(isSaid(message)).toBe(true);
  for (const message of [
    { type: 'submit' },
    { type: 'propose' },
    { type: 'propose', values: { a: () => 1 } },
    'ready',
    { type: 'propose', values: [] },
    null,
  ])
    expect(isSaid(message)).toBe(false);
});
