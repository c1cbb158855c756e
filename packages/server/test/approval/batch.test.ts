import { expect, test } from 'vitest';
import { Journey, loadPlugin } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadPlugin('approve.mjs')] });

const paths = ['a', 'b', 'c', 'd', 'soon over'];

/** Sends a message with a call for each path, and returns all prompts. */
async function askAll(journey: Journey) {
  await journey.tab.say(journey.session, paths.map((path) => `/call wipe ${JSON.stringify({ path })}`).join('\n'));
  const prompts = await journey.prompts(paths.length);
  return paths.map((path) => prompts.find(({ subject }) => subject?.text === path)!);
}

test('[APR5, INT5] approvals answered in one packet, some too late, each have their own reply, event and digest', async () => {
  const journey = await Journey.begin(server);
  const elsewhere = await journey.join(server);
  const prompts = await askAll(journey);
  expect(new Set(prompts.map(({ digest }) => digest)).size).toBe(paths.length);
  const [a, b, c, d, over] = prompts as [(typeof prompts)[number], ...typeof prompts];
  await elsewhere.answer(b!, { action: 'approve' });
  await journey.event('interaction_closed', ({ payload }) => payload.interactionId === over?.interactionId);

  const before = journey.tab.frames.length;
  const frames = prompts.map((prompt, n) => ({
    type: 'tool_interaction_response',
    requestId: `batch-${n}`,
    sessionId: journey.session,
    callId: prompt.toolCallId,
    interactionId: prompt.interactionId,
    answerId: `batch-${n}`,
    digest: prompt === d ? 'what an older card showed' : prompt.digest,
    action: 'deny',
    reason: `Not ${paths[n]}.`,
  }));
  journey.tab.sendTogether(frames);
  const replies = await Promise.all(
    frames.map(({ requestId }) =>
      journey.tab.until((frame) => frame.type === 'reply' && frame.requestId === requestId, before),
    ),
  );
  expect(replies).toMatchObject([
    { ok: true },
    { error: { code: 'already_answered', details: { by: { clientId: elsewhere.tab.clientId } } } },
    { ok: true },
    { error: { code: 'stale' } },
    { error: { code: 'closed', details: { reason: 'timeout' } } },
  ]);
  for (const [prompt, n] of [
    [a, 0],
    [c!, 2],
  ] as const) {
    expect(journey.settlements(prompt)).toMatchObject([{ payload: { answerId: `batch-${n}`, action: 'deny' } }]);
  }
  await journey.answer(d!, { action: 'deny', reason: 'Nor d.' });
  const words = (await journey.words()).split('\n');
  for (const reason of ['Not a.', 'Not c.', 'Nor d.', 'Nobody allowed this in time.'])
    expect(words.filter((said) => said.includes(reason))).toHaveLength(1);
  expect(words.filter((said) => said.includes('"approved":true'))).toHaveLength(1);
});
