import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { PostgresServer } from '../../../../plugins/postgres/test/support/postgres-server.ts';
import { ServerProcess } from '../support/server-process.ts';
import type { Tab } from '../support/tab.ts';
import { Door } from './support/door.ts';

const ask = '/call ask_user {"question":"Tea or coffee?","options":["Tea","Coffee"]}';
const patience = { timeout: 30_000 };

async function startPostgres(): Promise<PostgresServer> {
  const server = await PostgresServer.create();
  onTestFinished(() => server.remove());
  await server.start();
  await useSql(server).unsafe('create database parley');
  return server;
}

function useSql(server: PostgresServer, database = 'postgres'): postgres.Sql {
  const sql = postgres(server.urlOf(database), { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end({ timeout: 0 }));
  return sql;
}

/** Starts two nodes on the database behind this port, with a session that both follow and that has asked something. */
async function askOn(port: number) {
  const env = { PARLEY_STORE: `postgres://parley@127.0.0.1:${port}/parley` };
  const nodes = await Promise.all([ServerProcess.start({ env }), ServerProcess.start({ env })]);
  onTestFinished(async () => {
    for (const node of nodes) await node.remove();
  });
  const tabs = await Promise.all(nodes.map((node) => node.open()));
  const [atA, atB] = tabs as [Tab, Tab];
  const session = await atA.createSession();
  await atB.until((frame) => frame.type === 'session_created' && frame.session.id === session);
  const { epoch } = await atA.follow(session);
  await atB.follow(session);
  await atA.say(session, ask);
  const prompt = await atB.prompt(session);
  return { nodes, tabs, atB, session, prompt, epoch };
}

type Asked = Awaited<ReturnType<typeof askOn>>;

async function answerTea(tab: Tab, { session, prompt }: Asked): Promise<void> {
  const reply = await tab.answer(session, prompt, { action: 'submit', input: { answer: 'Tea' } });
  expect(reply).toMatchObject({ ok: true });
  await tab.event(session, 'turn_end', undefined, prompt.attempt);
}

/**
 * Checks that every node reports it, closes the connections of its tabs, and admits them again: with one new epoch, and what is
 * stored now.
 */
async function returnWithNewEpoch({ nodes, tabs, session, epoch, atB }: Asked): Promise<readonly [Tab, Tab]> {
  await Promise.all(nodes.map((node) => node.says('the database is not the one that this node knew')));
  await expect.poll(() => tabs.map(({ closeCode }) => closeCode), patience).toEqual([1012, 1012]);
  const known = { epoch, seq: atB.events(session).at(-1)?.seq ?? 0 };
  const returned: Tab[] = [];
  for (const node of nodes) {
    let tab: Tab | undefined;
    const open = async () => {
      tab = await node.open().catch(() => undefined); // while it restarts it accepts nobody
      return tab;
    };
    await expect.poll(open, patience).toBeDefined();
    if (!tab) throw new Error('not open');
    await tab.follow(session, { cursor: known });
    returned.push(tab);
  }
  const resets = returned.map(({ frames }) => frames.find(({ type }) => type === 'reset'));
  expect(new Set(resets.map((frame) => frame?.type === 'reset' && frame.epoch)).size).toBe(1);
  expect(resets[0]).toMatchObject({ type: 'reset', sessionId: session, epoch: expect.not.stringContaining(epoch) });
  return returned as unknown as readonly [Tab, Tab];
}

/** Checks that what was lost is asked again, answered once, and the same at every node. */
async function expectAskedAgain(tabs: readonly [Tab, Tab], asked: Asked): Promise<void> {
  const [atA, atB] = tabs;
  for (const tab of tabs) expect(tab.events(asked.session).map(({ type }) => type)).not.toContain('turn_end');
  await answerTea(atB, asked);
  await atA.event(asked.session, 'turn_end');
  const logs = tabs.map((tab) => tab.events(asked.session).map(({ seq, type }) => `${seq} ${type}`));
  expect(logs[1]).toEqual(logs[0]);
}

test('[OPS4, RPL2] every running node notices a standby that takes over without the last commits: a new epoch, and no silent gap', {
  timeout: 180_000,
}, async () => {
  const primary = await startPostgres();
  await primary.crash();
  const standby = await primary.makeStandby();
  onTestFinished(() => standby.remove());
  await primary.start();
  await standby.start();
  const door = await Door.open(primary.port);
  onTestFinished(() => door.close());
  const asked = await askOn(door.port);
  const [{ lsn } = { lsn: '' }] = await useSql(primary)`select pg_current_wal_lsn()::text as lsn`;
  const follower = useSql(standby);
  const hasAll = async () => (await follower`select pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn as yes`)[0]?.yes;
  await expect.poll(hasAll, patience).toBe(true);
  await follower.unsafe(`alter system set primary_conninfo = ''`);
  await follower`select pg_reload_conf()`;
  const isCut = async () => (await useSql(primary)`select 1 from pg_stat_replication`).length === 0;
  await expect.poll(isCut, patience).toBe(true);
  await answerTea(asked.atB, asked); // and only the primary has it
  await primary.crash();
  await follower`select pg_promote()`;
  door.leadTo(standby.port);
  await expectAskedAgain(await returnWithNewEpoch(asked), asked);
});

test('[OPS4, RPL2] running nodes notice an old snapshot of the disk and a restored dump, too', {
  timeout: 180_000,
}, async () => {
  const server = await startPostgres();
  const asked = await askOn(server.port);
  await server.crash();
  const snapshot = server.copy();
  await server.start();
  const answering = async () => (await asked.nodes[1]?.open().then((tab) => tab.follow(asked.session))) !== undefined;
  await expect.poll(() => answering().catch(() => false), patience).toBe(true); // it is connected to the database again
  await answerTea(asked.atB, asked);
  const seen = () => useSql(server, 'parley')<{ until: string }[]>`select until::text from nodes order by id`;
  const before = await seen();
  await expect
    .poll(async () => (await seen()).every(({ until }, n) => until !== before[n]?.until), patience)
    .toBe(true);
  await server.crash();
  server.setBack(snapshot);
  await server.start();
  const tabs = await returnWithNewEpoch(asked);
  await expectAskedAgain(tabs, asked);

  const { epoch } = await (await asked.nodes[0]?.open())!.waitFor('welcome');
  await useSql(server, 'parley').unsafe(`
    begin;
    create table restored (like events including all);
    insert into restored select * from events where seq < 4;
    drop table events;
    alter table restored rename to events;
    update sessions set seq = 3, head = null;
    commit`);
  await returnWithNewEpoch({ ...asked, tabs: [...tabs], epoch, atB: tabs[1] });
});
