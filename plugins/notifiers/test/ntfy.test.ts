import { Receiver, useInTest } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import { begin, listDeliveries, startTelling } from './asking.ts';

const topic = 'parley-1f6c2f1f0f6a11';

function startWith({ origin }: Receiver, part: object = {}) {
  const config = { server: origin, token: 'tk_a-token-of-ntfy', topic };
  return startTelling([{ notifier: 'ntfy', config, people: { owner: {} }, ...part }]);
}

test('[NTF3] ntfy gets a message whose only action opens the card; the message is deleted when it is settled', async () => {
  const broker = await useInTest(new Receiver());
  const server = await startWith(broker);
  const journey = await begin(server);
  const prompt = await journey.ask('ask', { title: 'Drop the table?', prompt: 'Really?', risk: 'high' });
  const { method, path, headers, body } = await broker.request();
  expect([method, path, headers.authorization]).toEqual(['POST', '/', 'Bearer tk_a-token-of-ntfy']);
  const url = `${server.url}/s/${journey.sessionId}/${prompt.interactionId}`;
  expect(JSON.parse(body)).toEqual({
    topic,
    title: 'An approval waits for you',
    message: expect.stringMatching(/^Session: .*\nRisk: high$/),
    priority: 4,
    click: url,
    actions: [{ action: 'view', label: 'Open', url, clear: true }],
    sequence_id: journey.sessionId,
  });
  await journey.answer(prompt, { action: 'deny' });
  const gone = await broker.request((request) => request.method === 'DELETE');
  expect([gone.path, gone.body]).toEqual([`/${topic}/${journey.sessionId}`, '']);
  expect(gone.headers.authorization).toBe('Bearer tk_a-token-of-ntfy');
});

test('[NTF1, NTF3] ntfy gets the title if that is configured, on one line whatever it contains', async () => {
  const broker = await useInTest(new Receiver());
  const server = await startWith(broker, { detail: 'title' });
  await (await begin(server)).ask('ask', { title: 'Drop\u202e the table?' });
  const [line] = JSON.parse((await broker.request()).body).message.split('\n');
  expect(line).toBe('Drop the table?');
});

test('[NTF3, NTF4] a busy broker is tried again after the delay it names', async () => {
  const broker = await useInTest(new Receiver());
  broker.status = 429;
  broker.headers = { 'retry-after': '1800' };
  const server = await startWith(broker);
  await (await begin(server)).ask('ask');
  await expect.poll(() => listDeliveries(server), { timeout: 30_000 }).toMatchObject([{ state: 'due', attempts: 1 }]);
  const [{ at } = {}] = await listDeliveries(server);
  expect(Date.parse(String(at)) - Date.now()).toBeGreaterThan(1_700_000);
});
