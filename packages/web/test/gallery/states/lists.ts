import { approval } from '../../samples.ts';
import type { GalleryState } from '../stage.ts';
import { askElsewhere, fillList } from './others.ts';

export const listStates: readonly GalleryState[] = [
  { name: 'list: empty', path: '/' },
  {
    name: 'list: loading',
    path: '/',
    before: ({ server }) => {
      server.isAnswering = false;
    },
  },
  { name: 'list: sessions', path: '/', before: fillList },
  {
    name: 'list: needs you',
    path: '/',
    before: (stage) => {
      fillList(stage);
      askElsewhere(stage);
    },
  },
  {
    name: 'list: beside a session',
    before: (stage) => {
      stage.open();
      fillList(stage);
      askElsewhere(stage);
      stage.ask('c.1', approval);
    },
  },
  {
    name: 'list: no right to begin',
    path: '/',
    before: (stage) => {
      fillList(stage);
      stage.server.principal = { id: 'owner', role: 'viewer' };
    },
  },
  {
    name: 'list: search',
    path: '/',
    before: fillList,
    after: (stage) => stage.type('[aria-label="Find a session"]', 'the'),
  },
  {
    name: 'list: search without result',
    path: '/',
    before: fillList,
    after: (stage) => stage.type('[aria-label="Find a session"]', 'nobody called it that'),
  },
  {
    name: 'list: pinned and archived',
    path: '/',
    before: (stage) => {
      fillList(stage);
      stage.server.update('other1', { pinned: true });
      stage.server.update('other2', { archived: true });
    },
    after: (stage) => stage.click('Archived'),
  },
  {
    name: 'list: palette',
    before: (stage) => {
      stage.open();
      fillList(stage);
    },
    after: (stage) => stage.press('k', { ctrlKey: true }),
  },
  {
    name: 'list: palette without result',
    before: (stage) => {
      stage.open();
      fillList(stage);
    },
    after: async (stage) => {
      stage.press('k', { ctrlKey: true });
      await stage.type('[role="combobox"]', 'nobody called it that');
    },
  },
  { name: 'page: unknown address', path: '/nope' },
];
