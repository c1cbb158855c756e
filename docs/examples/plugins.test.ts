import { startParley } from '@parleyhq/client/process';
import { submit } from '@parleyhq/core/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { pathOf, startInTest, Talk } from './test/talk.ts';

const files = [
  'hello.mjs',
  'release.ts',
  'sign-up.ts',
  'review.ts',
  'deploy.ts',
  'booking.ts',
  'interview.ts',
  'notes.ts',
  'parrot.ts',
  'stars.ts',
  'invoice.ts',
  'moving.ts',
];

const server = await startParley({ plugins: files.map(pathOf) });
afterAll(() => server.stop());

test('[PLG1, PLG4] hello: a plugin without an import asks and says hello', async () => {
  const talk = await Talk.begin(server, '/call greet');
  await talk.answer(submit({ name: 'Ada' }));
  expect(await talk.result()).toBe('Hello, Ada!');
});

describe('release', () => {
  test('[APR1] an approval for the session is asked for only once', async () => {
    const talk = await Talk.begin(server, '/call publish {"version":"1.2.3"}');
    const prompt = await talk.answer({ action: 'approve', approvalScope: 'session' });
    expect(prompt).toMatchObject({ title: 'Publish 1.2.3?', risk: 'high' });
    const published = { published: '1.2.3', tag: 'latest' };
    expect(await talk.result()).toEqual(published);

    await talk.say('/call publish {"version":"1.2.3"}');
    expect(await talk.result(2)).toEqual(published);
    expect(talk.tab.events('interaction_request')).toHaveLength(1);
    const grants = await talk.tab.client.listGrants({ sessionId: talk.tab.session.sessionId });
    expect(grants).toMatchObject([{ key: '["publish","1.2.3","latest"]', uses: 1, expiresAt: expect.any(String) }]);
    await talk.say('/call freeze {"version":"1.2.3","tag":"latest"}');
    expect(await talk.result(3)).toEqual({ wasAllowed: 'session' });
    await talk.say('/call freeze {"version":"1.2.3","tag":"latest"}');
    expect(await talk.result(4)).toEqual({ wasAllowed: 'no' });
  });

  test('[APR2] an edit is validated, runs, and is what the grant covers', async () => {
    const talk = await Talk.begin(server, '/call publish {"version":"1.1.0","tag":"next"}');
    await talk.answer({ action: 'approve', editedArgs: { version: '1.0.0' } });
    const again = await talk.prompt();
    expect(again).toMatchObject({ attempt: 2, error: '1.0.0 is out already.' });
    const edited = { version: '1.1.1', tag: 'next' };
    await talk.answer({ action: 'approve', approvalScope: 'session', editedArgs: edited }, again);
    expect(await talk.result()).toEqual({ published: '1.1.1', tag: 'next' });
    await talk.say(`/call publish ${JSON.stringify(edited)}`);
    expect(await talk.result(2)).toEqual({ published: '1.1.1', tag: 'next' });
  });

  test('[APR5] the reason for a denial reaches the agent', async () => {
    const talk = await Talk.begin(server, '/call publish {"version":"1.2.4"}');
    await talk.answer({ action: 'deny', reason: 'Not on a Friday.' });
    expect(await talk.result()).toEqual({ code: 'denied', message: 'Not on a Friday.' });
  });

  test('[APR3, INT2] Parley asks first if the rule of the tool requires it', async () => {
    const quiet = await Talk.begin(server, '/call announce {"channel":"team","version":"1.0.0"}');
    expect(await quiet.result()).toBe('1.0.0 was announced to the team channel.');
    const loud = await Talk.begin(server, '/call announce {"channel":"public","version":"1.0.0"}');
    const prompt = await loud.answer({ action: 'approve' });
    expect(prompt).toMatchObject({ source: { kind: 'policy', name: 'release' }, slot: '$gate' });
    expect(prompt.interactionId).toBe(`${prompt.toolCallId}.0`);
    expect(await loud.result()).toBe('1.0.0 was announced to the public channel.');
  });

  test('[APR7] a rule covers the calls that the plugin decides', async () => {
    const talk = await Talk.begin(server, '/call announce {"channel":"public","version":"1.0.0"}');
    await talk.answer({ action: 'approve', approvalScope: 'session', ruleId: 'channel' });
    expect(await talk.result()).toBe('1.0.0 was announced to the public channel.');
    await talk.say('/call announce {"channel":"public","version":"2.0.0"}');
    expect(await talk.result(2)).toBe('2.0.0 was announced to the public channel.');
  });

  test('[AGT6] the agent learns which arguments are invalid', async () => {
    const talk = await Talk.begin(server, '/call publish {"version":"one"}');
    expect(await talk.result()).toMatchObject({ code: 'invalid_args', message: expect.stringContaining('version') });
  });
});

