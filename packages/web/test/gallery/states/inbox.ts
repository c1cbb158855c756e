import { approval } from '../../samples.ts';
import type { GalleryState, Stage } from '../stage.ts';
import { askElsewhere, askIn, fillList } from './others.ts';

const askSeveral = (stage: Stage) => {
  fillList(stage);
  askElsewhere(stage);
  askIn(stage, 'other2', { ...approval, title: 'Publish the docs?', risk: 'low' });
};

const askOthers = (stage: Stage) => {
  askIn(stage, 'other3', { ...approval, audience: { principals: ['Ann', 'Bob'] } });
};

const inbox = (name: string, part: Omit<GalleryState, 'name' | 'path'>): GalleryState => ({
  name: `inbox: ${name}`,
  path: '/inbox',
  ...part,
});

export const inboxStates: readonly GalleryState[] = [
  inbox('empty', { before: fillList }),
  inbox('several', { before: askSeveral }),
  inbox('for others', {
    before: (stage) => {
      askSeveral(stage);
      askOthers(stage);
    },
  }),
  inbox('only for others', {
    before: (stage) => {
      fillList(stage);
      askOthers(stage);
    },
  }),
  inbox('several decide', {
    before: (stage) => {
      askSeveral(stage);
      askIn(stage, 'other3', {
        ...approval,
        title: 'Pay the invoice?',
        approvalScopes: ['once'],
        decide: { approve: 2 },
      });
    },
    after: (stage) => {
      const interactionId = 'other3-c.1';
      const votes = { approve: 1, deny: 0 };
      stage.server.sendToAll({ type: 'interaction_voted', sessionId: 'other3', interactionId, votes });
      stage.claim(interactionId, { sessionId: 'other3' });
    },
  }),
  inbox('put off', { before: askSeveral, after: (stage) => stage.click('1 hour') }),
  inbox('several approvals', { before: askSeveral, after: (stage) => stage.click('Review together') }),
];
