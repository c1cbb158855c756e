import type { ChatLink, Notifier } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Chats, type ChatsOptions } from './chats.ts';

const link = { id: 'l-1', notifier: 'chat', principal: 'ann', account: { id: '1' }, credential: {} } as ChatLink;
const ann = { id: 'ann', role: 'responder' };

test('[CHAT2] an account that is unlinked while its link is read is not notified any more', async () => {
  const lists = [[link], []];
  let release: () => void = () => undefined;
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const chats = new Chats({
    store: { list: async () => lists.shift() ?? [] },
    findHolder: () => isReleased.then(() => ({ principal: ann, credential: {} })),
    onChanged: () => undefined,
  } as unknown as ChatsOptions);
  const notifier: Notifier = { name: 'chat', notify: () => true };
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  chats.add({ way: 'chat', plugin: 'chat', notifier, config: {}, people: undefined, quiet: undefined, log });
  const looks = [chats.look(), chats.look()];
  await new Promise(setImmediate); // the second has read the links already, if it may overlap the first
  release();
  await Promise.all(looks);
  expect([...chats.targets]).toEqual([]);
});
