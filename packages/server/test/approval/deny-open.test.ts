import { definePlugin, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import { Journey, loadPlugin, loadShippedPlugin } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const plugins = [await loadShippedPlugin('ask-user'), await loadPlugin('approve.mjs')];
const server = useLocalServer({ plugins });
const text = 'Stop asking, write a plan first.';

async function begin() {
  const journey = await Journey.begin(server);
  const calls = ['/call guarded {"path":"a"}', '/call ask_user {"question":"Which?"}'];
  await journey.tab.say(journey.session, calls.join('\n'));
  const prompts = await journey.prompts(2);
  const deny = (messageId: string, words = text) =>
    journey.tab.request({ type: 'deny_open', sessionId: journey.session, messageId, text: words });
  return { journey, prompts, deny };
}

test('[REV5] one act denies what the turn asks, tells the model why, and sends the words as the next message', async () => {
  const { journey, deny } = await begin();
  const reply = await deny('m-1');
  expect(reply).toMatchObject({ ok: true, result: { seq: expect.any(Number), queued: true } });
  await journey.event('user_message', ({ payload }) => payload.text === text);
  const responses = journey.events('interaction_response').map(({ payload }) => payload);
  expect(responses.map(({ action }) => action).sort()).toEqual(['cancel', 'deny']); // a form can only be cancelled
  expect(responses.map(({ reason }) => reason)).toEqual([text, text]);
  const results = journey.events('tool_result').map(({ payload }) => payload);
  expect(results).toHaveLength(2);
  for (const result of results) expect(JSON.stringify(result)).toContain(text);
  const [queued] = journey.events('message_queued');
  const seqs = journey.events('interaction_response').map(({ seq }) => seq);
  expect(seqs).toEqual([queued!.seq + 1, queued!.seq + 2]);
  expect(await deny('m-1')).toEqual({ ...reply, requestId: expect.any(String) }); // a repeat gets the same reply
  expect(journey.events('message_queued')).toHaveLength(1);
});

test('[REV5] without open prompts, or without words, it is refused and nothing is sent', async () => {
  const { journey, prompts, deny } = await begin();
  expect(await deny('m-2', ' ')).toMatchObject({ ok: false, error: { code: 'invalid' } });
  expect(await deny('m-3', 'x'.repeat(10_001))).toMatchObject({ ok: false, error: { code: 'bad_frame' } });
  for (const prompt of prompts) await journey.answer(prompt, { action: 'cancel' });
  await journey.event('turn_end');
  expect(await deny('m-4')).toMatchObject({ ok: false, error: { code: 'not_found' } });
  expect(journey.events('message_queued')).toEqual([]);
});

test('[REV5] a frame that arrives after its turn denies nothing', async () => {
  const { journey } = await begin();
  const frame = { type: 'deny_open', sessionId: journey.session, messageId: 'm-5', turnId: 'earlier', text } as const;
  expect(await journey.tab.request(frame)).toMatchObject({ ok: false, error: { code: 'not_found' } });
  const { turnId } = journey.events('turn_start')[0]!;
  expect(await journey.tab.request({ ...frame, turnId })).toMatchObject({ ok: true });
});

test('[REV5, TEAM1] what somebody may not see or answer stays open, as if nothing were asked', async () => {
  const secret = {
    name: 'secret',
    description: 'Asks Ann alone.',
    parameters: { type: 'object' },
    handler: (_: Record<string, unknown>, ctx: ToolContext) =>
      ctx.approve({ key: 'it', title: 'Allow?', audience: { principals: ['Ann'] }, visibility: 'audience' }),
  };
  const guarded = await startGuardedServer({ plugins: [definePlugin({ name: 'desk', tools: [secret] })] });
  const ann = await guarded.enter({ role: 'responder', name: 'Ann' });
  const bob = await guarded.enter({ role: 'responder', name: 'Bob' });
  const session = await ann.createSession();
  await bob.follow(session);
  await ann.follow(session);
  await ann.say(session, '/call secret {}');
  const hidden = await ann.prompt(session);
  const deny = () => bob.request({ type: 'deny_open', sessionId: session, messageId: 'm', text });
  expect(await deny()).toMatchObject({ ok: false, error: { code: 'not_found' } });
  expect(await ann.answer(session, hidden, { action: 'approve' })).toMatchObject({ ok: true });
});
