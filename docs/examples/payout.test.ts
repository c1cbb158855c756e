import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { pathOf, startInTest, Talk } from './test/talk.ts';

/** A bank with idempotency keys. Its first reply is never sent: it has paid, but the caller does not know. */
async function openBank(): Promise<{
  url: string;
  asked: string[];
  paid: Map<string, number>;
  paidOnce: Promise<void>;
}> {
  const asked: string[] = [];
  const paid = new Map<string, number>();
  let tell = () => {};
  const paidOnce = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const bank = createServer((request, response) => {
    request.on('data', (body) => {
      const key = String(request.headers['idempotency-key']);
      asked.push(key);
      if (!paid.has(key)) paid.set(key, JSON.parse(String(body)).amount);
      if (asked.length === 1) return tell();
      response.end(JSON.stringify({ paid: paid.get(key) }));
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    bank.closeAllConnections();
    bank.close();
  });
  await once(bank, 'listening');
  return { url: `http://127.0.0.1:${(bank.address() as AddressInfo).port}`, asked, paid, paidOnce };
}

test('[DUR3, DUR4, DUR5] payout: killed between the effect and its record, it repeats the request under the same key', async () => {
  const bank = await openBank();
  const server = await startInTest({ plugins: [pathOf('payout.mjs')], env: { BANK_URL: bank.url } });
  const talk = await Talk.begin(server, '/call pay_out {"amount":7}');
  const [first, second] = [await talk.prompt(), await talk.prompt()];
  await talk.answer({ action: 'approve' }, second);
  await talk.answer({ action: 'approve' }, first);
  await bank.paidOnce;
  await server.restart();
  const back = await talk.goOn(server);
  const [, due] = /by (\S+)\?/.exec(`${first.prompt} ${second.prompt}`) ?? [];
  expect(await back.result()).toEqual({ paid: 7, due });
  expect(bank.asked).toHaveLength(2);
  expect([...bank.paid]).toEqual([[bank.asked[0], 7]]);
  expect(back.tab.events('interaction_request')).toHaveLength(2);
});

test('[DUR6] payout: a tool that is not durable ends with the process', async () => {
  const server = await startInTest({ plugins: [pathOf('payout.mjs')] });
  const talk = await Talk.begin(server, '/call keep_probe');
  await talk.prompt();
  await server.restart();
  const back = await talk.goOn(server);
  expect(await back.result()).toMatchObject({ code: 'orphaned' });
});
