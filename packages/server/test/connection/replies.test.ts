import { expect, test } from 'vitest';
import type { Tab } from '../support/tab.ts';
import { startServer, useServer } from '../support/use-server.ts';

const server = useServer();

const repliesTo = (tab: Tab, requestId: string) =>
  tab.frames.filter((frame) => frame.type === 'reply' && frame.requestId === requestId);

test('[FRM1] every request gets exactly one reply, with the result that the protocol names', async () => {
  const tab = await server.open();
  const sessionId = await tab.createSession();
  await tab.follow(sessionId);
  const { seq } = await tab.say(sessionId, '/call ask_user {"question":"Well?"}');
  expect(seq).toBe(1);
  const prompt = await tab.prompt(sessionId);
  expect(await tab.ask({ type: 'user_message', sessionId, messageId: 'q1', text: 'next' })).toEqual({
    seq: expect.any(Number),
    queued: true,
  });
  const empty = [
    { type: 'edit_queued', sessionId, messageId: 'q1', text: 'later' },
    { type: 'draft', sessionId, interactionId: prompt.interactionId, values: { answer: 'half' } },
    { type: 'remove_queued', sessionId, messageId: 'q1' },
    { type: 'update_session', sessionId, title: 'Named' },
    { type: 'set_interaction_mode', enabled: true },
    { type: 'subscribe', sessionId },
    { type: 'unsubscribe', sessionId },
  ] as const;
  for (const frame of empty) expect([frame.type, (await tab.ask(frame)) ?? {}]).toEqual([frame.type, {}]);
  await tab.follow(sessionId);
  expect(await tab.answer(sessionId, prompt, { action: 'submit', input: { answer: 'a' } })).toMatchObject({
    result: { seq: (await tab.event(sessionId, 'interaction_response')).seq },
  });
  await tab.event(sessionId, 'turn_end');
  expect(await tab.ask({ type: 'read_events', sessionId, before: 3, limit: 10 })).toEqual({
    events: tab.eventsSinceSnapshot(sessionId).slice(0, 2),
  });
  const { sessions } = await tab.ask<{ sessions: object[] }>({ type: 'list_sessions' });
  expect(sessions).toContainEqual(expect.objectContaining({ id: sessionId, title: 'Named', status: 'idle' }));
  expect((await tab.ask({ type: 'delete_session', sessionId })) ?? {}).toEqual({});
  const ids = tab.frames.flatMap((frame) => (frame.type === 'reply' ? [frame.requestId] : []));
  expect(new Set(ids).size).toBe(ids.length);
});

test('[FRM1] a refusal without requestId is an error frame, not a reply', async () => {
  const tab = await server.open();
  tab.send({ type: 'cancel_turn', sessionId: await tab.createSession() });
  expect(await tab.waitFor('error')).toMatchObject({ code: 'no_turn', message: expect.any(String) });
  tab.send({ type: 'subscribe', sessionId: 'nobody' });
  await tab.until((frame) => frame.type === 'error' && frame.code === 'not_found');
  expect(tab.frames.filter((frame) => frame.type === 'reply')).toHaveLength(1);
});

test('[FRM1] success without requestId is silent', async () => {
  const tab = await server.open();
  tab.send({ type: 'create_session' });
  await tab.waitFor('session_created');
  tab.send({ type: 'ping' });
  await tab.waitFor('pong');
  expect(tab.frames.filter((frame) => frame.type === 'reply')).toEqual([]);
});

test('[FRM6] one messageId sent by many tabs at once, again and again, is one message with one reply', async () => {
  const tabs = await Promise.all(Array.from({ length: 8 }, () => server.open()));
  const [first] = tabs as [Tab, ...Tab[]];
  const session = await first.createSession();
  await first.follow(session);
  const send = () =>
    Promise.all(tabs.flatMap((tab) => [tab.say(session, 'hello', 'm'), tab.say(session, 'hello', 'm')]));
  const replies = [...(await send()), ...(await send())];
  await first.event(session, 'turn_end');
  expect(new Set([...replies, ...(await send())].map((reply) => JSON.stringify(reply)))).toEqual(
    new Set(['{"seq":1}']),
  );
  expect(first.events(session).filter(({ type }) => type === 'user_message' || type === 'message_queued')).toHaveLength(
    1,
  );
});

test('[FRM6] two frames of one messageId in one packet are one message', async () => {
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  const frame = { type: 'user_message', sessionId: session, messageId: 'm', text: 'hello' };
  tab.sendTogether(['r1', 'r2', 'r3'].map((requestId) => ({ ...frame, requestId })));
  for (const requestId of ['r1', 'r2', 'r3']) {
    await tab.until((candidate) => candidate.type === 'reply' && candidate.requestId === requestId);
    expect(repliesTo(tab, requestId)).toMatchObject([{ ok: true, result: { seq: 1 } }]);
  }
  await tab.event(session, 'turn_end');
  expect(tab.events(session).map(({ type }) => type)).toEqual([
    'user_message',
    'turn_start',
    'assistant_done',
    'turn_end',
  ]);
});

test('[FRM6, INT5] one answerId sent at once, again, and after a restart gets one seq', async () => {
  const own = await startServer();
  const tab = await own.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call ask_user {"question":"Well?"}');
  const prompt = await tab.prompt(session);
  const answer = { answerId: 'a1', action: 'submit', input: { answer: 'yes' } };
  const replies = await Promise.all(Array.from({ length: 5 }, () => tab.answer(session, prompt, answer)));
  await tab.event(session, 'turn_end');
  replies.push(await tab.answer(session, prompt, answer));
  await own.restart();
  const back = await own.open();
  replies.push(await back.answer(session, prompt, answer));
  const { seq } = await tab.event(session, 'interaction_response');
  for (const reply of replies) expect(reply).toMatchObject({ ok: true, result: { seq } });
  expect(await back.answer(session, prompt, { ...answer, input: { answer: 'no' } })).toMatchObject({
    ok: false,
    error: { code: 'idempotency_conflict' },
  });
});

test('[FRM6, INT5] answers in one packet get one seq if they repeat, and the winner if they differ', async () => {
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call ask_user {"question":"Well?"}');
  const prompt = await tab.prompt(session);
  const { toolCallId: callId, interactionId, digest } = prompt;
  const answers = [
    { requestId: 'first', answerId: 'a1', input: { answer: 'yes' } },
    { requestId: 'repeat', answerId: 'a1', input: { answer: 'yes' } },
    { requestId: 'late', answerId: 'a2', input: { answer: 'no' } },
  ];
  const frame = {
    type: 'tool_interaction_response',
    sessionId: session,
    callId,
    interactionId,
    digest,
    action: 'submit',
  };
  tab.sendTogether(answers.map((each) => ({ ...frame, ...each })));
  const { seq } = await tab.event(session, 'interaction_response');
  const replyTo = (requestId: string) =>
    tab.until((candidate) => candidate.type === 'reply' && candidate.requestId === requestId);
  for (const requestId of ['first', 'repeat']) expect(await replyTo(requestId)).toMatchObject({ result: { seq } });
  expect(await replyTo('late')).toMatchObject({ ok: false, error: { code: 'already_answered' } });
});

test('[FRM6] a queued message and its repeat reply queued, even if it has run meanwhile', async () => {
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/stream 20 10');
  const queued = await tab.say(session, 'next', 'm2');
  expect(queued).toMatchObject({ queued: true });
  await tab.event(session, 'user_message', ({ payload }) => payload.messageId === 'm2');
  expect(await tab.say(session, 'next', 'm2')).toEqual(queued);
});
