import { approval } from '../../samples.ts';
import { nothingCounted, statistics } from '../fake-fetch.ts';
import type { GalleryState, Stage } from '../stage.ts';
import { grants } from './grants.ts';

const converse = (stage: Stage) => {
  stage.open();
  stage.startTurn();
  stage.say('I will build it first.');
  stage.end();
};

/** Opens the permissions from the bar, or from its menu on a phone. */
export const showPermissions = async (stage: Stage) => {
  if (!stage.has('.mode', /^Permissions/)) await stage.click('More');
  await stage.click(/^Permissions/);
  await stage.find('dialog[open] :is(.modes, section, .subtle)'); // and not a section of the page behind the dialog
};

const showStatistics = async (stage: Stage) => {
  await showPermissions(stage);
  await stage.click('How much is asked');
  await stage.find('.result[aria-busy="false"]');
};

const showDevices = async (stage: Stage) => {
  await stage.click('Account');
  await stage.click('Devices');
  await stage.find('parley-devices li, li .here');
};

const showNotifications = async (stage: Stage) => {
  await stage.click('Account');
  await stage.click('Notifications');
  await stage.find('button', 'Turn on');
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
  {
    name: 'dialog: permissions',
    before: (stage) => {
      converse(stage);
      stage.server.grants = grants(stage);
    },
    after: showPermissions,
  },
  { name: 'dialog: permissions, none given', before: converse, after: showPermissions },
  {
    name: 'dialog: permissions, about to ask no more',
    before: converse,
    after: async (stage) => {
      await showPermissions(stage);
      await stage.click(/^Never ask/);
      await stage.click(/^Nobody will be asked/);
    },
  },
  {
    name: 'dialog: permissions, for who may not change them',
    before: (stage) => {
      converse(stage);
      stage.server.principal = { id: 'bob', role: 'responder' };
      stage.server.grants = grants(stage);
    },
    after: showPermissions,
  },
  { name: 'dialog: statistics', before: converse, after: showStatistics },
  {
    name: 'dialog: statistics, nothing yet',
    before: (stage) => {
      converse(stage);
      statistics.reply = nothingCounted;
    },
    after: showStatistics,
  },
  { name: 'dialog: devices', path: '/', before: converse, after: showDevices },
  { name: 'dialog: notifications', path: '/', before: converse, after: showNotifications },
  {
    name: 'dialog: what was told',
    path: '/',
    before: converse,
    after: async (stage) => {
      await showNotifications(stage);
      await stage.click('What was sent');
    },
  },
  {
    name: 'dialog: log in again',
    path: '/',
    before: converse,
    after: async (stage) => {
      await showDevices(stage);
      await stage.click(/^Log out Safari/);
      await stage.find('input[type="password"]');
    },
  },
  {
    name: 'dialog: log in again, wrong token',
    path: '/',
    before: converse,
    after: async (stage) => {
      await showDevices(stage);
      await stage.click(/^Log out Safari/);
      await stage.type('input[type="password"]', 'wrong');
      await stage.click('Continue');
    },
  },
  {
    name: 'dialog: delete the session',
    before: converse,
    after: async (stage) => {
      await stage.click('More');
      await stage.click('Delete');
    },
  },
  {
    name: 'dialog: several approvals',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', { ...approval, title: 'Push to main?' });
      stage.ask('d.1', { ...approval, title: 'Tag 2.1?', risk: 'low' });
      stage.ask('e.1', { ...approval, title: 'Publish to npm?', risk: 'medium' });
    },
    after: (stage) => stage.click('Review together'),
  },
];
