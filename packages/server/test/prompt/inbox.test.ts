import { expect, test } from 'vitest';
import type { ServerProcess } from '../support/server-process.ts';
import { startServer, useServer } from '../support/use-server.ts';

const server = useServer();

const ask = '/call ask_user {"question":"Well?"}';

test('[FRM1, INT14] tabs that do not follow a session are notified of its prompts and their ends; followers are not', async () => {
  const [follower, bystander] = await Promise.all([server.open(), server.open()]);
  const session = await follower.createSession();
  await follower.follow(session);
  await follower.say(session, ask);
  const opened = await bystander.waitFor('interaction_opened');
  const prompt = await follower.prompt(session);
  expect(opened).toEqual({
    type: 'interaction_opened',
    sessionId: session,
    sessionTitle: 'New session',
    interaction: prompt,
    askedAt: (await follower.event(session, 'interaction_request')).timestamp,
  });
  const reply = await bystander.answer(session, opened.interaction, {
    action: 'submit',
    input: { answer: 'from afar' },
  });
  expect(reply).toMatchObject({ ok: true });
  expect(await bystander.waitFor('interaction_settled')).toEqual({
    type: 'interaction_settled',
    sessionId: session,
    interactionId: prompt.interactionId,
    status: 'answered',
  });
  await follower.event(session, 'turn_end');
  expect(follower.frames.filter(({ type }) => type.startsWith('interaction_'))).toEqual([]);
  expect(bystander.events(session)).toEqual([]);
});

test('[FRM1] the inbox is notified of a stop and of a deleted session, each with its own reason', async () => {
  const [actor, bystander] = await Promise.all([server.open(), server.open()]);
  const settled = (sessionId: string, status: string) =>
    bystander.until(
      (frame) => frame.type === 'interaction_settled' && frame.sessionId === sessionId && frame.status === status,
    );
  const [stopped, ended] = [await actor.createSession(), await actor.createSession()];
  for (const sessionId of [stopped, ended]) {
    await actor.say(sessionId, ask);
    await bystander.until((frame) => frame.type === 'interaction_opened' && frame.sessionId === sessionId);
  }
  await actor.ask({ type: 'cancel_turn', sessionId: stopped });
  await settled(stopped, 'cancelled');
  await actor.ask({ type: 'delete_session', sessionId: ended });
  await settled(ended, 'session_ended');
});

test('[FRM2, DUR1] welcome.open is the inbox over all sessions, also after a restart', async () => {
  const own = await startServer();
  const tab = await own.open();
  const sessions = [await tab.createSession(), await tab.createSession()];
  for (const sessionId of sessions) {
    await tab.say(sessionId, ask);
    await tab.until((frame) => frame.type === 'interaction_opened' && frame.sessionId === sessionId);
  }
  const opened = tab.frames.flatMap((frame) =>
    frame.type === 'interaction_opened'
      ? [
          {
            sessionId: frame.sessionId,
            sessionTitle: frame.sessionTitle,
            interaction: frame.interaction,
            askedAt: frame.askedAt,
          },
        ]
      : [],
  );
  const openOf = async (at: ServerProcess) => (await (await at.open()).waitFor('welcome')).open;
  expect(await openOf(own)).toEqual(opened);
  await own.restart();
  const again = await openOf(own);
  expect(again).toHaveLength(2);
  expect(again).toEqual(expect.arrayContaining(opened));
  const back = await own.open();
  const [{ sessionId, interaction }] = opened as [(typeof opened)[0]];
  expect(await back.answer(sessionId, interaction, { action: 'submit', input: { answer: 'a' } })).toMatchObject({
    ok: true,
  });
  expect(await openOf(own)).toHaveLength(1);
});
