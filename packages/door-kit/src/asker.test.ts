import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { Asker } from './asker.ts';

const question = { kind: 'permission', session: 's' };
const door = { path: '/hooks/test', maxBytes: 4 * 1024 * 1024 };
const otherwise = 'Questions are asked in the editor alone';

interface Received {
  readonly body: Readonly<Record<string, unknown>>;
  readonly response: ServerResponse;
  answer(status: number, body: unknown): void;
}

/** A server that answers when the test says so, and an asker that finds it. */
async function open() {
  const received: Received[] = [];
  const waiting: ((one: Received) => void)[] = [];
  const server = createServer(async (incoming, response) => {
    const body = (await json(incoming)) as Received['body'];
    const answer = (status: number, said: unknown) => {
      response.writeHead(status).end(typeof said === 'string' ? said : JSON.stringify(said));
    };
    const one = { body, response, answer };
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
  const reports: string[] = [];
  const report = (words: string) => void reports.push(words);
  const asker = new Asker({ door, otherwise, find: async () => ({ url, token: undefined }), report });
  const next = async () => received.shift() ?? new Promise<Received>((resolve) => void waiting.push(resolve));
  return { url, asker, reports, received, next };
}

test('[ACP2] a question waits for people longer than fetch does for a response', async () => {
  const symbol = Symbol.for('undici.globalDispatcher.1');
  await fetch('data:,'); // sets the dispatcher
  const globals = globalThis as unknown as Record<symbol, { constructor: new (options: object) => object }>;
  const usual = globals[symbol] as (typeof globals)[symbol];
  onTestFinished(() => {
    globals[symbol] = usual;
  });
  globals[symbol] = new usual.constructor({ headersTimeout: 10 }) as typeof usual;
  const { url, asker, received, next } = await open();
  const { answer } = asker.ask(question);
  const asked = await next();
  await expect(fetch(url, { method: 'POST', body: '{}' })).rejects.toThrow('fetch failed');
  const result = { outcome: { outcome: 'cancelled' } };
  asked.answer(200, { result });
  expect(await answer).toEqual(result);
  expect(received.filter(({ body }) => body.kind === 'permission')).toEqual([]);
});

test('[ACP2] a server that does not answer is reported', async () => {
  const { url, asker, reports } = await open();
  expect(await asker.isThere()).toBe(false);
  expect(reports).toEqual([`Questions are asked in the editor alone: No server answers at ${url}.\n`]);
});

test('[ACP2] a refusal of something that is no Parley server leaves the question to the editor', async () => {
  const { asker, reports, next } = await open();
  const { answer } = asker.ask(question);
  (await next()).answer(404, '<h1>Not found</h1>');
  expect(await answer).toBeUndefined();
  expect(reports).toEqual(['Questions are asked in the editor alone: The server says 404.\n']);
});

test('[ACP2] a question that is too large for the server is left to the editor, and not sent', async () => {
  const { asker, reports, received } = await open();
  const { answer } = asker.ask({ ...question, args: 'é'.repeat(2.1 * 1024 * 1024) });
  expect(await answer).toBeUndefined();
  expect(reports).toEqual(['Questions are asked in the editor alone: This one is too large.\n']);
  expect(received).toEqual([]);
});

test('[ACP2, ACP5] people are asked again, and that is said before somebody answers', async () => {
  const { asker, reports, next } = await open();
  const { answer } = asker.ask(question);
  const message = 'The server has stopped.';
  (await next()).answer(503, { error: { code: 'retry_later', message } });
  const greeting = await next();
  expect(greeting.body).toEqual({ kind: 'hello' });
  greeting.answer(200, {});
  const repeated = await next();
  expect(repeated.body).toMatchObject(question);
  expect(reports).toEqual([`Questions are asked in the editor alone: ${message}\n`, 'People are asked again.\n']);
  repeated.answer(200, { result: { outcome: 'yes' } });
  expect(await answer).toEqual({ outcome: 'yes' });
  expect(reports).toHaveLength(2);
});
