import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Receiver, useInTest } from '@parleyhq/server/testing';
import { Webhook } from 'standardwebhooks';
import { beforeEach, expect, test } from 'vitest';
import { createToken, runParley } from '../../server/test/support/command.ts';
import { Journey } from '../../server/test/support/journey.ts';
import { makeFolder } from '../../server/test/support/plugin-file.ts';
import type { ServerProcess } from '../../server/test/support/server-process.ts';
import { startServer } from '../../server/test/support/use-server.ts';

const secret = Buffer.from('a-secret-of-thirty-two-bytes-len').toString('base64');
const ownToken = 'parley_the-owner-of-this-server';

let receiver: Receiver;
let server: ServerProcess;
beforeEach(async () => {
  receiver = await useInTest(new Receiver());
});

function start(people: object = { owner: {} }, env: Record<string, string> = { HOOK_SECRET: secret }) {
  const config = { url: receiver.origin, secret: { env: 'HOOK_SECRET' } };
  const file = join(makeFolder(), 'parley.config.json');
  const settings = { privateReceivers: true, notifyAfterMs: 20, notifiers: [{ notifier: 'webhook', config, people }] };
  writeFileSync(file, JSON.stringify(settings));
  return startServer({ args: ['--config', file], env: { PARLEY_TOKEN: ownToken, ...env } });
}

const notify = (...words: string[]) =>
  runParley('notify', 'test', ...words, '--port', String(server.ready.port), '--token', ownToken);

test('[NTF4] parley notify test sends a test notification and prints the results', async () => {
  server = await start({ owner: {}, ann: {} });
  expect(await notify('webhook')).toEqual({
    code: 0,
    stdout: 'owner: notified\n',
    stderr: 'parley: no token has the name or id "ann": nobody is notified for it.\n',
  });
  const { body, headers } = await receiver.request();
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'test' });
  const ann = await createToken(server.dataDir, '--role', 'responder', '--name', 'ann');
  receiver.status = 500;
  await expect
    .poll(() => notify('webhook', '--to', 'ann'), { timeout: 30_000 })
    .toEqual({
      code: 1,
      stdout: 'ann: not notified (receiver_refused): The receiver answered with status 500.\n',
      stderr: 'parley: 1 of 1 could not be notified.\n',
    });
  receiver.status = 200;
  const { stdout } = await notify('webhook', '--json');
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { target: 'webhook:owner', principal: 'owner', isTold: true },
    { target: `webhook:${ann.id}`, principal: ann.id, name: 'ann', isTold: true },
  ]);
  expect(await notify('pager')).toMatchObject({ code: 1, stderr: expect.stringContaining('There are: webhook.') });
  expect(await notify('webhook', '--to', 'bob')).toMatchObject({ code: 1, stderr: expect.stringContaining('"bob"') });
  expect(await notify()).toMatchObject({ code: 2 });
  const asAnn = ['notify', 'test', 'webhook', '--port', String(server.ready.port), '--token', ann.token];
  expect(await runParley(...asAnn)).toMatchObject({ code: 1, stderr: expect.stringContaining('role') });
  const asNobody = ['notify', 'test', 'webhook', '--port', String(server.ready.port)];
  expect(await runParley(...asNobody)).toMatchObject({ code: 1, stderr: expect.stringContaining('Set PARLEY_TOKEN') });
  await server.kill();
  expect(await notify('webhook')).toMatchObject({ code: 1, stderr: expect.stringContaining('No server answers') });
});

test('[NTF3, OPS2] a secret comes from the environment, and a variable that is not set makes the start fail', async () => {
  await expect(start({ owner: {} }, {})).rejects.toThrow('the environment has no HOOK_SECRET');
  await expect(start({ owner: {} }, { HOOK_SECRET: 'short' })).rejects.toThrow('secret: must be 24 to 64 bytes');
});

test('[NTF3] a notification that was not accepted is sent again after a kill -9, with the same id, and then no more', async () => {
  server = await start();
  receiver.status = 503;
  const journey = await Journey.begin(server, { hello: { token: ownToken } });
  const prompt = await journey.ask('ask_user', { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] });
  const first = await receiver.request();
  const states = async () => {
    const headers = { authorization: `Bearer ${ownToken}` };
    const { deliveries } = await (await fetch(`${server.httpUrl}/api/deliveries`, { headers })).json();
    return deliveries.map(({ state, attempts }: Record<string, unknown>) => [state, attempts]);
  };
  await expect.poll(states, { timeout: 30_000 }).toEqual([['due', 1]]);
  await server.kill();
  receiver.status = 200;
  await server.restart();
  await expect.poll(states, { timeout: 30_000 }).toEqual([['sent', 2]]);
  await server.restart();
  const tab = await server.open({ hello: { token: ownToken } });
  await tab.answer(journey.session, prompt, { action: 'cancel' });
  await receiver.request(({ body }) => body.includes('prompt.settled'));
  const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
  const { 'webhook-id': id } = first.headers;
  expect(ids).toEqual([id, id, `${id}.settled`]);
  for (const { body, headers } of receiver.requests)
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      data: { interactionId: prompt.interactionId },
    });
  expect(server.stderr.join('')).not.toContain(secret);
});
