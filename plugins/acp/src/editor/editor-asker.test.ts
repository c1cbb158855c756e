import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EditorAsker } from './editor-asker.ts';

interface Received {
  readonly body: Readonly<Record<string, unknown>>;
  answer(): void;
}

/** A server that takes what it gets when the test says so, and an asker that finds it. */
async function open() {
  const waiting: ((one: Received) => void)[] = [];
  const received: Received[] = [];
  const server = createServer(async (incoming, response) => {
    const one = { body: (await json(incoming)) as Received['body'], answer: () => void response.end('{}') };
    const next = waiting.shift();
    if (next) next(one);
    else received.push(one);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const asker = new EditorAsker({ agent: 'agent', find: async () => ({ url, token: undefined }), report: () => {} });
  const next = async () => received.shift() ?? new Promise<Received>((resolve) => void waiting.push(resolve));
  return { asker, next };
}

test('[ACP2] news wait for those before them, and are sent together', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { asker, next } = await open();
  const tell = async (content: string) => {
    asker.tell({ sessionId: 's', cwd: '/w', plan: [{ content, status: 'pending' }] });
    await vi.advanceTimersByTimeAsync(10_000);
  };
  asker.ask({ kind: 'permission', sessionId: 's', cwd: '/w', call: {}, params: {} });
  await next();
  await tell('one');
  const first = await next();
  for (const each of ['two', 'three']) await tell(each);
  first.answer();
  const { body } = await next();
  expect(body.text).toMatch(/two[\s\S]*three/);
});