test('[INT8, INT16, INT17] sign-up: a taken name is asked again, and the password is in no event', async () => {
  const talk = await Talk.begin(server, '/call sign_up');
  const first = await talk.prompt();
  const admin = { user: 'admin', password: 'correct horse battery', plan: 'team' };
  const refused = { code: 'invalid', details: { fieldErrors: { invoice: 'Required.' } } };
  await expect(talk.tab.answer(first, submit(admin))).rejects.toMatchObject(refused);
  await talk.answer(submit({ ...admin, invoice: 'Road 1' }), first);

  const second = await talk.prompt();
  expect(second).toMatchObject({
    attempt: 2,
    replaces: first.interactionId,
    fieldErrors: { user: '"admin" is taken.' },
  });
  expect(second.initialValues).toEqual({ user: 'admin', plan: 'team', invoice: 'Road 1' });
  await talk.answer(submit({ user: 'ada', password: 'correct horse battery', plan: 'free' }), second);

  expect(await talk.result()).toEqual({ ok: true, user: 'ada', plan: 'free' });
  expect(JSON.stringify(talk.tab.events())).not.toContain('correct horse');
});

describe('review', () => {
  test('[INT7] an answer in time is the result', async () => {
    const talk = await Talk.begin(server, '/call ask_review');
    await talk.answer(submit({ verdict: 'Good' }));
    expect(await talk.result()).toEqual({ verdict: 'Good' });
  });

  test('[INT9, INT10] without one the tool continues; a late answer is one message, with the text of its hook', async () => {
    const talk = await Talk.begin(server, '/call ask_review {"waitMs":200}');
    const prompt = await talk.prompt();
    expect(await talk.result()).toMatchObject({ pending: true, queued: true });
    await talk.answer(submit({ verdict: 'Good' }), prompt);
    const message = await talk.tab.event('user_message', ({ payload }) => payload.origin === 'interaction');
    expect(message.payload).toMatchObject({
      messageId: `late:${prompt.interactionId}`,
      text: 'The review by owner: Good',
    });
  });

  test('[INT9] "later" opens the same question again, pending', async () => {
    const talk = await Talk.begin(server, '/call ask_review');
    const prompt = await talk.answer({ action: 'cancel' });
    expect(await talk.prompt()).toMatchObject({ replaces: prompt.interactionId });
    expect(await talk.result()).toMatchObject({ pending: true, message: 'The review comes later: go on.' });
  });

  test('[INT11] a stop closes the question and ends the call', async () => {
    const talk = await Talk.begin(server, '/call ask_review');
    await talk.prompt();
    await talk.tab.session.cancelTurn();
    const { payload } = await talk.tab.event('interaction_closed');
    expect(payload.reason).toBe('cancelled');
    expect(await talk.result()).toMatchObject({ code: 'cancelled' });
  });
});

