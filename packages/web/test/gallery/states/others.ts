import { makeRequest, type RequestPart } from '@parleyhq/client/testing';
import { approval, input, oneField } from '../../samples.ts';
import type { Stage } from '../stage.ts';

const titles = [
  'Fix the login test',
  'Write the release notes',
  'Move the docs',
  'A title that goes on for longer than any list is wide, as they do',
];

/** Adds sessions to the list besides the one on view: `other0` to `other3`. */
export function fillList({ server }: Stage): void {
  for (const [n, title] of titles.entries()) server.addSession(`other${n}`, title);
}

/** Makes another session wait for an answer. */
export function askIn({ server }: Stage, sessionId: string, part: RequestPart): void {
  const turnId = 't';
  const toolCallId = `${sessionId}-c`;
  const call = { toolCallId, toolName: 'deploy', args: {}, authorised: { by: 'tool' } } as const;
  server.append(
    sessionId,
    { type: 'user_message', payload: { messageId: 'm', text: 'Go', origin: 'user' }, turnId },
    { type: 'turn_start', payload: { trigger: 'user', agent: 'fake', owner: 'fake' }, turnId },
    { type: 'tool_call', payload: call, turnId },
    { type: 'interaction_request', payload: makeRequest(`${toolCallId}.1`, part), turnId },
  );
}

/** Makes two other sessions wait for an answer. */
export function askElsewhere(stage: Stage): void {
  askIn(stage, 'other0', { ...approval, title: 'Push the fix to main?' });
  askIn(stage, 'other1', input(oneField, { title: 'Whom shall I thank?' }));
}
