import type { ChatEvent, OpenCall, StreamPart } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Transcript } from './transcript.ts';

let seq = 0;
const event = (type: string, payload: object, responseId = 'r1') => {
  seq += 1;
  return {
    seq,
    id: `e${seq}`,
    sessionId: 's',
    timestamp: '',
    turnId: 't1',
    responseId,
    v: 1,
    type,
    payload,
  } as ChatEvent;
};
const part = (text: string, offset: number, kind: StreamPart['kind'] = 'text'): StreamPart => ({
  ...{ turnId: 't1', responseId: 'r1', block: 0, kind, offset, text },
});
const said = (updates: readonly object[]) =>
  updates.map((update) => {
    const { sessionUpdate, content, messageId } = update as Record<string, unknown>;
    return `${sessionUpdate} ${messageId}: ${(content as { text: string }).text}`;
  });
const by = { clientId: 'c', connectionId: 'c', principal: 'ann', label: 'phone', transport: 'ws' };
const call = event('tool_call', { toolCallId: 'c1', toolName: 'run_command', args: { command: 'ls\n-l' } });
const request = event('interaction_request', {
  toolCallId: 'c1',
  interactionId: 'c1.1',
  toolName: 'run_command',
  title: 'Run it?',
});

test('[ACP3, EVT4] streamed text is sent once, and the end of its block sends what is missing', () => {
  const transcript = new Transcript();
  expect(said(transcript.stream(part('Hel', 0)))).toEqual(['agent_message_chunk r1.0: Hel']);
  expect(said(transcript.stream(part('ello', 1)))).toEqual(['agent_message_chunk r1.0: lo']);
  expect(transcript.stream(part('l', 2))).toEqual([]); // known
  expect(transcript.stream(part('x', 9))).toEqual([]); // after a gap
  expect(said(transcript.follow(event('assistant_done', { block: 0, text: 'Hello world' })))).toEqual([
    'agent_message_chunk r1.0:  world',
  ]);
  transcript.stream(part('Hmm', 0, 'thinking'));
  expect(transcript.follow(event('thinking_done', { block: 0, text: 'Hmm' }))).toEqual([]);
  expect(transcript.stream(part('{"a"', 0, 'tool_input'))).toEqual([]);
});

test('[ACP3] a message that was begun anew is a message of its own', () => {
  const transcript = new Transcript();
  transcript.stream(part('Once', 0));
  expect(
    said(transcript.follow(event('error', { code: 'stream_restarted', message: 'It starts over.' })))[0],
  ).toContain('It starts over.');
  expect(said(transcript.follow(event('assistant_done', { block: 0, text: 'Twice' }, 'r2')))).toEqual([
    'agent_message_chunk r2.0: Twice',
  ]);
  transcript.stream(part('Once', 0));
  const [other] = said(transcript.follow(event('assistant_done', { block: 0, text: 'Twice' })));
  expect(other).toBe(`agent_message_chunk e${seq}: Twice`);
});

test('[ACP3] a call has its arguments, says how its prompt ended, and ends with its result', () => {
  const transcript = new Transcript();
  expect(transcript.follow(call)).toEqual([
    {
      ...{
        sessionUpdate: 'tool_call',
        toolCallId: 'c1',
        title: 'run_command: ls',
        name: 'run_command',
        kind: 'execute',
      },
      ...{ status: 'in_progress', rawInput: { command: 'ls\n-l' } },
    },
  ]);
  transcript.follow(request);
  const answer = {
    toolCallId: 'c1',
    interactionId: 'c1.1',
    answerId: 'a',
    action: 'approve',
    approvalScope: 'once',
    reason: 'Fine.',
    by,
  };
  expect(transcript.follow(event('interaction_response', answer))).toMatchObject([
    { status: 'in_progress', content: [{ content: { text: 'Run it?\nAllowed once, by ann (phone)\nFine.' } }] },
  ]);
  const result = { toolCallId: 'c1', toolName: 'run_command', result: { code: 0 } };
  expect(transcript.follow(event('tool_result', result))).toMatchObject([
    { status: 'completed', content: [{ content: { text: '{\n  "code": 0\n}' } }], rawOutput: { code: 0 } },
  ]);
  const failed = { toolCallId: 'c2', toolName: 'x', error: { code: 'denied', message: 'No.' } };
  expect(transcript.follow(event('tool_result', failed))).toMatchObject([
    { status: 'failed', content: [{ content: { text: 'denied: No.' } }] },
  ]);
});

