import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Receiver, useInTest } from '@parleyhq/server/testing';
import { expect, onTestFinished, test } from 'vitest';
import { Room } from './test/room.ts';
import { fileOf, pathOf, startInTest, Talk } from './test/talk.ts';

const secret = Buffer.from('a-secret-of-thirty-two-bytes-len').toString('base64');
const question = '/call ask_user {"question":"Tea or coffee?","options":["Tea","Coffee"]}';

/** Resolves with the first matching line that a program prints. */
async function line({ stdout }: ChildProcess, accepts: (text: string) => boolean): Promise<string> {
  for await (const text of createInterface({ input: stdout as NodeJS.ReadableStream })) if (accepts(text)) return text;
  throw new Error('it ended');
}

test('[NTF3] the receiver of docs/notifications.md accepts only signed messages', async () => {
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
  const url = `http://127.0.0.1:${port}`;
  const notifiers = [{ notifier: 'webhook', config: { url, secret }, people: { owner: {} } }];
  const config = fileOf(JSON.stringify({ privateReceivers: true, notifyAfterMs: 20, notifiers }), 'parley.config.json');
  const server = await startInTest({ args: ['--config', config] });
  await Talk.begin(server, question);
  expect(await line(program, (text) => text.startsWith('prompt.waiting'))).toContain(`input ${server.url}/s/`);
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
});

test('[NTF3] the notifier of docs/plugin-guide.md notifies the configured people', async () => {
  const file = fileOf('', 'pager.txt');
  const notifiers = [{ notifier: 'pager', people: { owner: { file } } }];
  const config = fileOf(JSON.stringify({ notifyAfterMs: 20, notifiers }), 'parley.config.json');
  const server = await startInTest({ args: ['--config', config], plugins: [pathOf('pager.mjs')] });
  await Talk.begin(server, question);
  const read = () => readFile(file, 'utf8').catch(() => '');
  await expect.poll(read, { timeout: 30_000 }).toMatch(/^owner: input in .* http:\/\/127\.0\.0\.1:\d+\/s\//);
});

test('[CHAT1] the chat of docs/plugin-guide.md, in under 150 lines, links an account, asks there and takes the answer', async () => {
  const source = await readFile(new URL('chat-room.mjs', import.meta.url), 'utf8');
  expect(source.split('\n').length).toBeLessThan(150);
  const room = await useInTest(new Room());
  const ann = { id: 'u-1', name: 'Ann' };
  const notifiers = [{ notifier: 'room', config: { server: room.url, key: 'k' } }];
  const config = fileOf(JSON.stringify({ notifyAfterMs: 20, notifiers }), 'parley.config.json');
  const server = await startInTest({ args: ['--config', config], plugins: [pathOf('chat-room.mjs')] });
  const { code } = JSON.parse((await server.run('token', 'link', 'owner', '--json')).stdout);
  room.write(ann, `link ${code}`);
  await room.message(({ text }) => text.includes('is linked to owner'));
  const talk = await Talk.begin(server, question);
  const card = await room.message(({ text }) => text.includes('Tea or coffee?'));
  room.press(ann, card, 'Coffee');
  await expect.poll(() => card.text, { timeout: 30_000 }).toContain('Answered “Coffee” by owner, in Room (Ann)');
  expect(await talk.result()).toMatchObject({ ok: true });
});
