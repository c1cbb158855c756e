import { Receiver, useInTest } from '@parleyhq/server/testing';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { begin, listDeliveries, startTelling } from './asking.ts';

const secret = `whsec_${Buffer.from('a-secret-of-thirty-two-bytes-len').toString('base64')}`;
const people = { owner: {} };
const entry = ({ origin }: Receiver) => ({ notifier: 'webhook', config: { url: `${origin}/hook`, secret }, people });

function verify({ body, headers }: { body: string; headers: object }) {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as { type: string; data: object };
}

test('[NTF3] a webhook gets signed notifications, with the same id for each retry, and one when the prompt is settled', async () => {
  const receiver = await useInTest(new Receiver());
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const server = await startTelling([entry(receiver)], { log });
  receiver.status = 503;
  const journey = await begin(server);
  const prompt = await journey.ask('ask', { title: 'Drop the table?', subject: { kind: 'command', text: 'rm -rf /' } });
  const first = await receiver.request();
  receiver.status = 200;
  const second = await receiver.request((request) => request !== first);
  expect(verify(second)).toMatchObject({
    type: 'prompt.waiting',
    data: {
      interactionId: prompt.interactionId,
      sessionId: journey.sessionId,
      url: `${server.url}/s/${journey.sessionId}/${prompt.interactionId}`,
      kind: 'approval',
      to: { principal: 'owner' },
    },
  });
  expect(second.body).not.toMatch(/table|rm -rf/);
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(() => verify({ ...second, body: second.body.replace('approval', 'input') })).toThrow();
  await expect.poll(() => listDeliveries(server), { timeout: 30_000 }).toMatchObject([{ state: 'sent', attempts: 2 }]);
  await journey.answer(prompt, { action: 'deny' });
  const last = await receiver.request(({ body }) => body.includes('prompt.settled'));
  expect(verify(last)).toMatchObject({ type: 'prompt.settled', data: { interactionId: prompt.interactionId } });
  expect(lines.join('')).toContain('could not be notified');
  expect(lines.join('')).not.toContain(secret.slice(6));
});

test('[NTF3] a webhook follows no redirect, and goes to public addresses only unless others are allowed', async () => {
  const [receiver, elsewhere] = [await useInTest(new Receiver()), await useInTest(new Receiver())];
  receiver.status = 307;
  receiver.headers = { location: elsewhere.origin };
  const server = await startTelling([entry(receiver)]);
  await (await begin(server)).ask('ask');
  const refused = { state: 'failed', code: 'receiver_refused', fault: expect.stringContaining('307') };
  await expect.poll(() => listDeliveries(server), { timeout: 30_000 }).toMatchObject([refused]);
  expect(elsewhere.requests).toEqual([]);

  const guarded = await startTelling([entry(receiver)], { allowsPrivate: false });
  await (await begin(guarded)).ask('ask');
  await expect
    .poll(() => listDeliveries(guarded), { timeout: 30_000 })
    .toMatchObject([{ state: 'failed', code: 'address_refused', attempts: 1 }]);
  expect(receiver.requests).toHaveLength(1);
});

test('[NTF3] a webhook that never answers times out, and is tried again', async () => {
  const receiver = await useInTest(new Receiver());
  receiver.isDead = true;
  const server = await startTelling([entry(receiver)], { durations: { notifyAfterMs: 20, tellMs: 100 } });
  const journey = await begin(server);
  const prompt = await journey.ask('ask');
  await expect
    .poll(() => listDeliveries(server), { timeout: 30_000 })
    .toMatchObject([{ state: 'due', fault: expect.stringMatching(/took/) }]);
  await journey.answer(prompt, { action: 'deny' });
  expect((await journey.result()).result).toMatchObject({ action: 'deny' });
});

test.each([
  ['short', 'secret: must be 24 to 64 bytes'],
  ['not base64, but long enough for a key of theirs', 'secret: must be'],
])('[NTF3] a webhook without a good secret prevents the start: %s', async (bad, words) => {
  const config = { url: 'https://example.org', secret: bad };
  await expect(startTelling([{ notifier: 'webhook', config, people }])).rejects.toThrow(words);
});
