import { expect, test } from 'vitest';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer();

const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

const badTexts: Readonly<Record<string, string>> = {
  'no JSON': '{"type":',
  'no object': '17',
  'an array': '[{"type":"ping"}]',
  nothing: '',
  'no type': '{"sessionId":"a"}',
  'an unknown type': '{"type":"make_coffee"}',
  'a prototype name as type': '{"type":"__proto__"}',
  'a field that is missing': '{"type":"unsubscribe"}',
  'a field of another type': '{"type":"read_events","sessionId":"a","before":"1","limit":1}',
  'a session id that is a path': '{"type":"subscribe","sessionId":"../x"}',
  'a limit beyond the limit': '{"type":"read_events","sessionId":"a","before":1,"limit":1001}',
  'deep JSON': `{"type":"draft","sessionId":"a","interactionId":"b","values":{"x":${deep(40)}}}`,
  'a depth bomb': deep(20_000),
};

test.each(Object.keys(badTexts))('[FRM1] %s gets a coded refusal, and the connection stays open', async (name) => {
  const tab = await server.open();
  tab.sendText(badTexts[name] as string);
  expect(await tab.waitFor('error')).toMatchObject({ code: 'bad_frame', message: expect.any(String) });
  tab.send({ type: 'ping' });
  await tab.waitFor('pong');
  await tab.close();
});

test('[FRM1] a bad frame that names its requestId is refused by its one reply', async () => {
  const tab = await server.open();
  tab.send({ type: 'user_message', requestId: 'r1' });
  expect(await tab.waitFor('reply')).toMatchObject({ requestId: 'r1', ok: false, error: { code: 'bad_frame' } });
  expect(tab.frames.filter((frame) => frame.type === 'error')).toEqual([]);
});

test('[FRM1, SEC6] a frame of 256 KiB is accepted; a larger one closes its own connection only', async () => {
  const [tab, other] = await Promise.all([server.open(), server.open()]);
  const session = await tab.createSession();
  const frame = { type: 'user_message', requestId: 'r', sessionId: session, messageId: 'm', text: '' };
  const room = 256 * 1024 - JSON.stringify(frame).length;
  tab.send({ ...frame, text: 'x'.repeat(room) });
  expect(await tab.until((candidate) => candidate.type === 'reply' && candidate.requestId === 'r')).toMatchObject({
    ok: true,
  });
  tab.send({ ...frame, messageId: 'm2', text: 'x'.repeat(room + 1) });
  expect(await tab.closed()).toBe(1009);
  other.send({ type: 'ping' });
  await other.waitFor('pong');
});

test('[FRM1] a binary frame is refused like any other bad one', async () => {
  const tab = await server.open();
  tab.sendBytes(Buffer.from('{"type":"ping"}'));
  expect(await tab.waitFor('error')).toMatchObject({ code: 'bad_frame' });
});

test('[FRM1, FRM3] twenty bad frames are tolerated; the next within ten seconds closes with 4429', async () => {
  const tab = await server.open();
  for (let n = 0; n < 20; n += 1) tab.sendText('nonsense');
  tab.send({ type: 'ping' });
  await tab.waitFor('pong');
  expect(tab.frames.filter((frame) => frame.type === 'error')).toHaveLength(20);
  tab.sendText('nonsense');
  expect(await tab.closed()).toBe(4429);
});

test('[FRM1] a refused command is not a bad frame: hundreds of them leave the connection open', async () => {
  const tab = await server.open();
  const replies = await Promise.all(
    Array.from({ length: 150 }, () => tab.request({ type: 'unsubscribe', sessionId: 'nobody' })),
  );
  for (const reply of replies) expect(reply).toMatchObject({ ok: false, error: { code: 'not_found' } });
});
