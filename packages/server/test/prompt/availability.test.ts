import { afterEach, expect, test, vi } from 'vitest';
import { effect, Journey, pluginPath, question, release } from '../support/journey.ts';
import type { Tab } from '../support/tab.ts';
import { startServer, useServer } from '../support/use-server.ts';

const server = useServer({ plugins: [pluginPath('scripted.mjs')] });

// Presence is counted over the whole server: each test begins with nobody.
let tabs: Tab[] = [];
afterEach(async () => {
  await Promise.all(tabs.map((tab) => tab.close()));
  tabs = [];
  await vi.waitFor(async () => {
    const metrics = await fetch(`${server.httpUrl}/metrics`);
    expect(await metrics.text()).toMatch(/^parley_connections 0$/m);
  });
});

async function begin(options?: Parameters<typeof Tab.open>[1]): Promise<Journey> {
  const journey = await Journey.begin(server, options);
  tabs.push(journey.tab);
  return journey;
}

async function join(journey: Journey, options?: Parameters<typeof Tab.open>[1]): Promise<Journey> {
  const other = await journey.join(server, options);
  tabs.push(other.tab);
  return other;
}

async function open(): Promise<Tab> {
  const tab = await server.open();
  tabs.push(tab);
  return tab;
}

const enable = (journey: Journey, enabled: boolean) => journey.tab.ask({ type: 'set_interaction_mode', enabled });

test('[INT14, INT15] with nobody enabled a prompt fails with interaction_unavailable, and the message says so', async () => {
  const journey = await begin({ enabled: false });
  await journey.call('scripted', { request: question() });
  expect((await journey.outcome()).error).toMatchObject({ code: 'interaction_unavailable' });
  expect(journey.events('interaction_request')).toEqual([]);
  expect(await journey.words()).toContain('"code":"interaction_unavailable"');
});

test('[FRM2, INT14] a client without "interaction" in hello does not count; set_interaction_mode declares it', async () => {
  const journey = await begin({ hello: { interaction: undefined } });
  expect(await journey.run('count', { files: [] })).toEqual({
    result: [{ available: false, supportedCount: 0, enabledCount: 0 }],
  });
  await enable(journey, true);
  expect(await journey.run('count', { files: [] })).toEqual({
    result: [{ available: true, supportedCount: 1, enabledCount: 1 }],
  });
  const prompt = await journey.ask('ask_user', { question: 'now?' });
  expect(await journey.submit(prompt, { answer: 'yes' })).toMatchObject({ ok: true });
});

test('[INT14] ctx.interaction is live: tabs come, go, and change their mind', async () => {
  const journey = await begin({ enabled: false });
  await journey.call('count', { files: ['came', 'enabled', 'left', 'disabled'] });
  await effect(server, 'counted', '1');
  const other = await open();
  await release(server, 'came');
  await effect(server, 'counted', '2');
  await enable(journey, true);
  await release(server, 'enabled');
  await effect(server, 'counted', '3');
  await other.close();
  await journey.tab.until((frame) => frame.type === 'presence' && frame.interactive === 1 && frame.enabled === 1);
  await release(server, 'left');
  await effect(server, 'counted', '4');
  await enable(journey, false);
  await release(server, 'disabled');
  expect((await journey.outcome()).result).toEqual([
    { available: false, supportedCount: 1, enabledCount: 0 },
    { available: true, supportedCount: 2, enabledCount: 1 },
    { available: true, supportedCount: 2, enabledCount: 2 },
    { available: true, supportedCount: 1, enabledCount: 1 },
    { available: false, supportedCount: 1, enabledCount: 0 },
  ]);
});

test('[INT14] an enabled client counts whatever it follows, because it gets the inbox', async () => {
  const journey = await begin({ enabled: false });
  const elsewhere = await open();
  const prompt = await journey.ask('ask_user', { question: 'anyone?' });
  await elsewhere.until((frame) => frame.type === 'interaction_opened' && frame.sessionId === journey.session);
  const reply = await elsewhere.answer(journey.session, prompt, { action: 'submit', input: { answer: 'me' } });
  expect(reply).toMatchObject({ ok: true });
  expect((await journey.event('interaction_response')).payload.by.clientId).toBe(elsewhere.clientId);
});

test("[INT14, INT15] 'wait' opens the prompt for whoever connects; enabling makes it answerable at once", async () => {
  const journey = await begin({ enabled: false });
  const prompt = await journey.ask('scripted', { request: question('answer', { onUnavailable: 'wait' }) });
  expect(await journey.submit(prompt, { answer: 'x' })).toMatchObject({ error: { code: 'interaction_disabled' } });
  await enable(journey, true);
  expect(await journey.submit(prompt, { answer: 'x' })).toMatchObject({ ok: true });
  expect((await journey.outcome()).result).toMatchObject({ input: { answer: 'x' } });
});

test('[INT14] losing the last client never fails an open prompt, nor the next attempt at it', async () => {
  const journey = await begin();
  const reader = await join(journey, { enabled: false });
  const first = await journey.ask('scripted', {
    request: question('answer', { timeoutMs: 300 }),
    onTimeout: [{ return: { reprompt: { timeoutMs: null } } }],
  });
  await journey.tab.close();
  const second = await reader.next(first);
  await enable(reader, true);
  expect(await reader.submit(second, { answer: 'back' })).toMatchObject({ ok: true });
  expect((await reader.outcome()).result).toMatchObject({ input: { answer: 'back' } });
});

test('[INT14, FRM4] two connections of one client both count and both answer; presence says how many are there', async () => {
  const journey = await begin();
  const twin = await join(journey, { clientId: journey.tab.clientId });
  await twin.tab.until((frame) => frame.type === 'presence' && frame.connections === 2 && frame.enabled === 2);
  const prompt = await journey.ask('ask_user', { question: 'which?' });
  expect(await twin.submit(prompt, { answer: 'both' })).toMatchObject({ ok: true });
});

test('[INT14, DUR1] for 30 s after a start a resumed turn asks as if somebody were connected, in its later calls, too', async () => {
  const own = await startServer({ plugins: [pluginPath('scripted.mjs')] });
  const journey = await Journey.begin(own);
  const ask = `/call scripted ${JSON.stringify({ request: question() })}`;
  await journey.tab.say(journey.session, `/stream 10 30\n${ask}`);
  await journey.tab.until((frame) => frame.type === 'stream' && frame.offset > 0);
  await own.restart();
  // Nobody is enabled: the turn resumes by itself.
  const back = await journey.join(own, { enabled: false });
  const prompt = (await back.event('interaction_request')).payload;
  expect(prompt.prompt).toBe('answer?');
  await enable(back, true);
  expect(await back.submit(prompt, { answer: 'here' })).toMatchObject({ ok: true });
});
