import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { createToken } from '../../packages/server/test/support/command.ts';
import { makeFolder } from '../../packages/server/test/support/plugin-file.ts';
import { Receiver } from '../../packages/server/test/support/receiver.ts';
import { useInTest } from '../../packages/server/test/support/use-server.ts';
import { MailServer } from '../../plugins/notifiers/test/mail-server.ts';
import { pathOf, startInTest, Talk } from './test/talk.ts';

const secret = Buffer.from('a-secret-of-thirty-two-bytes-len').toString('base64');
const question = '/call ask_user {"question":"Tea or coffee?","options":["Tea","Coffee"]}';

/** The lines that a program prints, as soon as one fits. */
async function line({ stdout }: ChildProcess, accepts: (text: string) => boolean): Promise<string> {
  for await (const text of createInterface({ input: stdout as NodeJS.ReadableStream })) if (accepts(text)) return text;
  throw new Error('it ended');
}

test('[NTF3] the configuration of docs/notifications.md tells by webhook, ntfy and mail', async () => {
  const [hook, broker, post] = [new Receiver(), new Receiver(), new MailServer()];
  for (const each of [hook, broker, post]) await useInTest(each);
  const server = await startInTest({
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
  await createToken(server.dataDir, '--role', 'responder', '--name', 'ann');
  await Talk.begin(server, question);
  const [told, message, mail] = await Promise.all([hook.request(), broker.request(), post.mail()]);
  expect(JSON.parse(told.body)).toMatchObject({ type: 'prompt.waiting', data: { to: { principal: 'owner' } } });
  expect(JSON.parse(message.body)).toMatchObject({ topic: 'parley-5d0c1b7f9e', title: 'A question waits for you' });
  expect(mail.to).toEqual(['ann@example.org']);
  expect(mail.text).toContain(`${server.url}/once#`);
});

test('[NTF3] the receiver of docs/notifications.md takes what was signed, and nothing else', async () => {
  const file = new URL('check-webhook.mjs', import.meta.url).pathname;
  const port = await new Promise<number>((resolve) => {
    const probe = new Receiver();
    void probe.start().then(async () => {
      const { port } = new URL(probe.origin);
      await probe.remove();
      resolve(Number(port));
    });
  });
  const program = spawn(process.execPath, [file], {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
  });
  onTestFinished(() => void program.kill());
  await line(program, (text) => text === 'ready');
  const config = join(makeFolder(), 'parley.config.json');
  const url = `http://127.0.0.1:${port}`;
  const notifiers = [{ notifier: 'webhook', config: { url, secret }, people: { owner: {} } }];
  await writeFile(config, JSON.stringify({ privateReceivers: true, notifyAfterMs: 20, notifiers }));
  const server = await startInTest({ args: ['--config', config] });
  await Talk.begin(server, question);
  expect(await line(program, (text) => text.startsWith('prompt.waiting'))).toContain(`input ${server.url}/s/`);
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
});

test('[NTF3] the notifier of docs/plugin-guide.md tells whom the configuration names', async () => {
  const folder = makeFolder();
  const [config, file] = [join(folder, 'parley.config.json'), join(folder, 'pager.txt')];
  const notifiers = [{ notifier: 'pager', people: { owner: { file } } }];
  await writeFile(config, JSON.stringify({ notifyAfterMs: 20, notifiers }));
  const server = await startInTest({ args: ['--config', config], plugins: [pathOf('pager.mjs')] });
  await Talk.begin(server, question);
  const read = () => readFile(file, 'utf8').catch(() => '');
  await expect.poll(read, { timeout: 30_000 }).toMatch(/^owner: input in .* http:\/\/127\.0\.0\.1:\d+\/s\//);
});
