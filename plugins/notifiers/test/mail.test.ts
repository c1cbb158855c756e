import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { useInTest } from '@parleyhq/server/testing';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { begin, listDeliveries, startTelling } from './asking.ts';
import { MailServer } from './mail-server.ts';

const from = 'parley@example.org';
const people = { owner: { to: 'ann@example.org' } };

function entry({ address, password }: MailServer, part: object = {}) {
  return { notifier: 'mail', config: { server: address, user: 'parley', password, from, ...part }, people };
}

test('[NTF3] mail says that a prompt waits and links to it, not what it asks; its links need a log-in', async () => {
  const post = await useInTest(new MailServer());
  const server = await startTelling([entry(post)]);
  const journey = await begin(server);
  const subject = { kind: 'command', text: 'rm -rf customers' };
  const prompt = await journey.ask('ask', { title: 'Drop the table?', prompt: 'Really?', subject, risk: 'medium' });
  const mail = await post.mail();
  expect(mail).toMatchObject({ from, to: ['ann@example.org'] });
  expect(mail.text).toMatch(/^Subject: An approval waits for you$/m);
  expect(mail.text).toMatch(/^Auto-Submitted: auto-generated$/m);
  expect(mail.text).toMatch(/^Risk: medium$/m);
  expect(mail.text).toContain(`${server.url}/s/${journey.sessionId}/${prompt.interactionId}`);
  expect(mail.text).not.toMatch(/the table|Really|customers|\/once/);
  await journey.answer(prompt, { action: 'deny' });
  await expect.poll(() => listDeliveries(server), { timeout: 30_000 }).toMatchObject([{ state: 'withdrawn' }]);
  expect(post.mails).toHaveLength(1); // a sent mail cannot be withdrawn
});

test('[NTF3] a session title in a mail stays on one line of the body, and adds no header', async () => {
  const post = await useInTest(new MailServer());
  const server = await startTelling([{ ...entry(post), detail: 'title' }]);
  await (await begin(server)).ask('ask', { title: 'One\nBcc: everybody@example.org\nOpen it: https://evil.example' });
  const { to, text } = await post.mail();
  expect(to).toEqual(['ann@example.org']);
  expect(text).toMatch(/^One Bcc: everybody@example.org Open it: https:\/\/evil.example$/m);
});

test.each([
  [421, 'due'],
  [554, 'failed'],
])(
  '[NTF3, NTF4] a mail server that answers with %i leaves it %s, with a code and without the server’s own text',
  async (responseCode, state) => {
    const post = await useInTest(new MailServer());
    post.refusal = { responseCode, message: 'words of this server' };
    const server = await startTelling([entry(post)]);
    await (await begin(server)).ask('ask');
    await expect
      .poll(() => listDeliveries(server), { timeout: 30_000 })
      .toMatchObject([{ state, code: 'receiver_refused', fault: `The mail server answered with ${responseCode}.` }]);
  },
);

test('[NTF3] a wrong password is in no log and no response, and is tried again', async () => {
  const post = await useInTest(new MailServer());
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const server = await startTelling([entry(post, { password: 'not-the-password' })], { log });
  await (await begin(server)).ask('ask');
  await expect.poll(() => listDeliveries(server), { timeout: 30_000 }).toMatchObject([{ state: 'due' }]);
  expect(JSON.stringify(await listDeliveries(server)) + lines.join('')).not.toContain('not-the-password');
});

test('[NTF3, NTF4] a mail server that does not respond delays nobody', async () => {
  const silent = createServer((socket) => socket.on('error', () => socket.destroy()));
  onTestFinished(() => void silent.close());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const post = await useInTest(new MailServer());
  const address = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const server = await startTelling([{ ...entry(post, { server: address }), name: 'silent' }, entry(post)], {
    durations: { notifyAfterMs: 20, tellMs: 300 },
  });
  await (await begin(server)).ask('ask');
  await post.mail();
  const found = async () => (await listDeliveries(server)).find(({ target }) => target === 'silent:owner');
  await expect.poll(() => found(), { timeout: 30_000 }).toMatchObject({ state: 'due', code: 'handler_timeout' });
});

test.each(['ann@example.org, bob@example.org', 'Ann <ann@example.org>', 'ann', 'a@b\r\nBcc: c@d'])(
  '[NTF3] mail goes to a single address: %j prevents the start',
  async (to) => {
    const config = { server: 'smtp://mail.example.org', from, to };
    await expect(startTelling([{ notifier: 'mail', config, people: { owner: {} } }])).rejects.toThrow(
      'to: must be a single address',
    );
  },
);
