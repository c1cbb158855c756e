import { methods } from '@agentclientprotocol/sdk';
import { joinTab, type PersonTab } from '@parleyhq/client/process';
import { TestServer, useInFile, useInTest } from '@parleyhq/server/testing';
import { expect, onTestFinished, test } from 'vitest';
import { acpEditor } from '../src/editor/index.ts';
import { AcpClient, choose, optionsOf, patience, takenBack } from './acp-client.ts';
import { approval, askFor, asking } from './asking-plugin.ts';

const plugins = [acpEditor, asking];
const server = useInFile(new TestServer({ plugins }));

async function join(sessionId: string): Promise<PersonTab> {
  const tab = await joinTab(server, sessionId);
  onTestFinished(() => tab.close());
  return tab;
}

test('[ACP3] the client of the SDK opens a session, talks, answers, lists and replays', async () => {
  const editor = await AcpClient.open(server);
  const sessionId = await editor.create();
  const ending = editor.prompt(sessionId, askFor({ ...approval, risk: 'high', approvalScopes: ['once', 'session'] }));
  const question = await editor.question(0);
  expect(optionsOf(question)).toEqual(['once allow_once', 'session allow_always', 'deny reject_once']);
  expect(JSON.stringify(question.params)).toContain('make deploy');
  question.answer(choose('session'));
  expect(await ending).toBe('end_turn');
  expect(editor.text('agent_message_chunk')).toBe('ask returned: {"action":"approve","approvalScope":"session"}');
  expect(editor.text('user_message_chunk')).toBe(''); // the editor has its own words

  const other = await AcpClient.open(server);
  const { sessions } = await other.agent.request(methods.agent.session.list, {});
  expect(sessions).toContainEqual(expect.objectContaining({ sessionId, title: 'shop' }));
  const { modes } = (await other.load(sessionId)) ?? {};
  expect(modes).toMatchObject({ currentModeId: 'default' });
  expect(other.updates.map(({ sessionUpdate, status = '' }) => `${sessionUpdate} ${status}`.trim())).toEqual([
    'user_message_chunk',
    'tool_call in_progress',
    'tool_call_update in_progress',
    'tool_call_update completed',
    'agent_message_chunk',
    'session_info_update',
  ]);
  expect(JSON.stringify(other.updates)).toContain('Allowed for this session, by owner (editor)');
});

test('[ACP3] two editors and two tabs are one conversation: all see all, and the first answer is the only one', async () => {
  const [one, two] = [await AcpClient.open(server, { name: 'one' }), await AcpClient.open(server, { name: 'two' })];
  const sessionId = await one.create();
  const [left, right] = [await join(sessionId), await join(sessionId)];
  await two.load(sessionId);
  const ending = one.prompt(sessionId, askFor(approval, approval));
  await expect.poll(() => two.text('user_message_chunk'), patience).toBe(askFor(approval, approval));
  const [first, second] = [await left.prompt(), await left.prompt()];
  const asked = [await one.question(0), await one.question(1), await two.question(0), await two.question(1)];
  asked[2]?.answer(choose('deny')); // the second editor decides the first
  await takenBack(asked[0] as never);
  expect((await right.event('interaction_response')).payload).toMatchObject({
    interactionId: first.interactionId,
    action: 'deny',
    by: { label: 'two' },
  });
  asked[0]?.answer(choose('once')); // too late
  await right.answer(second, { action: 'approve' }); // a tab decides the second
  await Promise.all([takenBack(asked[1] as never), takenBack(asked[3] as never)]);
  expect(await ending).toBe('end_turn');
  expect(left.events('interaction_response')).toHaveLength(2);
  const words = 'ask returned: {"action":"deny"}\nask returned: {"action":"approve","approvalScope":"once"}';
  for (const editor of [one, two]) await expect.poll(() => editor.text('agent_message_chunk'), patience).toBe(words);

  await left.say('Hello from a tab.');
  for (const editor of [one, two])
    await expect.poll(() => editor.text('user_message_chunk'), patience).toContain('Hello from a tab.');
});

test('[ACP3] nothing but an offered option answers', async () => {
  const editor = await AcpClient.open(server);
  const sessionId = await editor.create();
  const tab = await join(sessionId);
  const ending = editor.prompt(sessionId, askFor(approval, approval, approval));
  (await editor.question(0)).answer(choose('always')); // not offered
  (await editor.question(1)).answer({ outcome: { outcome: 'cancelled' } });
  (await editor.question(2)).fail(new Error('no such dialog'));
  await editor.agent.request(methods.agent.session.list, {}); // the server has all three answers
  expect(tab.session.state.head.prompts).toHaveLength(3);
  await tab.session.respondAll(
    tab.session.state.head.prompts.map(({ request }) => request),
    { action: 'approve' },
  );
  expect(await ending).toBe('end_turn');
});

test('[ACP3] a stop cancels the turn and takes its questions back', async () => {
  const editor = await AcpClient.open(server);
  const sessionId = await editor.create();
  const running = editor.prompt(sessionId, askFor(approval));
  const question = await editor.question(0);
  const tab = await join(sessionId);
  const queued = editor.prompt(sessionId, 'And then?');
  await tab.event('message_queued');
  const takeBack = new AbortController();
  const taken = editor.prompt(sessionId, 'No.', takeBack.signal);
  await tab.event('message_queued', ({ payload }) => payload.text === 'No.');
  takeBack.abort(); // of a prompt that waits: the turn before it goes on
  expect(await taken).toBe('cancelled');
  expect(question.signal.aborted).toBe(false);
  await editor.cancel(sessionId);
  expect(await Promise.all([running, queued])).toEqual(['cancelled', 'cancelled']);
  await takenBack(question);
});

