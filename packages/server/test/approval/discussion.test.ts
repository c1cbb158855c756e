import { definePlugin, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import { loadShippedPlugin } from '../support/journey.ts';
import { startServer } from '../support/use-server.ts';

const secret = {
  name: 'secret',
  description: 'Asks Ann alone.',
  parameters: { type: 'object' },
  handler: (_: Record<string, unknown>, ctx: ToolContext) =>
    ctx.approve({ key: 'it', title: 'Open it?', audience: { principals: ['Ann'] }, visibility: 'audience' }),
};

async function open(call = '/call ask_user {"question":"Which branch?"}') {
  const plugins = [await loadShippedPlugin('ask-user'), definePlugin({ name: 'secrets', tools: [secret] })];
  const server = await startGuardedServer({ plugins });
  const owner = await server.enter();
  const ann = await server.enter({ role: 'responder', name: 'Ann' });
  const session = await owner.createSession();
  for (const tab of [owner, ann]) await tab.follow(session);
  await owner.say(session, call);
  const { interactionId } = await ann.prompt(session);
  const say = (tab: typeof owner, commentId: string, text: string, replyTo?: string) =>
    tab.request({ type: 'comment_interaction', sessionId: session, interactionId, commentId, text, replyTo });
  return { server, owner, ann, session, interactionId, say };
}

test('[REV4] what people say under a prompt reaches every tab, and the prompt stays open', async () => {
  const { owner, ann, session, interactionId, say } = await open();
  const asked = await say(ann, 'k-1', 'Why now?');
  expect(asked).toMatchObject({ ok: true, result: { seq: expect.any(Number) } });
  const { payload } = await owner.event(session, 'interaction_comment');
  expect(payload).toMatchObject({ interactionId, commentId: 'k-1', text: 'Why now?', by: { name: 'Ann' } });
  await say(owner, 'k-2', 'The release is due.', 'k-1');
  const reply = await ann.event(session, 'interaction_comment', (event) => event.payload.commentId === 'k-2');
  expect(reply.payload).toMatchObject({ replyTo: 'k-1' });
  const prompt = await ann.prompt(session);
  expect(await ann.answer(session, prompt, { action: 'submit', input: { answer: 'main' } })).toMatchObject({
    ok: true,
  });
  expect(await say(ann, 'k-3', 'Too late.')).toMatchObject({ ok: false, error: { code: 'closed' } });
});

test('[REV4, FRM6] a repeated comment is stored once; another under its id is refused', async () => {
  const { owner, ann, session, say } = await open();
  const [first, twin] = await Promise.all([say(ann, 'k-1', 'Why?'), say(ann, 'k-1', 'Why?')]);
  expect(twin).toEqual({ ...first, requestId: expect.any(String) });
  expect(await say(ann, 'k-1', 'Why?')).toEqual({ ...first, requestId: expect.any(String) });
  expect(await say(ann, 'k-1', 'What?')).toMatchObject({ ok: false, error: { code: 'idempotency_conflict' } });
  expect(await say(owner, 'k-1', 'Why?')).toMatchObject({ ok: false, error: { code: 'idempotency_conflict' } });
  expect(owner.events(session).filter(({ type }) => type === 'interaction_comment')).toHaveLength(1);
});

test('[REV4, TEAM1, SEC4] nobody comments on what they may not see, and no viewer on anything', async () => {
  const { server, ann, session, say } = await open('/call secret {}');
  expect(await say(ann, 'k-1', 'Only we two know.')).toMatchObject({ ok: true });
  const bob = await server.enter({ role: 'responder', name: 'Bob' });
  await bob.follow(session);
  expect(await say(bob, 'k-2', 'And I?')).toMatchObject({ ok: false, error: { code: 'not_found' } });
  expect(JSON.stringify(bob.events(session))).not.toContain('Only we two');
  const guest = await server.enter({ role: 'viewer' });
  expect(await say(guest, 'k-3', 'Hello.')).toMatchObject({ ok: false, error: { code: 'forbidden' } });
});

test('[REV4] an unknown prompt, an unknown comment to answer and a blank text are refused', async () => {
  const { owner, session, interactionId, say } = await open();
  const frame = { type: 'comment_interaction', sessionId: session, commentId: 'k', text: 'Hello.' } as const;
  const unknown = await owner.request({ ...frame, interactionId: `${interactionId}9` });
  expect(unknown).toMatchObject({ ok: false, error: { code: 'not_found' } });
  expect(await say(owner, 'k-1', 'Yes.', 'k-0')).toMatchObject({ ok: false, error: { code: 'not_found' } });
  expect(await say(owner, 'k-1', '  ')).toMatchObject({ ok: false, error: { code: 'invalid' } });
});

test('[REV4, DUR1] comments survive a kill, and so does the reply to a repeated one', async () => {
  const server = await startServer();
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call ask_user {"question":"Which branch?"}');
  const { interactionId } = await tab.prompt(session);
  const frame = {
    type: 'comment_interaction',
    sessionId: session,
    interactionId,
    commentId: 'k',
    text: 'Why?',
  } as const;
  const first = await tab.request(frame);
  await server.restart();
  const again = await server.open();
  expect(await again.request(frame)).toEqual({ ...first, requestId: expect.any(String) });
  const events = await again.follow(session, { tail: 100 }).then(() => again.events(session));
  expect(events.filter(({ type }) => type === 'interaction_comment')).toHaveLength(1);
});
