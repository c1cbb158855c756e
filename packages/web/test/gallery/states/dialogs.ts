import { approval } from '../../samples.ts';
import type { GalleryState, Stage } from '../stage.ts';

const converse = (stage: Stage) => {
  stage.open();
  stage.startTurn();
  stage.say('I will build it first.');
  stage.end();
};

export const dialogStates: readonly GalleryState[] = [
  { name: 'dialog: shortcuts', before: converse, after: (stage) => stage.press('?') },
  {
    name: 'dialog: prompt in a dialog',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', approval);
    },
    after: (stage) => stage.click('Open in a dialog'),
  },
];
