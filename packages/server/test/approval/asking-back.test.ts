import {
  definePlugin,
  type InteractionComment,
  type InteractionDemand,
  limits,
  type Tool,
  type ToolContext,
} from '@parleyhq/core';
import { callTool, type SentBody, say } from '@parleyhq/plugin-anthropic/testing';
import { expect, test, vi } from 'vitest';
import { waitForSleeps } from '../restart/sleeps.ts';
import { type LocalServer, startLocalServer } from '../support/local-server.ts';
import { startModelServer } from '../support/model-server.ts';
import type { Tab } from '../support/tab.ts';

const wait = { type: 'approval', title: 'Release 2.1?', timeoutMs: null, onUnavailable: 'wait' } as const;

function ask(name: string, onComment: unknown, more: Partial<Tool> = {}): Tool {
  const handler = (_: unknown, ctx: ToolContext) =>
    ctx.requestInteraction({ ...wait, ...(onComment !== undefined && { onComment }) } as InteractionDemand);
  return { name, description: 'Asks.', parameters: { type: 'object' }, handler, ...more };
}

interface Asked {
  readonly local: LocalServer;
  readonly tab: Tab;
  readonly session: string;
  readonly interactionId: string;
  comment(commentId: string, text: string, tab?: Tab): Promise<unknown>;
  reply(replyTo: string, tab?: Tab): Promise<unknown>;
}

async function open(tool: Tool, hibernateAfterMs = 3_600_000): Promise<Asked> {
  const local = await startLocalServer({
    plugins: [definePlugin({ name: 'asker', tools: [tool] })],
    durations: { hibernateAfterMs, restartGraceMs: 300, stopMs: 200 },
  });
  const tab = await local.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, `/call ${tool.name} {}`);
  const { interactionId } = await tab.prompt(session);
  const comment = (commentId: string, text: string, by = tab) =>
    by.request({ type: 'comment_interaction', sessionId: session, interactionId, commentId, text });
  const reply = async (replyTo: string, by = tab) =>
    (await by.event(session, 'interaction_comment', (event) => event.payload.replyTo === replyTo)).payload;
  return { local, tab, session, interactionId, comment, reply };
}

const approve = { action: 'approve' } as const;

test('[REV4] a tool replies to a comment by its hook, and its prompt stays open', async () => {
  const heard: InteractionComment[] = [];
  const onComment = (comment: InteractionComment) => {
    heard.push(comment);
    return { reply: `You asked: ${comment.text}` };
  };
  const { tab, session, interactionId, comment, reply } = await open(ask('release', onComment));
  await comment('k-1', 'Is it tested?');
  expect(await reply('k-1')).toMatchObject({
    interactionId,
    text: 'You asked: Is it tested?',
    isAskers: true,
    by: { name: 'release', transport: 'tool' },
  });
  expect(heard).toEqual([
    expect.objectContaining({ interactionId, commentId: 'k-1', text: 'Is it tested?', at: expect.any(String) }),
  ]);
  expect(await tab.prompt(session)).toMatchObject({ commentsTo: 'tool' });
  await tab.answer(session, await tab.prompt(session), approve);
  expect((await tab.event(session, 'tool_result')).payload.result).toMatchObject({ action: 'approve' });
  expect(heard).toHaveLength(1); // it is not called with its own reply
});

test.each([
  ['says nothing', () => undefined],
  ['fails', () => Promise.reject(new Error('no words'))],
  ['returns something else', () => ({ complete: true })],
  ['returns a blank reply', () => ({ reply: ' ' })],
])('[REV4, PLG8] a hook that %s settles nothing', async (_, onComment) => {
  const called = vi.fn(onComment as () => unknown);
  const { tab, session, comment } = await open(ask('release', called));
  await comment('k-1', 'Is it tested?');
  await vi.waitFor(() => expect(called).toHaveBeenCalledOnce());
  await tab.answer(session, await tab.prompt(session), approve);
  expect((await tab.event(session, 'tool_result')).payload.result).toMatchObject({ action: 'approve' });
  const replies = tab.events(session).filter(({ payload }) => 'isAskers' in payload);
  expect(replies).toEqual([]);
});

