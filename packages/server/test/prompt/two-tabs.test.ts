import { expect, test } from 'vitest';
import type { Tab } from '../support/tab.ts';
import { startServer, useServer } from '../support/use-server.ts';

const server = useServer();

test('[INT4, AGT1, RPL3] two tabs see the form, one answers, both see it, the tool continues, a reload shows the same', async () => {
  const [first, second] = await Promise.all([server.open(), server.open()]);
  const session = await first.createSession();
  await Promise.all([first.follow(session), second.follow(session)]);

  await first.say(session, '/call ask_user {"question":"Tea or coffee?","options":["Tea","Coffee"]}');
  const shown = await Promise.all([first.prompt(session), second.prompt(session)]);
  expect(shown[0]).toEqual(shown[1]);
  const reply = await second.answer(session, shown[1], { action: 'submit', input: { answer: 'Tea' } });
  expect(reply).toMatchObject({ ok: true, result: { seq: expect.any(Number) } });

  for (const tab of [first, second]) {
    const response = await tab.event(session, 'interaction_response');
    expect(response.payload).toMatchObject({ input: { answer: 'Tea' }, by: { clientId: second.clientId } });
    const words = await tab.event(session, 'assistant_done');
    expect(words.payload.text).toBe('ask_user returned: {"ok":true,"answer":"Tea"}');
    await tab.event(session, 'turn_end');
  }

  const reloaded = await server.open({ clientId: first.clientId });
  await reloaded.follow(session);
  expect(reloaded.events(session)).toEqual(first.events(session));
  expect(reloaded.events(session).map((event) => event.seq)).toEqual(
    first.events(session).map((_, index) => index + 1),
  );
});

test('[INT4, INT5] two hundred connections answer at once: one is accepted, 199 learn who won', async () => {
  const tabs = await Promise.all(Array.from({ length: 200 }, () => server.open()));
  const [asker] = tabs as [Tab, ...Tab[]];
  const session = await asker.createSession();
  await Promise.all(tabs.map((tab) => tab.follow(session)));
  await asker.say(session, '/call ask_user {"question":"Which number?"}');
  const prompts = await Promise.all(tabs.map((tab) => tab.prompt(session)));

  const replies = await Promise.all(
    tabs.map((tab, n) => tab.answer(session, prompts[n] as never, { action: 'submit', input: { answer: `tab ${n}` } })),
  );

  const winner = replies.findIndex((reply) => reply.ok);
  const losers = replies.filter((reply) => !reply.ok);
  expect(losers).toHaveLength(199);
  for (const loser of losers) {
    expect(loser).toMatchObject({
      error: {
        code: 'already_answered',
        details: { by: { clientId: tabs[winner]?.clientId }, event: { type: 'interaction_response' } },
      },
    });
  }
  for (const tab of tabs) {
    const response = await tab.event(session, 'interaction_response');
    expect(response.payload.input).toEqual({ answer: `tab ${winner}` });
  }
});

test('[DUR1, FRM6] after kill -9 with an open form the same prompt is answerable, and the turn runs to its end', async () => {
  const own = await startServer();
  const tab = await own.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call plan_trip {}', 'm1');
  const first = await tab.prompt(session);
  await own.restart();
  const back = await own.open();
  await back.follow(session);
  expect(await back.say(session, '/call plan_trip {}', 'm1')).toEqual({ seq: 1 });
  expect((await back.prompt(session)).interactionId).toBe(first.interactionId);
  const cancelled = await back.answer(session, first, { action: 'cancel' });
  expect(cancelled).toMatchObject({ ok: true });
  const words = await back.event(session, 'assistant_done');
  expect(words.payload.text).toContain('plan_trip returned: {"ok":false,"cancelled":true}');
});
