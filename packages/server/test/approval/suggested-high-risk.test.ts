import { expect, test } from 'vitest';
import { Journey, loadPlugin } from '../support/journey.ts';
import { startLocalServer } from '../support/local-server.ts';

const mixed = await loadPlugin('mixed-risk.mjs');

async function withRule(toolName: string): Promise<Journey> {
  const journey = await Journey.begin(await startLocalServer({ plugins: [mixed], suggestAfter: 1 } as never));
  const prompt = await journey.ask(toolName, { path: 'tmp/a' });
  await journey.answer(prompt, { action: 'approve' });
  await journey.event('turn_end');
  const { tab, session: sessionId } = journey;
  const { suggestions } = await tab.ask<{ suggestions: { id: string; label: string }[] }>({
    type: 'list_suggestions',
    sessionId,
  } as never);
  expect(suggestions.map(({ label }) => label)).toEqual(['looking at everything in tmp']);
  await tab.ask({ type: 'decide_suggestion', sessionId, suggestionId: suggestions[0]!.id, action: 'allow' } as never);
  return journey;
}

async function first(journey: Journey, toolName: string, args: object) {
  const { seq } = await journey.call(toolName, args);
  return Promise.race([
    journey.event('interaction_request', undefined, seq).then(({ payload }) => ({ asked: payload.title })),
    journey.event('tool_result', undefined, seq).then(({ payload }) => ({ ran: payload.result })),
  ]);
}

test('[LESS2] a suggested rule does not answer an approval of the handler that takes no suggestions, at high risk', async () => {
  const journey = await withRule('twice');
  expect(await first(journey, 'twice', { path: 'tmp/b', grave: true })).toEqual({ asked: 'Send tmp/b to everybody?' });
});

test('[LESS2] a suggested rule does not let a call of high risk pass the gate', async () => {
  const journey = await withRule('gated');
  expect(await first(journey, 'gated', { path: 'tmp/b', grave: true })).toEqual({ asked: 'Change tmp/b?' });
});
