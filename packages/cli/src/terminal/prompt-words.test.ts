import type { Actor, InteractionResponse } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { describeAnswer, describeVote } from './prompt-words.ts';

const by: Actor = { clientId: 'c', connectionId: 'k', principal: 'p', name: 'Ann', transport: 'ws' };
const toolCallId = 'call';
const said = {
  ...{ toolCallId, interactionId: `${toolCallId}.1`, answerId: 'a', by },
  reason: 'Not yet.',
  annotations: [{ lines: [2, 2] as const, quote: '2. Deploy', comment: 'Not on a Friday.' }],
};
const words = 'Not yet.\n\nLine 2:\n> 2. Deploy\n\nNot on a Friday.';

test('[REV1, REV6] an answer is shown with its comments on lines, and with the names of its files', () => {
  const file = { fileId: 'f', name: 'screen.png', mediaType: 'image/png', size: 9, sha256: '0' };
  const response: InteractionResponse = { ...said, action: 'deny', files: [file] };
  expect(describeAnswer(response, undefined).text).toBe(`Denied, by Ann\n${words}\n\nAttached: screen.png (9 bytes)`);
});

test('[REV1] a vote is shown with its comments on lines', () => {
  const vote = { ...said, action: 'deny' as const, votes: { approve: 0, deny: 1 } };
  expect(describeVote(vote, undefined).text).toBe(`Ann voted against it\n${words}`);
});