test('[ACP3] a form’s answer is said with its values, without secrets, also at a call that was open before', () => {
  const fields = [
    { id: 'name', type: 'text', label: 'Name' },
    { id: 'key', type: 'secret' },
    { id: 'none', type: 'text' },
  ];
  const transcript = new Transcript([{ toolCallId: 'c1' } as OpenCall]);
  transcript.follow(event('interaction_request', { ...request.payload, inputSchema: { type: 'form', fields } }));
  const input = { name: 'Ann', key: { redacted: true } };
  const ids = { toolCallId: 'c1', interactionId: 'c1.1', answerId: 'a' };
  expect(transcript.follow(event('interaction_response', { ...ids, action: 'submit', input, by }))).toMatchObject([
    { content: [{ content: { text: 'Run it?\nSubmitted, by ann (phone)\nName: Ann\nkey: ••••' } }] },
  ]);
});

test('[ACP3] an answer after the end of its call leaves the result as it is', () => {
  const transcript = new Transcript();
  transcript.follow(call);
  transcript.follow(request);
  transcript.follow(event('tool_result', { toolCallId: 'c1', toolName: 'run_command', result: 'later' }));
  const closed = { toolCallId: 'c1', interactionId: 'c1.1', reason: 'timeout' };
  expect(transcript.follow(event('interaction_closed', closed))).toEqual([]);
});

test('[ACP3, TEAM3, REV4] votes, comments and a failed turn are said in words', () => {
  const transcript = new Transcript();
  transcript.follow(event('interaction_request', { ...request.payload, decide: { approve: 2 } }));
  const ids = { toolCallId: 'c1', interactionId: 'c1.1', by };
  const vote = event('interaction_vote', { ...ids, answerId: 'a', action: 'approve', votes: { approve: 1, deny: 0 } });
  const comment = event('interaction_comment', { ...ids, commentId: 'k', text: 'Why now?' });
  const failed = event('turn_end', { status: 'error', error: { code: 'x', message: 'Too slow.' } });
  expect([vote, comment, failed].flatMap((each) => said(transcript.follow(each)))).toEqual([
    `agent_thought_chunk ${vote.id}: ann voted for it: 1 of 2 approvals`,
    `agent_thought_chunk ${comment.id}: ann: Why now?`,
    `agent_thought_chunk ${failed.id}: The turn has failed: Too slow.`,
  ]);
});

test('[ACP3] a to-do list is a plan', () => {
  const todos = [{ content: 'Look', status: 'completed' }, { content: 'Leap', status: 'soon' }, 7];
  expect(
    new Transcript().follow(event('tool_call', { toolCallId: 'c3', toolName: 'TodoWrite', args: { todos } })),
  ).toContainEqual({
    sessionUpdate: 'plan',
    entries: [
      { content: 'Look', priority: 'medium', status: 'completed' },
      { content: 'Leap', priority: 'medium', status: 'pending' },
    ],
  });
});

test('[ACP3, TEAM1] nothing is said of hidden calls, and nothing of events that are not for editors', () => {
  const transcript = new Transcript();
  for (const type of ['tool_call', 'interaction_request', 'tool_result', 'user_message'])
    expect(transcript.follow(event(type, { hidden: true, toolCallId: 'c9' }))).toEqual([]);
  expect(transcript.follow(event('from_a_later_release', {}))).toEqual([]);
});

test('[ACP3] people’s messages are shown with their files', () => {
  const files = [{ fileId: 'f', name: 'a.png', mediaType: 'image/png', size: 1 }];
  const [update] = said(
    new Transcript().follow(event('user_message', { messageId: 'm', text: 'Look', origin: 'user', files })),
  );
  expect(update).toMatch(/^user_message_chunk m: Look\s.*a\.png/s);
});
