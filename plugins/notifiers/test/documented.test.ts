import { startParley } from '@parleyhq/client/process';
import { Receiver, useInTest } from '@parleyhq/server/testing';
import { expect, onTestFinished, test } from 'vitest';
import { MailServer } from './mail-server.ts';

const secret = Buffer.from('a-secret-of-thirty-two-bytes-len').toString('base64');

test('[NTF3] the configuration of docs/notifications.md notifies by webhook, ntfy and mail', async () => {
  const [hook, broker, post] = [new Receiver(), new Receiver(), new MailServer()];
  for (const each of [hook, broker, post]) await useInTest(each);
  const server = await startParley({
    args: ['--config', 'docs/examples/notifiers.config.json'],
    env: {
      PARLEY_PRIVATE_RECEIVERS: 'true',
      PARLEY_NOTIFY_AFTER_MS: '20',
      WEBHOOK_URL: hook.origin,
      WEBHOOK_SECRET: secret,
      NTFY_SERVER: broker.origin,
      MAIL_SERVER: post.address,
      MAIL_PASSWORD: post.password,
    },
  });
  onTestFinished(() => server.stop());
  await server.run('token', 'create', '--role', 'responder', '--name', 'ann');
  await (await server.tab()).ask('ask_user', { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] });
  const [told, message, mail] = await Promise.all([hook.request(), broker.request(), post.mail()]);
  expect(JSON.parse(told.body)).toMatchObject({ type: 'prompt.waiting', data: { to: { principal: 'owner' } } });
  expect(JSON.parse(message.body)).toMatchObject({ topic: 'parley-5d0c1b7f9e', title: 'A question waits for you' });
  expect(mail.to).toEqual(['ann@example.org']);
  expect(mail.text).toContain(`${server.url}/once#`);
});
