import type { InteractionRequest } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Journey, loadPlugin, question } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadPlugin('scripted.mjs')] });

const tabs = 5;
const rounds = 40;

/** Answers every prompt in the callback that delivers it. */
function answerAtOnce(journey: Journey): void {
  let seen = 0;
  journey.tab.onFrame(() => {
    const requests = journey.events('interaction_request');
    for (; seen < requests.length; seen += 1) {
      const { toolCallId: callId, interactionId } = requests[seen]!.payload as InteractionRequest;
      const { session: sessionId } = journey;
      const answer = { action: 'submit', input: { answer: interactionId } };
      journey.tab.send({ type: 'tool_interaction_response', sessionId, callId, interactionId, ...answer });
    }
  });
}

test(`[INT1] an answer sent the moment the prompt arrives is never lost: ${tabs * rounds} times`, async () => {
  await inParallel(tabs, async (journey) => {
    for (let n = 0; n < rounds; n += 1) {
      const args = { request: question(), onResponse: [{ return: { complete: '$answer' } }] };
      const { result } = await journey.run('scripted', args);
      expect(result).toMatchObject({ action: 'submit', input: { answer: expect.stringMatching(/\.1$/) } });
    }
    expect(journey.events('interaction_response')).toHaveLength(rounds);
  });
});

test('[INT1, INT8] the same for reprompts: each is answered at once, none is lost', async () => {
  const again = Array.from({ length: 20 }, () => ({ return: { reprompt: { error: 'again' } } }));
  const onResponse = [...again, { return: { complete: '$answer' } }];
  await inParallel(tabs, async (journey) => {
    const { result } = await journey.run('scripted', { request: question(), onResponse });
    expect(result).toMatchObject({ input: { answer: expect.stringMatching(/\.21$/) } });
  });
});

test('[INT1, INT13] the same for fifty prompts at once', async () => {
  await inParallel(1, async (journey) => {
    const demands = Array.from({ length: 50 }, (_, n) => ({ request: question('answer', { key: `k${n}` }) }));
    const { result } = await journey.run('parallel', { demands });
    expect(result).toHaveLength(50);
    for (const answer of result as object[]) expect(answer).toMatchObject({ action: 'submit' });
  });
});

async function inParallel(count: number, tell: (journey: Journey) => Promise<void>): Promise<void> {
  const journeys = await Promise.all(Array.from({ length: count }, () => Journey.begin(server)));
  for (const journey of journeys) answerAtOnce(journey);
  await Promise.all(journeys.map(tell));
}
