import type { Payload } from '@parleyhq/core';
import { approval, input } from '../../samples.ts';
import type { GalleryState, Stage } from '../stage.ts';

const database = input(
  {
    type: 'form',
    fields: [
      {
        id: 'store',
        type: 'radio',
        label: 'Which database?',
        required: true,
        options: [
          { value: 'postgres', label: 'PostgreSQL' },
          { value: 'sqlite', label: 'SQLite' },
        ],
      },
    ],
  },
  { title: 'Which database?' },
);

const review = input(
  {
    type: 'form',
    fields: [
      {
        id: 'verdict',
        type: 'select',
        label: 'Verdict',
        options: [
          { value: 'accept', label: 'Accept' },
          { value: 'revise', label: 'Revise' },
        ],
      },
      { id: 'words', type: 'textarea', label: 'To the author' },
    ],
  },
  { title: 'How is the draft?' },
);

const closed = (reason: Payload<'interaction_closed'>['reason']): GalleryState => ({
  name: `settled: ${reason.replaceAll('_', ' ')}`,
  before: (stage) => {
    stage.open();
    stage.ask('c.1', approval);
    stage.settle('c.1', reason);
  },
});

const answered = (name: string, part: object, ask: object = approval, more?: (stage: Stage) => void): GalleryState => ({
  name: `settled: ${name}`,
  before: (stage) => {
    stage.open();
    stage.ask('c.1', ask);
    stage.respond('c.1', part);
    more?.(stage);
  },
});

export const settledStates: readonly GalleryState[] = [
  answered('allowed', { action: 'approve', approvalScope: 'session' }, approval, (stage) =>
    stage.result('c', 'deploy', { result: { ok: true, url: 'https://example.org' } }),
  ),
  {
    name: 'settled: decided by two',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', { ...approval, approvalScopes: ['once'], decide: { approve: 2 } });
      stage.vote('c.1', 'approve', { approve: 1, deny: 0 });
      const boss = { clientId: 'boss', connectionId: 'l', principal: 'ann', name: 'Ann', transport: 'ws' };
      stage.respond('c.1', { action: 'approve', approvalScope: 'once', votes: { approve: 2, deny: 0 }, by: boss });
    },
    after: (stage) => stage.click(/Allowed once/),
  },
  answered('denied', { action: 'deny', reason: 'Not on a Friday.' }, approval, (stage) =>
    stage.result('c', 'deploy', { error: { code: 'denied', message: 'Not on a Friday.' } }),
  ),
  answered('chosen', { action: 'submit', input: { store: 'postgres' } }, database),
  answered('cancelled by a person', { action: 'cancel' }, database),
  {
    name: 'settled: another was first',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', database);
    },
    after: async (stage) => {
      stage.server.isAnswering = false;
      await stage.click(/^SQLite/);
      stage.respond('c.1', { action: 'submit', input: { store: 'postgres' } });
    },
  },
  {
    name: 'settled: another was first, half-typed',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', review);
    },
    after: async (stage) => {
      await stage.type(
        'textarea[id="field-words"]',
        'The second chapter repeats what the first one says, and could be',
      );
      stage.respond('c.1', { action: 'submit', input: { verdict: 'accept', words: 'Well done.' } });
    },
  },
  {
    name: 'settled: late',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', database);
      const ids = { toolCallId: 'c', interactionId: 'c.1' };
      stage.append({ type: 'interaction_expired', payload: ids });
      stage.append({ type: 'interaction_pending', payload: { ...ids, message: 'I go on without it.' } });
      stage.result('c', 'deploy', { result: 'With SQLite, for now.' });
      stage.end();
      stage.respond('c.1', { action: 'submit', input: { store: 'postgres' } });
    },
  },
  ...(['timeout', 'cancelled', 'superseded', 'orphaned', 'handler_error', 'session_ended', 'withdrawn'] as const).map(
    closed,
  ),
];
