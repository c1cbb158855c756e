import { expect, test } from 'vitest';
import { filesWith } from '../support/files-with.ts';
import { Journey, pluginPath } from '../support/journey.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startServer, useServer } from '../support/use-server.ts';

const plugins = [pluginPath('callbacks.mjs')];
const server = useServer({ plugins });

const post = async (url: string, body?: unknown) => {
  const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(url, { method: 'POST', ...(body !== undefined && json) });
  return { status: response.status, body: await response.json() };
};

/** Calls a tool. @returns the address that it hands out */
async function begin(journey: Journey, toolName: string, args: object = {}): Promise<string> {
  await journey.call(toolName, args);
  const frame = await journey.tab.until((frame) => frame.type === 'stream' && frame.kind === 'tool_output');
  return (frame as { text: string }).text;
}

/** Returns the same address at a server that now listens elsewhere. */
const at = (url: string, { ready }: ServerProcess) => {
  const moved = new URL(url);
  moved.port = String(ready.port);
  return moved.href;
};

test('[PLG11] one POST ends a wait with what it says, and any later one is 410', async () => {
  const journey = await Journey.begin(server);
  const url = await begin(journey, 'pay');
  expect(await post(url, { paid: true, amount: 3 })).toEqual({ status: 200, body: { ok: true } });
  expect(await journey.outcome()).toEqual({ result: { payment: { paid: true, amount: 3 } } });
  expect(await post(url, { paid: false })).toMatchObject({ status: 410, body: { error: { code: 'closed' } } });
  const { payload } = await journey.event('callback_settled');
  expect(payload).toEqual({ toolCallId: expect.any(String), key: 'payment', outcome: 'received' });
  expect(journey.events('interaction_request')).toEqual([]);
});

test('[PLG11] one of a hundred posts at once counts', async () => {
  const journey = await Journey.begin(server);
  const url = await begin(journey, 'pay');
  const all = await Promise.all(
    Array.from({ length: 100 }, (_, n) => post(url, { n }).then(({ status }) => [n, status])),
  );
  const winners = all.filter(([, status]) => status === 200);
  expect(winners).toHaveLength(1);
  expect(new Set(all.map(([, status]) => status))).toEqual(new Set([200, 410]));
  expect(await journey.outcome()).toEqual({ result: { payment: { n: winners[0]?.[0] } } });
});

test('[PLG11] a wait that its tool abandons ends, and later posts are refused while its call continues', async () => {
  const journey = await Journey.begin(server);
  const url = await begin(journey, 'pay_or_skip');
  await journey.answer(await journey.tab.prompt(journey.session, 0), { action: 'approve' });
  const [, goOn] = await journey.prompts(2);
  expect((await journey.event('callback_settled')).payload.outcome).toBe('withdrawn');
  expect(await post(url)).toMatchObject({ status: 410 });
  await journey.answer(goOn!, { action: 'approve' });
  expect(await journey.outcome()).toEqual({ result: { code: 'withdrawn' } });
});

test('[PLG11] a post before the wait is kept, and settles no prompt', async () => {
  const journey = await Journey.begin(server);
  const url = await begin(journey, 'pay_early');
  const prompt = await journey.tab.prompt(journey.session, 0);
  expect(await post(url)).toMatchObject({ status: 200 });
  expect(journey.settlements(prompt)).toEqual([]);
  await journey.answer(prompt, { action: 'approve' });
  expect(await journey.outcome()).toEqual({ result: { payment: null } });
});

test('[PLG11, PLG8] a post that does not fit the schema is refused, and the tool keeps waiting', async () => {
  const journey = await Journey.begin(server);
  const url = await begin(journey, 'pay', { isStrict: true });
  expect(await post(url, { paid: 'yes' })).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid', message: expect.stringContaining('paid') } },
  });
  expect(await fetch(url, { method: 'POST', body: 'paid=true' })).toMatchObject({ status: 400 });
  expect(await post(url, { paid: true })).toMatchObject({ status: 200 });
  expect(await journey.outcome()).toEqual({ result: { payment: { paid: true } } });
});

