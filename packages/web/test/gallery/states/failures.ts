import { RefusalError } from '@parleyhq/core';
import type { GalleryState, Stage } from '../stage.ts';
import { showPermissions } from './dialogs.ts';

const converse = (stage: Stage) => {
  stage.open();
  stage.startTurn();
  stage.say('I will build it first.');
  stage.end();
};

/** Makes the server refuse frames of this type. */
const refuse = ({ server }: Stage, type: string, message: string): void => {
  server.refuse = (frame) => (frame.type === type ? new RefusalError('storage_full', { message }) : undefined);
};

export const failureStates: readonly GalleryState[] = [
  {
    name: 'failure: a session cannot be deleted',
    before: converse,
    after: async (stage) => {
      refuse(stage, 'delete_session', 'The disk is full: nothing new can be stored until there is space.');
      await stage.click('More');
      await stage.click('Delete');
      await stage.click('Delete');
    },
  },
  {
    name: 'failure: a message was not taken',
    before: converse,
    after: async (stage) => {
      refuse(stage, 'user_message', 'The disk is full: nothing new can be stored until there is space.');
      await stage.type('textarea', 'And tell the others.');
      await stage.click(/^Send/);
    },
  },
  {
    name: 'failure: a session cannot begin',
    path: '/',
    before: converse,
    after: async (stage) => {
      refuse(stage, 'create_session', 'The disk is full: nothing new can be stored until there is space.');
      await stage.type('textarea', 'Release it.');
      await stage.click(/^(Send|Start)/);
    },
  },
  {
    name: 'failure: permissions cannot be read',
    before: converse,
    after: async (stage) => {
      refuse(stage, 'list_grants', 'The disk cannot be read.');
      await showPermissions(stage);
    },
  },
  {
    name: 'session: nobody is asked',
    before: (stage) => {
      converse(stage);
      stage.server.update(stage.sessionId, { permissionMode: 'bypassPermissions' });
    },
  },
];
