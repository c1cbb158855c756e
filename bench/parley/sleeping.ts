import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { defineTool } from '@parleyhq/core';
import { openSqliteStore, ParleyServer } from '@parleyhq/server';
import Sqlite from 'better-sqlite3';
import { serveCalls } from '../process/child.ts';
import { clock, sleep } from '../process/clock.ts';
import { readMemory } from '../process/memory.ts';

const [dataDir = '.'] = process.argv.slice(2);
const path = join(dataDir, 'parley.db');
/** After this long, in ms, calls sleep. */
const quietMs = 1000;

const ask = defineTool({
  name: 'bench_sleep',
  description: 'Asks, and sleeps until somebody answers.',
  parameters: { type: 'object' },
  hibernates: true,
  handler: (_, ctx) =>
    ctx.requestInteraction({ type: 'approval', prompt: 'Go on?', timeoutMs: null, onUnavailable: 'wait' }),
});

/** Makes a server whose calls and sessions leave memory soon after they are quiet. */
function makeServer(): ParleyServer {
  const store = openSqliteStore(path, { durability: 'full' });
  const durations = { steadyMs: 0, hibernateAfterMs: quietMs, sessionIdleMs: quietMs };
  return new ParleyServer({ store, plugins: [{ name: 'bench', tools: [ask] }], dataDir, durations });
}

let server: ParleyServer;

/** Starts a call and waits for its question. */
async function begin(): Promise<string> {
  const { hub } = server;
  const { id } = await hub.create({ agent: 'demo' });
  const { session } = await hub.open(id);
  const message = { messageId: randomUUID(), text: '/call bench_sleep {}', origin: 'user' } as const;
  await session.perform({ type: 'send', message });
  while (session.storedHead.prompts.length === 0) await sleep(1);
  return id;
}

/** Copies the rows of the only session, each time with other ids. */
function copySession(count: number): void {
  const db = new Sqlite(path);
  const [row] = db.prepare<[], Record<string, unknown>>('select * from sessions').all();
  const events = db.prepare<[], Record<string, unknown>>('select * from events order by seq').all();
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
  const insertInto = (table: string, like: Record<string, unknown>) => {
    const names = Object.keys(like);
    return db.prepare(`insert into ${table} (${names.join()}) values (${names.map((name) => `@${name}`).join()})`);
  };
  if (!row || !events[0]) throw new Error('there is no session to copy');
  const [insertSession, insertEvent] = [insertInto('sessions', row), insertInto('events', events[0])];
  db.transaction(() => {
    for (let n = 1; n < count; n += 1) {
      const suffix = n.toString(16).padStart(12, '0');
      const renew = (value: unknown) =>
        typeof value === 'string' ? value.replace(uuid, (id) => id.slice(0, 24) + suffix) : value;
      const copy = (values: Record<string, unknown>, own: object) =>
        Object.assign(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, renew(value)])), own);
      const key = Number(row.key) + n;
      insertSession.run(copy(row, { key }));
      for (const event of events) insertEvent.run(copy(event, { session: key }));
    }
  })();
  db.close();
}

/** Connects in process, as an operator. */
function connect() {
  const waiting: { readonly isMeant: (frame: { type: string; requestId?: string }) => boolean; end(): void }[] = [];
  const link = server.connect({
    onMessage(text) {
      const frame = JSON.parse(text) as { type: string; requestId?: string };
      for (const each of waiting) if (each.isMeant(frame)) each.end();
    },
    onClose: () => undefined,
  });
  /** Sends a frame. @returns how long its reply took, in ms */
  return async (frame: object): Promise<number> => {
    const requestId = randomUUID();
    const begun = clock();
    const replied = new Promise<void>((end) =>
      waiting.push({ isMeant: ({ type, requestId: id }) => type === 'welcome' || id === requestId, end }),
    );
    link.send(JSON.stringify({ ...frame, requestId }));
    await replied;
    waiting.length = 0;
    return clock() - begun;
  };
}

/** Answers the question of a session. @returns how long it took until the call's result was stored, in ms */
async function answer(id: string): Promise<number> {
  const begun = clock();
  const { session } = await server.hub.open(id);
  const [prompt] = session.head.prompts;
  if (!prompt) throw new Error('nothing is asked');
  const { toolCallId: callId, interactionId, digest } = prompt.request;
  const ended = new Promise<void>((resolve) => {
    session.observe({ onChange: ({ events }) => events.some(({ type }) => type === 'tool_result') && resolve() });
  });
  const principal = { id: 'bench', role: 'operator' } as const;
  const by = { kind: 'user', principal: 'bench' } as never;
  const given = { type: 'answer', callId, interactionId, answerId: randomUUID(), digest, by, principal } as const;
  await session.perform({ ...given, answer: { action: 'approve' } as never, isEnabled: true });
  await ended;
  return clock() - begun;
}

const methods = {
  /** Stores calls that wait for people, each in a session of its own. */
  async fill(count: number) {
    server = makeServer();
    await server.listen({ port: 0, host: '127.0.0.1' });
    await begin();
    while (server.hub.size > 0) await sleep(20);
    await server.close();
    copySession(count);
  },
  /** Starts the server. @returns when it was ready, and how long that took without Node's own start, in ms */
  async start() {
    const begun = clock();
    server = makeServer();
    await server.listen({ port: 0, host: '127.0.0.1' });
    const readyAt = clock();
    return { readyAt, ms: readyAt - begun, open: server.openPrompts };
  },
  /** Resolves when all that was left has been examined and sleeps out of memory. @returns how long that took, in ms */
  async rest() {
    const begun = clock();
    const isLeft = async () => !(await server.metrics.registry.metrics()).includes('\nparley_calls_to_enter 0\n');
    while (server.hub.size > 0 || (await isLeft())) await sleep(100);
    return clock() - begun;
  },
  memory: readMemory,
  /** @returns how long it takes, in ms, to connect, to read a page of the inbox, and to search the sessions */
  async list() {
    const ask = connect();
    const hello = { type: 'hello', protocol: 1, clientId: 'bench', interaction: { supported: true, enabled: true } };
    const welcome = await ask(hello);
    const page = await ask({ type: 'list_open' });
    const search = await ask({ type: 'list_sessions', query: 'session', limit: 20 });
    return { welcome, page, search };
  },
  /** Answers calls that sleep out of memory, and calls that are awake. @returns the time of each in ms */
  async answer(count: number) {
    const records = await server.hub.list({ id: 'bench', role: 'operator' }, { limit: count });
    const slept: number[] = [];
    const awake: number[] = [];
    for (const { id } of records) {
      slept.push(await answer(id));
      awake.push(await answer(await begin()));
    }
    return { slept, awake };
  },
};

export type SleepingMethods = typeof methods;

serveCalls(methods);
