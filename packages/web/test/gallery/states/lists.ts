import { approval, input, oneField } from '../../samples.ts';
import type { GalleryState, Stage } from '../stage.ts';

const titles = [
  'Fix the login test',
  'Write the release notes',
  'Move the docs',
  'A title that goes on for longer than any list is wide, as they do',
];

function fillList({ server }: Stage): void {
  for (const [n, title] of titles.entries()) server.addSession(`other${n}`, title);
}

/** Two other sessions wait for an answer. */
function askElsewhere({ server }: Stage): void {
  const turnId = 't';
  const ask = (sessionId: string, part: object) => {
    const ids = { toolCallId: 'c', interactionId: `${sessionId}.1`, slot: '1', attempt: 1, digest: sessionId };
    const request = {
      toolName: 'deploy',
      interactionType: 'approval',
      approvalScopes: ['once'],
      presentation: 'tool',
      source: { kind: 'tool', name: 'deploy' },
      onUnavailable: 'error',
    };
    server.append(
      sessionId,
      { type: 'user_message', payload: { messageId: 'm', text: 'Go', origin: 'user' }, turnId },
      { type: 'turn_start', payload: { trigger: 'user', agent: 'fake', owner: 'fake' }, turnId },
      {
        type: 'tool_call',
        payload: { toolCallId: 'c', toolName: 'deploy', args: {}, authorised: { by: 'tool' } },
        turnId,
      },
      { type: 'interaction_request', payload: { ...request, ...ids, ...part } as never, turnId },
    );
  };
  ask('other0', { ...approval, title: 'Push the fix to main?' });
  ask('other1', input(oneField, { title: 'Whom shall I thank?' }));
}

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
];