test('[ACP3] prompts outlive the editor, and are asked again when it loads the session', async () => {
  const editor = await AcpClient.open(server);
  const sessionId = await editor.create();
  const tab = await join(sessionId);
  editor.prompt(sessionId, askFor(approval)).catch(() => undefined); // its connection ends first
  await editor.question(0);
  editor.close();
  const next = await AcpClient.open(server);
  await next.load(sessionId);
  (await next.question(0)).answer(choose('once'));
  expect((await tab.event('interaction_response')).payload).toMatchObject({
    action: 'approve',
    by: { label: 'editor' },
  });
  await tab.event('turn_end');

  await next.agent.request(methods.agent.session.resume, { sessionId, cwd: '/', mcpServers: [] });
  expect(next.text('user_message_chunk')).toBe(askFor(approval)); // a resume repeats nothing
});

test('[ACP3] a session that is opened once more asks again, and the prompt still ends with its turn', async () => {
  const editor = await AcpClient.open(server);
  const sessionId = await editor.create();
  const ending = editor.prompt(sessionId, askFor(approval));
  const first = await editor.question(0);
  await editor.agent.request(methods.agent.session.resume, { sessionId, cwd: '/', mcpServers: [] });
  await takenBack(first);
  const second = await editor.question(1);
  const loading = editor.load(sessionId);
  second.answer(choose('once')); // while it is loaded: it was taken back, or counts
  await loading;
  await expect.poll(() => editor.questions[2] ?? editor.text('agent_message_chunk'), patience).toBeTruthy();
  editor.questions[2]?.answer(choose('once'));
  expect(await ending).toBe('end_turn');
});

test('[ACP3] forms and addresses are elicitations, and values that do not fit are asked for again', async () => {
  const editor = await AcpClient.open(server);
  const sessionId = await editor.create();
  const fields = [
    { id: 'name', type: 'text', label: 'Name', required: true, pattern: '[A-Z].*' },
    { id: 'size', type: 'number', min: 1 },
  ];
  const form = { type: 'input', title: 'Who?', inputSchema: { type: 'form', fields } };
  const ending = editor.prompt(
    sessionId,
    askFor(form, { type: 'url', title: 'Sign in', url: 'https://example.org/x' }),
  );
  const asked = await editor.question(0);
  expect([asked.method, asked.params]).toMatchObject([
    'elicitation',
    { mode: 'form', requestedSchema: { required: ['name'], properties: { size: { type: 'number', minimum: 1 } } } },
  ]);
  (await editor.question(1)).answer({ action: 'accept' });
  asked.answer({ action: 'accept', content: { name: 'ann', size: 2 } });
  const again = await editor.question(2);
  expect(again.params.message).toMatch(/Your answer was not taken/);
  again.answer({ action: 'accept', content: { name: 'Ann', size: 2 } });
  expect(await ending).toBe('end_turn');
  expect(editor.text('agent_message_chunk')).toBe(
    'ask returned: {"action":"submit","input":{"name":"Ann","size":2}}\nask returned: {"action":"approve"}',
  );
});

test('[ACP3] what an editor cannot show is a no or an address, never a weaker question', async () => {
  const editor = await AcpClient.open(server, { showsForms: false });
  const sessionId = await editor.create();
  const secret = { type: 'form', fields: [{ id: 'key', type: 'secret', required: true }] };
  const tab = await join(sessionId);
  const ending = editor.prompt(
    sessionId,
    askFor({ ...approval, decide: { approve: 2 } }, { type: 'input', title: 'Key?', inputSchema: secret }),
  );
  for (const index of [0, 1]) {
    const question = await editor.question(index);
    expect(optionsOf(question)).toEqual(['open reject_once']);
    expect(JSON.stringify(question.params)).toContain(`${server.url}/s/${sessionId}/`);
    question.answer(choose('open'));
  }
  await editor.agent.request(methods.agent.session.list, {});
  expect(tab.session.state.head.prompts).toHaveLength(2);
  await editor.cancel(sessionId);
  expect(await ending).toBe('cancelled');
});

test('[ACP3, OPS3] a server that stops closes the socket, and the next one has the session and its question', async () => {
  const own = await useInTest(new TestServer({ plugins }));
  const editor = await AcpClient.open(own);
  const sessionId = await editor.create();
  editor.prompt(sessionId, askFor({ ...approval, onUnavailable: 'wait' })).catch(() => undefined);
  await editor.question(0);
  await own.restart();
  await editor.closed;
  const next = await AcpClient.open(own);
  await next.load(sessionId);
  (await next.question(0)).answer(choose('once'));
  await expect.poll(() => next.text('agent_message_chunk'), patience).toContain('"action":"approve"');
});

test('[ACP3] a mode chosen in one editor is the mode of all', async () => {
  const [one, two] = [await AcpClient.open(server), await AcpClient.open(server)];
  const sessionId = await one.create();
  await two.load(sessionId);
  await one.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'plan' });
  const news = { sessionUpdate: 'current_mode_update', currentModeId: 'plan' };
  for (const editor of [one, two]) await expect.poll(() => editor.updates, patience).toContainEqual(news);
});