describe('deploy', () => {
  test('[INT6] every option of a request works, and edited arguments are what runs', async () => {
    const talk = await Talk.begin(server, '/call deploy {"branch":"main"}');
    const prompt = await talk.answer({ action: 'approve', editedArgs: { branch: 'stable' } });
    expect(prompt).toMatchObject({ slot: 'deploy', presentation: 'questionnaire', editable: true, risk: 'medium' });
    expect(prompt.expiresAt).toBeUndefined();
    expect(await talk.result()).toEqual({ deployed: 'stable' });
  });

  test('[INT6] connect_account asks for consent to open a URL', async () => {
    const talk = await Talk.begin(server, '/call connect_account');
    const prompt = await talk.answer({ action: 'approve' });
    expect(prompt).toMatchObject({ interactionType: 'url', url: 'https://accounts.example.org/connect' });
    expect(await talk.result()).toEqual({ opened: true });
  });
});

test('[PLG3] booking: a form from a zod object is asked again until it is valid', async () => {
  const talk = await Talk.begin(server, '/call book_table');
  const first = await talk.answer(submit({ guests: 10, day: '2026-05-01', place: 'outside' }));
  expect(first.inputSchema?.fields.map(({ id, type }) => [id, type])).toEqual([
    ['guests', 'number'],
    ['day', 'date'],
    ['place', 'radio'],
    ['wishes', 'textarea'],
  ]);
  const second = await talk.answer(submit({ guests: 8, day: '2026-05-01', place: 'outside' }));
  expect(second.fieldErrors).toEqual({ place: 'Outside there is room for eight.' });
  expect(await talk.result()).toMatchObject({ guests: 8, day: '2026-05-01', place: 'outside' });
});

test('[INT13, DUR5] interview: parallel branches keep their questions apart', async () => {
  const talk = await Talk.begin(server, '/call interview');
  for (let left = 6; left > 0; left -= 1) {
    const prompt = await talk.prompt();
    await talk.answer(submit({ text: prompt.slot }), prompt);
  }
  expect(await talk.result()).toEqual({
    past: ['past:first', 'past:second'],
    present: ['present:first', 'present:second'],
    future: ['future:first', 'future:second'],
  });
});

test('[PLG3, PLG6] notes: stores values per session, throws an error with its own code, and sees who could answer', async () => {
  const talk = await Talk.begin(server, '/call remember {"note":"one"}');
  expect(await talk.result()).toEqual({ notes: 1 });
  for (const note of ['two', 'three', 'four']) await talk.say(`/call remember {"note":"${note}"}`);
  expect(await talk.result(3)).toEqual({ notes: 3 });
  expect(await talk.result(4)).toEqual({ code: 'too_many_notes', message: 'There is room for 3 notes only.' });
  await talk.say('/call who_is_here');
  expect(await talk.result(5)).toMatchObject({ available: true });
});

test('[PLG10] stars: a form with a view is a form, and accepts the values of its fields', async () => {
  const talk = await Talk.begin(server, '/call rate {"what":"the trip"}');
  const prompt = await talk.answer(submit({ stars: 4 }));
  expect(prompt.view).toEqual({ plugin: 'stars', name: 'stars', data: { what: 'the trip' }, height: 64 });
  expect(await talk.result()).toBe(4);
  expect(await (await fetch(`${server.url}/views/stars/stars`)).text()).toContain('parley.propose({ stars })');
});

test('[AGT2, PLG1] parrot: an agent of a plugin writes its messages from the log', async () => {
  const talk = await Talk.begin(server, 'Polly', { agent: 'parrot' });
  const prompt = await talk.answer(submit({ answer: 'yes' }));
  expect(prompt.prompt).toBe('Say "Polly" twice?');
  const words = await talk.tab.event('assistant_done');
  expect(words.payload.text).toBe('Polly Polly ({"ok":true,"answer":"yes"})');
});

test('[OPS2, PLG4] the config file loads plugins, gives them their settings and sets deadlines', async () => {
  const own = await startInTest({ args: ['--config', pathOf('parley.config.json')] });
  const talk = await Talk.begin(own, '/call remember {"note":"one"}');
  for (const note of ['two', 'three']) await talk.say(`/call remember {"note":"${note}"}`);
  expect(await talk.result(3)).toEqual({ code: 'too_many_notes', message: 'There is room for 2 notes only.' });
  await talk.say('/call greet');
  expect(await talk.prompt()).toMatchObject({ timeoutMs: 600_000 });
});