test('[REV4, DUR10] a comment wakes a sleeping call once, even if nothing was replied', async () => {
  const heard: string[] = [];
  const onComment = ({ commentId }: InteractionComment) => void heard.push(commentId);
  const { local, tab, session, comment } = await open(ask('release', onComment, { hibernates: true }), 50);
  await waitForSleeps(local.url, 1);
  await comment('k-1', 'Is it tested?');
  await vi.waitFor(() => expect(heard).toEqual(['k-1']));
  await waitForSleeps(local.url, 2);
  await comment('k-2', 'Where?');
  await waitForSleeps(local.url, 3);
  expect(heard).toEqual(['k-1', 'k-2']);
  await local.restart();
  const again = await local.open();
  await again.follow(session, { tail: 100 });
  await again.answer(session, await tab.prompt(session), approve);
  expect((await again.event(session, 'tool_result')).payload.result).toMatchObject({ action: 'approve' });
  expect(heard).toEqual(['k-1', 'k-2']);
});

test('[REV4] comments are handled one after another, and the replies have their order', async () => {
  let running = 0;
  const atOnce: number[] = [];
  const onComment = async ({ text }: InteractionComment) => {
    atOnce.push(++running);
    await new Promise(setImmediate);
    running -= 1;
    return { reply: text };
  };
  const { comment, reply } = await open(ask('release', onComment));
  await Promise.all(['k-1', 'k-2', 'k-3'].map((id) => comment(id, id)));
  const replies = await Promise.all(['k-1', 'k-2', 'k-3'].map((id) => reply(id)));
  expect(replies).toMatchObject([{ text: 'k-1' }, { text: 'k-2' }, { text: 'k-3' }]);
  expect(atOnce).toEqual([1, 1, 1]);
});

test('[REV4] nobody can suppress the reply of a hook by a comment of their own under its id', async () => {
  let finish: (outcome: object) => void = () => undefined;
  const onComment = () => new Promise((resolve) => (finish = resolve));
  const { tab, session, comment, reply } = await open(ask('release', onComment));
  await comment('k-1', 'Is it tested?');
  const { id } = await tab.event(session, 'interaction_comment');
  expect(await comment(`reply:${id}`, 'Yes, all of it.')).toMatchObject({ ok: false, error: { code: 'bad_frame' } });
  finish({ reply: 'No.' });
  expect(await reply('k-1')).toMatchObject({ text: 'No.', isAskers: true });
});

test('[REV4, PLG4] the time that a tool has for its own work passes while a hook replies', async () => {
  const slow: Tool = {
    ...ask('slow', undefined),
    timeoutMs: 300,
    handler: async (_: unknown, ctx: ToolContext) => {
      await ctx.requestInteraction({
        ...wait,
        onComment: () => new Promise(() => undefined), // until its own time is up
      } as InteractionDemand);
      await new Promise((resolve) => setTimeout(resolve, 450));
    },
  };
  const { tab, session, comment } = await open(slow);
  await comment('k-1', 'Is it tested?');
  await tab.answer(session, await tab.prompt(session), approve);
  expect((await tab.event(session, 'tool_result')).payload.error).toMatchObject({ code: 'tool_timeout' });
});

test('[REV4] whoever asks can reply although people have used up their comments', async () => {
  const { interactionId, comment, reply } = await open(
    ask('release', ({ text }: InteractionComment) => (text === 'last' ? { reply: 'Yes.' } : undefined)),
  );
  for (let n = 1; n < limits.comments; n += 1) await comment(`k-${n}`, `${n}`);
  await comment('k-last', 'last');
  expect(await reply('k-last')).toMatchObject({ interactionId, text: 'Yes.' });
  expect(await comment('k-more', 'more')).toMatchObject({ ok: false, error: { code: 'invalid' } });
});

