import { definePlugin, type InteractionRequest } from '@parleyhq/core';
import { beforeEach, expect, test } from 'vitest';
import { type LocalServer, startLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** Offset of the machine's clock, in ms. */
let offset: number;
const durations = { restartGraceMs: 0 };
let local: LocalServer;
let tab: Tab;
let session: string;

beforeEach(async () => {
  offset = 0;
  durations.restartGraceMs = 60_000;
  const now = () => Date.now() + offset;
  local = await startLocalServer({ plugins: [asker], now, durations });
  tab = await local.open();
  session = await tab.createSession();
  await tab.follow(session);
});

const asker = definePlugin({
  name: 'asker',
  tools: [
    {
      name: 'ask',
      description: 'Asks for a while.',
      parameters: { type: 'object', properties: { ms: { type: 'number' } } },
      handler: (args, ctx) =>
        ctx.requestInteraction({
          type: 'approval',
          timeoutMs: (args as { ms: number }).ms,
          onTimeout: () => ({ complete: 'nobody came' }),
          onResponse: ({ action }) => ({ complete: action }),
        }),
    },
  ],
});

/** Restarts over the same data with another clock. */
async function restart(newOffset: number, restartGraceMs: number): Promise<void> {
  offset = newOffset;
  durations.restartGraceMs = restartGraceMs;
  await local.restart();
  tab = await local.open();
  await tab.follow(session);
}

async function ask(ms: number): Promise<InteractionRequest> {
  const { seq } = await tab.say(session, `/call ask {"ms":${ms}}`);
  return tab.prompt(session, seq);
}

const outcome = async () => (await tab.event(session, 'tool_result')).payload.result;

/** Lets another session's prompt time out: its timer has fired, and every other one that was due. */
async function letOneEnd(): Promise<void> {
  const other = await tab.createSession();
  await tab.follow(other);
  await tab.say(other, '/call ask {"ms":50}');
  await tab.event(other, 'tool_result');
}

test('[INT10, EVT1] the clock goes back an hour under an open prompt: it times out when it should, and order is by seq', async () => {
  await ask(1000);
  offset = -hour;
  expect(await outcome()).toBe('nobody came');
  await tab.event(session, 'turn_end');
  const events = tab.events(session);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const times = events.map(({ timestamp }) => Date.parse(timestamp));
  expect(times.at(-1)).toBeLessThan(times[0] as number);
  const again = await local.open();
  await again.follow(session);
  expect(again.events(session)).toEqual(events);
});

test('[INT10] the clock goes forward a day under an open prompt: it stays open, and an answer is accepted', async () => {
  const prompt = await ask(5 * 60_000);
  offset = day;
  await letOneEnd();
  expect(tab.events(session).at(-1)?.payload).toEqual(prompt);
  expect(await tab.answer(session, prompt, { action: 'approve' })).toMatchObject({ ok: true });
  expect(await outcome()).toBe('approve');
});

test('[INT10, DUR1] the clock went back an hour while the server was down: no prompt gets more time than it asked for', async () => {
  const prompt = await ask(3000);
  await restart(-hour, 200);
  expect((await tab.waitFor('snapshot')).head.prompts).toMatchObject([{ request: prompt }]);
  expect(await outcome()).toBe('nobody came');
});

test('[INT10, DUR1] the clock went forward a day while the server was down: prompts get the grace period of a restart', async () => {
  const prompt = await ask(5 * 60_000);
  await restart(day, 60_000);
  expect(await tab.answer(session, prompt, { action: 'deny' })).toMatchObject({ ok: true });
  expect(await outcome()).toBe('deny');
});

test('[INT10, DUR1] a prompt that expired while the server was down times out after the grace period', async () => {
  await ask(5 * 60_000);
  await restart(day, 200);
  expect(await outcome()).toBe('nobody came');
});