test('[PLG11, SEC11] a made-up or changed address is not found, and no GET calls back', async () => {
  const journey = await Journey.begin(server);
  const url = await begin(journey, 'pay');
  expect(await post(`${url.slice(0, -2)}AA`, {})).toMatchObject({ status: 404 });
  expect(await post(`${new URL(url).origin}/callbacks/nope`, {})).toMatchObject({ status: 404 });
  expect((await fetch(url)).status).toBe(404);
  expect(await post(url, 1)).toMatchObject({ status: 200 });
  expect(await journey.outcome()).toEqual({ result: { payment: 1 } });
});

test('[PLG11] a wait ends with a coded timeout at its deadline, or at the end of the callback’s own time', async () => {
  const journey = await Journey.begin(server);
  const url = await begin(journey, 'pay', { timeoutMs: 50 });
  expect(await journey.outcome()).toMatchObject({ error: { code: 'timeout' } });
  expect(await post(url, {})).toMatchObject({ status: 410 });
  const other = await Journey.begin(server);
  await begin(other, 'pay', { ttlMs: 50 });
  expect(await other.outcome()).toMatchObject({ error: { code: 'timeout' } });
});

test('[PLG11, INT11] stopping the turn ends the wait: a later post is 410', async () => {
  const journey = await Journey.begin(server);
  const url = await begin(journey, 'pay');
  await journey.tab.ask({ type: 'cancel_turn', sessionId: journey.session });
  expect(await journey.outcome()).toMatchObject({ error: { code: 'cancelled' } });
  expect(await post(url, {})).toMatchObject({ status: 410 });
});

test("[PLG11, PLG4] waiting does not count against a tool's own time", async () => {
  const journey = await Journey.begin(server);
  const url = await begin(journey, 'impatient_pay');
  const idle = await Journey.begin(server);
  expect(await idle.run('idle')).toMatchObject({ error: { code: 'tool_timeout' } }); // begun later, with the same timeout
  expect(await post(url, 'late')).toMatchObject({ status: 200 });
  expect(await journey.outcome()).toEqual({ result: { payment: 'late' } });
});

test('[PLG11, PLG8] waiting for a callback that was never handed out is an error that explains it', async () => {
  const journey = await Journey.begin(server);
  const { error } = await journey.run('wait_wrongly');
  expect(error).toMatchObject({ code: 'tool_error', message: expect.stringContaining('ctx.callback("nothing")') });
});

test('[PLG11, DUR1, DUR2] a wait survives kill -9: the address is the same, and the call continues with what is posted', async () => {
  const own = await startServer({ plugins });
  let journey = await Journey.begin(own);
  const url = await begin(journey, 'pay');
  await own.restart();
  journey = await journey.join(own);
  expect(await post(at(url, own), { paid: true })).toMatchObject({ status: 200 });
  expect(await journey.outcome()).toEqual({ result: { payment: { paid: true } } });
  expect(journey.events('interaction_request')).toEqual([]);
  expect(await post(at(url, own), { paid: true })).toMatchObject({ status: 410 });
});

test('[PLG11, DUR2] a post still counts after a kill while a prompt is open', async () => {
  const own = await startServer({ plugins });
  let journey = await Journey.begin(own);
  const url = await begin(journey, 'pay_and_ask');
  const prompt = await journey.tab.prompt(journey.session, 0);
  expect(await post(url, 7)).toMatchObject({ status: 200 });
  await own.restart();
  journey = await journey.join(own);
  expect(await journey.answer(prompt, { action: 'approve' })).toMatchObject({ ok: true });
  expect(await journey.outcome()).toEqual({ result: { payment: 7, isSure: true } });
});

test('[PLG11, INT17] a secret that somebody typed and that is posted goes to the handler, and into no record', async () => {
  const journey = await Journey.begin(server);
  const url = await begin(journey, 'pay_with_pin');
  const [prompt] = await journey.prompts(1);
  const pin = 'hush-hush-4711';
  await journey.submit(prompt!, { pin });
  await journey.tab.until((frame) => frame.type === 'stream' && frame.text.includes('typed'));
  expect(await post(url, { note: `PIN ${pin}` })).toMatchObject({ status: 200 });
  const [, sure] = await journey.prompts(2);
  expect(await filesWith(server.dataDir, pin)).toEqual([]);
  await journey.answer(sure!, { action: 'approve' });
  expect(await journey.outcome()).toEqual({ result: { isKnown: true } });
});
