import { definePlugin, type InteractionRequest, type Store } from '@parleyhq/core';
import { openSqliteStore } from '@parleyhq/server';
import { FaultyStore } from '@parleyhq/store-kit/testing';
import { beforeEach, expect, test } from 'vitest';
import { hold } from '../support/hold.ts';
import { type LocalServer, startLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

let local: LocalServer;
let tab: Tab;
let session: string;

beforeEach(async () => {
  work = Promise.resolve();
  reading = Promise.resolve();
  local = await startLocalServer({ openStore: openSlowly, plugins: [asker], durations: { restartGraceMs: 50 } });
  tab = await local.open();
  session = await tab.createSession();
  await tab.follow(session);
});

/** What a handler waits for before it asks, and a store before it returns a call's journal. */
let work = Promise.resolve();
let reading = Promise.resolve();

const asker = definePlugin({
  name: 'asker',
  tools: [
    {
      name: 'ask',
      description: 'Asks.',
      parameters: { type: 'object' },
      async handler(args, ctx) {
        await work;
        return ctx.requestInteraction({
          type: 'input',
          inputSchema: { type: 'form', fields: [{ id: 'pin', type: 'secret', label: 'PIN' }] },
          ...args,
          onResponse: ({ input }) => ({ complete: `${String(input?.pin).length} digits` }),
        });
      },
    },
    {
      name: 'plain',
      description: 'Asks without a hook.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        await work;
        return ctx.requestInteraction({ type: 'approval' });
      },
    },
  ],
});

function openSlowly(file: string): Store {
  const store = new FaultyStore(openSqliteStore(file));
  store.intercept('index', 'records', async (read) => {
    await reading;
    return read();
  });
  return store;
}

/** Restarts over the same data: the server is ready while its calls are still being re-entered. */
async function restart(): Promise<void> {
  await local.restart();
  tab = await local.open();
  await tab.follow(session);
}

async function ask(tool = 'ask', args: object = {}): Promise<InteractionRequest> {
  await tab.say(session, `/call ${tool} ${JSON.stringify(args)}`);
  return tab.prompt(session);
}

const submit = { action: 'submit', input: { pin: '4711' } };

const outcome = async () => (await tab.event(session, 'tool_result')).payload.result;

test('[DUR1, INT1] an answer that arrives before its handler asks again is kept for it, with its secret', async () => {
  const prompt = await ask();
  const { until, release } = hold();
  work = until;
  await restart();
  expect(await tab.answer(session, prompt, submit)).toMatchObject({ ok: true });
  release();
  expect(await outcome()).toBe('4 digits');
  expect(tab.events(session).filter(({ type }) => type === 'interaction_request')).toHaveLength(1);
});

test('[DUR1, INT1] an early answer to a prompt without a hook waits for its handler', async () => {
  const prompt = await ask('plain');
  const { until, release } = hold();
  work = until;
  await restart();
  expect(await tab.answer(session, prompt, { action: 'approve' })).toMatchObject({ ok: true });
  release();
  expect(await outcome()).toMatchObject({ action: 'approve' });
});

test('[DUR2, DUR4] an answer that arrives while a call reads its journal is not interrupted work: nobody is asked to run it again', async () => {
  const prompt = await ask();
  const { until, release } = hold();
  reading = until;
  await restart();
  expect(await tab.answer(session, prompt, submit)).toMatchObject({ ok: true });
  release();
  expect(await outcome()).toBe('4 digits');
  expect(tab.events(session).filter(({ type }) => type === 'interaction_request')).toHaveLength(1);
});

test('[DUR1, INT10] a deadline that passes before its handler asks again still ends the wait', async () => {
  await ask('ask', { timeoutMs: 1000 });
  const { until, release } = hold();
  work = until;
  await restart();
  const ends = ['interaction_expired', 'interaction_closed'];
  await tab.until(() => tab.events(session).some(({ type }) => ends.includes(type))); // live, or caught up on
  release();
  expect(await outcome()).toEqual({ ok: false, error: 'timeout' });
});
