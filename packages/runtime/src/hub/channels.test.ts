import { expect, test } from 'vitest';
import { Channels } from './channels.ts';

test('[ASK2] a deleted session is removed from the shared list that the principals of its asker hold', async () => {
  const channels = new Channels({ channelsOf: async () => ['s-1'] });
  const held = await channels.of('ci');
  await channels.add({ principal: 'ci', name: 'nightly' }, 's-2');
  expect(held).toEqual(['s-1', 's-2']);
  await channels.remove({ principal: 'ci', name: 'nightly' }, 's-1');
  await channels.remove({ principal: 'unknown', name: 'nightly' }, 's-2');
  expect(held).toEqual(['s-2']);
  expect(await channels.of('ci')).toBe(held);
});
