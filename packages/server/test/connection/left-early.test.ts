import { expect, test } from 'vitest';
import { useLocalServer } from '../support/local-server.ts';

const bulky = {
  name: 'bulky',
  tools: [
    {
      name: 'bulk',
      description: 'Returns a lot.',
      parameters: { type: 'object' },
      handler: ({ size }: { size: number }) => 'x'.repeat(size),
    },
    {
      name: 'ask',
      description: 'Asks.',
      parameters: { type: 'object' },
      handler: (_args: unknown, ctx: { requestInteraction(demand: object): unknown }) =>
        ctx.requestInteraction({ type: 'approval', onUnavailable: 'wait', subject: { kind: 'text', text: 'Go on?' } }),
    },
  ],
};

/** A reader that a busy machine slows down is not dropped here. */
const server = useLocalServer({ plugins: [bulky as never], durations: { slowReaderMs: 60_000 } });

test('[INT14] a prompt that opens while a tab still reads the log is in its inbox, though it leaves before it has read so far', async () => {
  const [owner, tab] = await Promise.all([server.open(), server.open()]);
  const sessionId = await owner.createSession();
  await owner.follow(sessionId);
  for (let count = 1; count <= 40; count += 1) {
    await owner.say(sessionId, '/call bulk {"size":500000}'); // in the end more than the buffers of a socket
    await owner.until(() => owner.events(sessionId).filter(({ type }) => type === 'turn_end').length === count);
  }
  tab.pause();
  tab.send({ type: 'subscribe', sessionId });
  await owner.until((frame) => frame.type === 'presence' && frame.connections === 2);
  await owner.say(sessionId, '/call ask');
  const { interactionId } = await owner.prompt(sessionId);
  tab.send({ type: 'unsubscribe', sessionId });
  tab.resume();
  expect(await tab.waitFor('interaction_opened')).toMatchObject({ sessionId, interaction: { interactionId } });
});
