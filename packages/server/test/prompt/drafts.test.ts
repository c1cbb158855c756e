import { expect, test } from 'vitest';
import { Journey, loadPlugin, question } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadPlugin('scripted.mjs')] });

const drafts = ({ tab }: Journey) => tab.frames.filter((frame) => frame.type === 'draft');

test('[INT18] a half-typed draft reaches the other tabs of its session and nobody else, and is never stored', async () => {
  const journey = await Journey.begin(server);
  const other = await journey.join(server);
  const elsewhere = await Journey.begin(server);
  const prompt = await journey.ask('scripted', { request: question() });
  await other.event('interaction_request');
  const { session: sessionId } = journey;
  const { interactionId } = prompt;
  await journey.tab.ask({ type: 'draft', sessionId, interactionId, values: { answer: 'half' } });
  await other.tab.waitFor('draft');
  expect(drafts(other)).toEqual([{ type: 'draft', sessionId, interactionId, values: { answer: 'half' } }]);
  expect(drafts(journey)).toEqual([]);
  expect(drafts(elsewhere)).toEqual([]);
  const seq = journey.events().at(-1)?.seq ?? 0;
  await journey.submit(prompt, { answer: 'whole' });
  expect((await journey.event('interaction_response')).seq).toBe(seq + 1);
});

test('[INT18, INT17] a secret is left out of the draft', async () => {
  const journey = await Journey.begin(server);
  const other = await journey.join(server);
  const fields = [
    { id: 'user', type: 'text' },
    { id: 'password', type: 'secret' },
  ];
  const prompt = await journey.ask('scripted', { request: { type: 'input', inputSchema: { type: 'form', fields } } });
  const { interactionId } = prompt;
  const values = { user: 'ada', password: 'hunter2' };
  await journey.tab.ask({ type: 'draft', sessionId: journey.session, interactionId, values });
  expect((await other.tab.waitFor('draft')).values).toEqual({ user: 'ada' });
  await journey.answer(prompt, { action: 'cancel' });
});

test('[INT18] a draft for a prompt that is not open is refused', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', { request: question() });
  await journey.answer(prompt, { action: 'cancel' });
  const { interactionId } = prompt;
  const frame = { type: 'draft', sessionId: journey.session, interactionId, values: {} } as const;
  expect(await journey.tab.request(frame)).toMatchObject({ ok: false, error: { code: 'not_found' } });
});
