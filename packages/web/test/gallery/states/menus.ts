import { approval } from '../../samples.ts';
import type { GalleryState, Stage } from '../stage.ts';

const converse = (stage: Stage) => {
  stage.open();
  stage.startTurn();
  stage.say('I will build it first.');
  stage.end();
};

export const menuStates: readonly GalleryState[] = [
  { name: 'menu: account', path: '/', before: converse, after: (stage) => stage.click('Account') },
  { name: 'menu: session', before: converse, after: (stage) => stage.click('More') },
  {
    name: 'menu: more ways to allow',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', { ...approval, risk: 'medium' });
    },
    after: async (stage) => {
      await stage.find('button', 'Deny');
      if (stage.has('button', 'More ways to allow')) await stage.click('More ways to allow'); // a wide card shows them all
    },
  },
  {
    name: 'session: new title',
    before: converse,
    after: async (stage) => {
      await stage.click('Release 2.1');
      await stage.find('h1 input');
    },
  },
];