test('[REV4] the request says whether anybody can reply', async () => {
  const { tab, session } = await open(ask('mute', undefined));
  expect(await tab.prompt(session)).not.toHaveProperty('commentsTo');
});

test('[REV4, DUR10] a comment wakes a sleeping call, which replies and sleeps again', async () => {
  const onComment = ({ text }: InteractionComment) => ({ reply: `You asked: ${text}` });
  const { local, tab, session, comment, reply } = await open(ask('release', onComment, { hibernates: true }), 50);
  await waitForSleeps(local.url, 1);
  await comment('k-1', 'Is it tested?');
  expect(await reply('k-1')).toMatchObject({ text: 'You asked: Is it tested?' });
  await waitForSleeps(local.url, 2);
  await comment('k-2', 'Where?');
  expect(await reply('k-2')).toMatchObject({ text: 'You asked: Where?' });
  const replies = tab.events(session).filter(({ payload }) => 'isAskers' in payload);
  expect(replies).toHaveLength(2); // the first was not repeated
  await tab.answer(session, await tab.prompt(session), approve);
  expect((await tab.event(session, 'tool_result')).payload.result).toMatchObject({ action: 'approve' });
});

test.each([true, false])(
  '[REV4, DUR1] after a restart a comment without a reply is passed on again (hibernates: %s)',
  async (hibernates) => {
    let isReady = false;
    const called = vi.fn(({ text }: InteractionComment) =>
      isReady ? { reply: `You asked: ${text}` } : new Promise<undefined>(() => undefined),
    );
    const { local, session, comment, reply } = await open(ask('release', called, { hibernates }));
    await comment('k-1', 'Is it tested?');
    await vi.waitFor(() => expect(called).toHaveBeenCalledOnce());
    isReady = true;
    await local.restart();
    const tab = await local.open();
    await tab.follow(session, { tail: 100 });
    expect(await reply('k-1', tab)).toMatchObject({ text: 'You asked: Is it tested?' });
    await tab.answer(session, await tab.prompt(session), approve);
    expect((await tab.event(session, 'tool_result')).payload.result).toMatchObject({ action: 'approve' });
  },
);

test('[REV4] the agent replies by a separate request with the same conversation and without tools', async () => {
  const model = await startModelServer();
  model.api.script({ content: [callTool('first', 'ask_user', { question: 'Which branch?' })] });
  await model.say('go');
  const { tab, session } = model.journey;
  const { interactionId } = await tab.prompt(session);
  const isSide = ({ tool_choice }: SentBody) => tool_choice?.type === 'none';
  model.api.otherwise((body) => ({ content: [say(isSide(body) ? 'The release branch.' : 'Done.')] }));
  await tab.request({
    type: 'comment_interaction',
    sessionId: session,
    interactionId,
    commentId: 'k-1',
    text: 'Which do you mean?',
  });
  const { payload } = await tab.event(session, 'interaction_comment', (event) => event.payload.replyTo === 'k-1');
  expect(payload).toMatchObject({ text: 'The release branch.', isAskers: true, by: { name: 'anthropic' } });
  const side = (await model.request(2)).body;
  expect(side.tools).not.toEqual([]);
  const asked = JSON.stringify(side.messages.at(-1));
  expect(asked).toContain('Which do you mean?');
  expect(asked).toContain('Not decided yet');
  await tab.answer(session, await tab.prompt(session), {
    action: 'submit',
    input: { answer: 'main' },
  });
  expect(await model.end()).toMatchObject({ status: 'completed' });
  const after = JSON.stringify((await model.request(3)).body.messages);
  expect(after).not.toContain('Which do you mean?');
  expect(after).not.toContain('The release branch.');
});
