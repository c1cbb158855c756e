import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definePlugin, type InteractionRequest } from '@parleyhq/core';
import { openSqliteStore } from '@parleyhq/server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

let folder: string;
let local: LocalServer;
let tab: Tab;
let session: string;

beforeEach(async () => {
  work = Promise.resolve();
  reading = Promise.resolve();
  folder = await mkdtemp(join(tmpdir(), 'parley-instant-'));
  local = await start();
  tab = await local.open();
  session = await tab.createSession();
  await tab.follow(session);
});
afterEach(async () => {
  await local.remove();
  await rm(folder, { recursive: true });
});

/** What a handler does before it asks, and a store before it says what a call did: nothing, unless a test holds it up. */
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

function start(): Promise<LocalServer> {
  const store = openSqliteStore(join(folder, 'parley.db'));
  const durations = { restartGraceMs: 50 };
  return LocalServer.start({ store, dataDir: folder, plugins: [asker], durations }, (store) => {
    const records = store.index.records.bind(store.index);
    store.index.records = async (...call) => {
      await reading;
      return records(...call);
    };
    return store;
  });
}

/** The next process over the same data: it is ready, and its calls are not yet where they were. */
async function restart(): Promise<void> {
  await local.remove();
  local = await start();
  tab = await local.open();
  await tab.follow(session);
}

function hold(): { until: Promise<void>; release: () => void } {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { until, release };
}

async function ask(tool = 'ask', args: object = {}): Promise<InteractionRequest> {
  await tab.say(session, `/call ${tool} ${JSON.stringify(args)}`);
  return tab.prompt(session);
}

const submit = { action: 'submit', input: { pin: '4711' } };

const outcome = async () => (await tab.event(session, 'tool_result')).payload.result;

test('[DUR1, INT1] an answer that comes before its handler asks again waits for it, with its secret', async () => {
  const prompt = await ask();
  const { until, release } = hold();
  work = until;
  await restart();
  expect(await tab.answer(session, prompt, submit)).toMatchObject({ ok: true });
  release();
  expect(await outcome()).toBe('4 digits');
  expect(tab.events(session).filter(({ type }) => type === 'interaction_request')).toHaveLength(1);
});

test('[DUR1, INT1] the same without a hook', async () => {
  const prompt = await ask('plain');
  const { until, release } = hold();
  work = until;
  await restart();
  expect(await tab.answer(session, prompt, { action: 'approve' })).toMatchObject({ ok: true });
  release();
  expect(await outcome()).toMatchObject({ action: 'approve' });
});

test('[DUR2, DUR4] an answer that comes while a call finds out what it did is no work that was cut off: nobody is asked', async () => {
  const prompt = await ask();
  const { until, release } = hold();
  reading = until;
  await restart();
  expect(await tab.answer(session, prompt, submit)).toMatchObject({ ok: true });
  release();
  expect(await outcome()).toBe('4 digits');
  expect(tab.events(session).filter(({ type }) => type === 'interaction_request')).toHaveLength(1);
});

test('[DUR1, INT10] a deadline that comes before its handler asks again ends the wait all the same', async () => {
  await ask('ask', { timeoutMs: 1000 });
  const { until, release } = hold();
  work = until;
  await restart();
  const ends = ['interaction_expired', 'interaction_closed'];
  await tab.until((frame) => frame.type === 'chat_event' && ends.includes(frame.event.type));
  release();
  expect(await outcome()).toEqual({ ok: false, error: 'timeout' });
});
