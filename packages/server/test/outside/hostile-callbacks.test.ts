import { definePlugin, type Json, type Parameters, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { makePushKeys } from '../../src/extensions/notifications/push-keys.ts';
import { Journey } from '../support/journey.ts';
import { type LocalOptions, type LocalServer, startLocalServer } from '../support/local-server.ts';
import { leave, openSockets, rawRequest } from '../support/raw-http.ts';

const hour = 3_600_000;
const reach = { keys: makePushKeys() };

/** Makes a plugin whose tool outputs its address, and waits. */
const waiter = (schema?: Parameters, ttlMs?: number) =>
  definePlugin({
    name: 'waiter',
    tools: [
      {
        name: 'wait',
        description: 'Waits for a program outside.',
        parameters: { type: 'object' },
        async handler(_, ctx) {
          const url = await ctx.callback('it', { ...(schema && { schema }), ...(ttlMs && { ttlMs }) });
          const came = ctx.waitFor('it', schema);
          await ctx.step('waiting', () => undefined); // stored after the wait: whoever reads the address knows that it is
          ctx.progress(url);
          return { came: (await came) as Json };
        },
      },
    ],
  });

async function begin(options: LocalOptions): Promise<{ local: LocalServer; journey: Journey; path: string }> {
  const local = await startLocalServer(options);
  const journey = await Journey.begin(local);
  await journey.call('wait');
  const frame = await journey.tab.until((frame) => frame.type === 'stream' && frame.kind === 'tool_output');
  return { local, journey, path: new URL((frame as { text: string }).text).pathname };
}

const post = async (local: LocalServer, path: string, body: Json) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(local.httpUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
};

test('[PLG11, INT10] a callback that expired while the server was down can be called as long as its tool waits', async () => {
  let offset = 0;
  const now = () => Date.now() + offset;
  const { local, journey, path } = await begin({ plugins: [waiter(undefined, hour)], now, reach });
  offset = 2 * hour;
  await local.restart();
  const later = await journey.join(local);
  expect(await post(local, path, 'at last')).toMatchObject({ status: 200 });
  expect(await later.outcome()).toEqual({ result: { came: 'at last' } });
});

test('[PLG11, NTF3] an address of another epoch is not found, though the keys are the same', async () => {
  const { local, path } = await begin({ plugins: [waiter()], reach });
  const other = await startLocalServer({ plugins: [waiter()], reach });
  expect(await post(other, path, 1)).toMatchObject({ status: 404 });
  expect(await post(local, path, 1)).toMatchObject({ status: 200 });
});

test('[PLG11, PLG9] values other than objects are accepted if its schema accepts them', async () => {
  const { local, journey, path } = await begin({ plugins: [waiter(z.object({ paid: z.boolean() }).nullable())] });
  expect(await post(local, path, 'no')).toMatchObject({ status: 400 });
  expect(await post(local, path, null)).toMatchObject({ status: 200 });
  expect(await journey.outcome()).toEqual({ result: { came: null } });
});

test('[PLG11, PLG8] a schema that could not be restored is refused when the address is made', async () => {
  const jsonSchema = { input: () => ({ $ref: 'https://example.org/it.json' }) };
  const schema = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }), jsonSchema } };
  const local = await startLocalServer({ plugins: [waiter(schema as Parameters)] });
  const journey = await Journey.begin(local);
  await journey.call('wait');
  expect((await journey.outcome()).error?.message).toMatch(/^ctx\.callback\("it"\) has a schema that cannot be read: /);
});

test('[PLG11, SEC6] a post that makes a pattern backtrack catastrophically is refused in time, and counted', async () => {
  const { local, journey, path } = await begin({ plugins: [waiter(z.object({ name: z.string().regex(/^(a+)+$/) }))] });
  const refused = await post(local, path, { name: `${'a'.repeat(40)}!` });
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid' } } });
  expect(await local.server.metrics.registry.metrics()).toMatch(/limits_reached_total\{limit="patternMs"\} 1/);
  expect(await post(local, path, { name: 'aa' })).toMatchObject({ status: 200 });
  expect(await journey.outcome()).toEqual({ result: { came: { name: 'aa' } } });
});

test('[PLG11, SEC11] the socket of a post to an ended address stays unauthenticated', async () => {
  const { local, journey, path } = await begin({ plugins: [waiter()], unadmittedSockets: 20 });
  expect(await post(local, path, 1)).toMatchObject({ status: 200 });
  await journey.outcome();
  const crowd = await openSockets(local.port, 10);
  const isAnswered = Promise.all(
    crowd.map((socket) => new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))),
  );
  for (const socket of crowd)
    socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${local.port}\r\nContent-Length: 0\r\n\r\n`);
  for (const text of await isAnswered) expect(text).toContain('410');
  const { status } = await rawRequest(local.port, ['GET /healthz HTTP/1.1', `Host: 127.0.0.1:${local.port}`]);
  expect(status).toBe(503);
  await Promise.all(crowd.map(leave));
});

test('[PLG11, SEC6] posts to one address are rate-limited', async () => {
  const time = Date.now();
  const { local, path } = await begin({
    plugins: [waiter(z.object({ paid: z.boolean() }))],
    now: () => time,
  });
  const statuses: number[] = [];
  for (let count = 0; count < 201; count += 1) statuses.push((await post(local, path, 'no')).status);
  expect(statuses).toEqual([...Array.from({ length: 200 }, () => 400), 429]);
});

test('[PLG11] a wait that sends people to an address without a return is refused', async () => {
  const wait = {
    name: 'wait',
    description: 'Sends a person away with a state of its own.',
    parameters: { type: 'object' },
    async handler(_: unknown, ctx: ToolContext) {
      await ctx.callback('it', { browser: true });
      return ctx.waitFor('it', undefined, { from: 'ann', sendTo: 'https://site.example/?state=mine' });
    },
  };
  const local = await startLocalServer({ plugins: [definePlugin({ name: 'sender', tools: [wait] })] });
  const journey = await Journey.begin(local);
  await journey.call('wait');
  const { error } = await journey.outcome();
  expect(error).toMatchObject({ code: 'tool_error', message: expect.stringContaining('must have the "state"') });
});
