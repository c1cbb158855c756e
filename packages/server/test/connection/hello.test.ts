import { expect, test } from 'vitest';
import { loadShippedPlugin } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadShippedPlugin('ask-user')] });
const token = 'a-token-of-some-length';
const guarded = useLocalServer({ token });

const silent = (at = server) => at.open({ hello: null });

test('[FRM2, FRM3] without hello nothing is answered, and after five seconds the connection closes with 4408', async () => {
  const tab = await silent();
  const begin = performance.now();
  tab.send({ type: 'ping' });
  tab.send({ type: 'list_sessions', requestId: 'r' });
  tab.sendText('nonsense');
  expect(await tab.closed()).toBe(4408);
  expect(performance.now() - begin).toBeGreaterThan(4500);
  expect(tab.frames).toEqual([]);
});

test('[FRM2] another protocol version is refused with the supported ones, then closed with 4426', async () => {
  const tab = await silent();
  tab.send({ type: 'hello', protocol: 2 });
  expect(await tab.waitFor('error')).toMatchObject({ code: 'unsupported_protocol', details: { spoken: [1] } });
  expect(await tab.closed()).toBe(4426);
});

test.each([{}, { protocol: '1' }, { protocol: 1.5 }])(
  '[FRM2] hello with %j is refused, and a right one still works',
  async (part) => {
    const tab = await silent();
    tab.send({ type: 'hello', ...part });
    expect(await tab.waitFor('error')).toMatchObject({ code: 'bad_frame' });
    tab.send({ type: 'hello', protocol: 1 });
    await tab.waitFor('welcome');
  },
);

test('[FRM2] welcome has all that a client needs to begin', async () => {
  const tab = await server.open();
  expect(await tab.waitFor('welcome')).toMatchObject({
    protocol: 1,
    connectionId: expect.any(String),
    epoch: expect.any(String),
    now: expect.any(String),
    server: { name: 'parley' },
    principal: { role: 'operator' },
    agents: expect.arrayContaining([expect.objectContaining({ name: 'demo' })]),
    sessions: expect.any(Array),
    open: expect.any(Array),
    limits: { frameBytes: 262_144, jsonDepth: 32 },
  });
});

test('[FRM2] frames sent right behind hello are handled in order, after welcome', async () => {
  const tab = await silent();
  tab.send({ type: 'hello', protocol: 1 });
  tab.send({ type: 'ping' });
  tab.send({ type: 'create_session', requestId: 'r' });
  await tab.until((frame) => frame.type === 'reply' && frame.requestId === 'r');
  expect(tab.frames.map((frame) => frame.type).slice(0, 2)).toEqual(['welcome', 'pong']);
});

test('[FRM2] a second hello is refused, and the connection stays open', async () => {
  const tab = await server.open();
  tab.send({ type: 'hello', protocol: 1 });
  expect(await tab.waitFor('error')).toMatchObject({ code: 'already_greeted' });
  tab.send({ type: 'ping' });
  await tab.waitFor('pong');
});

test('[FRM2, INT15] a client that does not declare interaction cannot answer until it enables it', async () => {
  const [asker, mute] = await Promise.all([server.open(), silent()]);
  mute.send({ type: 'hello', protocol: 1 });
  await mute.waitFor('welcome');
  const session = await asker.createSession();
  await mute.follow(session);
  await asker.say(session, '/call ask_user {"question":"Well?"}');
  const prompt = await mute.prompt(session);
  const refused = await mute.answer(session, prompt, { action: 'submit', input: { answer: 'a' } });
  expect(refused).toMatchObject({ ok: false, error: { code: 'interaction_disabled' } });
  await mute.ask({ type: 'set_interaction_mode', enabled: true });
  expect(await mute.answer(session, prompt, { action: 'submit', input: { answer: 'a' } })).toMatchObject({ ok: true });
});

test('[FRM2, FRM3, SEC2] hello with a wrong token or none is refused and closed with 4401', async () => {
  for (const token of [undefined, 'wrong']) {
    const tab = await silent(guarded);
    tab.send({ type: 'hello', protocol: 1, token });
    expect(await tab.waitFor('error')).toMatchObject({ code: 'unauthorised' });
    expect(await tab.closed()).toBe(4401);
    expect(tab.frames).toHaveLength(1);
  }
});

test('[FRM2, SEC2] hello.token and a bearer header each authenticate', async () => {
  const byHello = await guarded.open({ hello: { token } });
  const byHeader = await guarded.open({ headers: { Authorization: `Bearer ${token}` } });
  for (const tab of [byHello, byHeader]) await tab.createSession();
});

test('[FRM4] two connections of one clientId both work', async () => {
  const first = await server.open({ clientId: 'one' });
  const second = await server.open({ clientId: 'one' });
  const session = await first.createSession();
  await Promise.all([first.follow(session), second.follow(session)]);
  await second.say(session, 'hello');
  await Promise.all([first.event(session, 'turn_end'), second.event(session, 'turn_end')]);
});
