import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { onTestFinished } from 'vitest';
import { PostgresServer } from '../../../../../plugins/postgres/test/support/postgres-server.ts';
import type { SmallDisk } from '../../../../../plugins/postgres/test/support/small-disk.ts';
import type { LoggedEvent, StoredSession } from '../../kill-nine/checked-log.ts';
import { check } from '../../kill-nine/checker.ts';
import type { HistoryEntry } from '../../kill-nine/history.ts';
import { Link } from '../../kill-nine/link.ts';
import { TabClient } from '../../kill-nine/tab-client.ts';
import { randomTools } from '../../kill-nine/tools.ts';
import { Bundle, type Mutation } from '../../support/bundle.ts';
import type { Random } from '../../support/random.ts';
import { EffectFolder } from './effect-folder.ts';
import { NodeProcess } from './node-process.ts';

/** In ms: interval of the people's messages, over all sessions; and how long everything may take to come to rest. */
const messageMs = 50;
const patienceMs = 90_000;

/** In ms: a tab that receives nothing for this long connects to another node. */
const beatMs = 15_000;

interface Story {
  readonly sessionId: string;
  readonly tabs: readonly TabClient[];
}

interface FleetOptions {
  readonly sessions: number;
  readonly tabsEach: number;
  readonly random: Random;
  readonly nodes: number;
  /** Size of the database's disk in MB, if this process may mount one. */
  readonly diskMb?: number;
  /** A fault in the nodes, for the checker to find. */
  readonly mutation?: Mutation;
}

/** Node processes on a PostgreSQL of their own, and people with tabs at all of them. */
export class Fleet {
  readonly database: PostgresServer;
  readonly sql: postgres.Sql;
  readonly disk: SmallDisk | undefined;
  readonly nodes: readonly NodeProcess[];
  readonly #effects: EffectFolder;
  readonly #random: Random;
  readonly #stories: Story[] = [];
  #said = 0;

  private constructor(
    parts: Pick<Fleet, 'database' | 'disk' | 'sql' | 'nodes'>,
    { effects, random }: { effects: EffectFolder; random: Random },
  ) {
    this.database = parts.database;
    this.disk = parts.disk;
    this.sql = parts.sql;
    this.nodes = parts.nodes;
    this.#effects = effects;
    this.#random = random;
  }

  /** Starts a fleet that ends with the test. */
  static async start({ sessions, tabsEach, random, diskMb, mutation, ...more }: FleetOptions): Promise<Fleet> {
    const folder = mkdtempSync(join(tmpdir(), 'parley-fleet-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const program = await Bundle.make(new URL('node.ts', import.meta.url), mutation);
    onTestFinished(() => program.remove());
    const database = await PostgresServer.create();
    onTestFinished(() => database.remove());
    const disk = diskMb === undefined ? undefined : await database.moveToSmallDisk(diskMb);
    await database.start();
    const sql = postgres(database.urlOf('postgres'), { max: 2, onnotice: () => undefined });
    onTestFinished(() => sql.end({ timeout: 0 }));
    const start = async () => {
      const node = await NodeProcess.start(program.file, { url: database.urlOf('postgres'), effects: folder });
      onTestFinished(() => node.remove());
      return node;
    };
    const nodes = await Promise.all(Array.from({ length: more.nodes }, start));
    const fleet = new Fleet({ database, disk, sql, nodes }, { effects: new EffectFolder(folder), random });
    onTestFinished(() => fleet.#leave());
    await fleet.#invite(sessions, tabsEach);
    return fleet;
  }

  /**
   * Lets people talk while something goes wrong, until everything has come to rest.
   * @param patience - in ms: how long that may take
   * @throws Error if it does not
   */
  async live(trouble: () => Promise<void>, patience = patienceMs): Promise<void> {
    let isOver = false;
    const talk = async () => {
      for (; !isOver; await sleep(messageMs)) this.#say();
    };
    const talking = talk();
    try {
      await trouble();
    } catch (error) {
      throw new Error(await this.#describe(), { cause: error });
    } finally {
      isOver = true;
      await talking;
    }
    await this.#rest(patience);
  }

  /** Describes what everybody waits for, as the message of a failure. */
  async #describe(): Promise<string> {
    const ends = this.nodes.flatMap(({ ends }, n) => ends.map((end) => `node ${n + 1} ended by itself: ${end}`));
    const tabs = this.#stories.flatMap(({ tabs }) => tabs);
    const [sessions, locks] = await Promise.all([
      this.sql`select id, seq, status, open_count from sessions`,
      this.sql`select pid, state, wait_event, now() - xact_start as since, left(query, 200) as query
        from pg_stat_activity where application_name = 'parley' and xact_start is not null`,
    ]);
    const idle = `${tabs.filter(({ isIdle }) => isIdle).length} of ${tabs.length} tabs are idle`;
    return [...ends, idle, ...[...sessions, ...locks].map((row) => JSON.stringify(row))].join('\n');
  }

  /** Counts the stored events of one type, over all sessions. */
  async count(type: string): Promise<number> {
    const [row] = await this.sql<{ count: number }[]>`
      select count(*)::integer as count from events where text like ${`%"type":"${type}"%`}`;
    return row?.count ?? 0;
  }

  /** Whether somebody was put off with this code. */
  hasPutOff(code: string): boolean {
    return [...this.#entries()].some((entry) => entry.kind === 'put off' && entry.code === code);
  }

  /** Checks what everybody saw, and what is stored. @throws Error naming every broken promise */
  async judge(): Promise<{ readonly log: readonly LoggedEvent[]; readonly told: Readonly<Record<string, number>> }> {
    const { all: effects } = this.#effects;
    const log: LoggedEvent[] = [];
    const faults = this.nodes.flatMap(({ ends }) => ends.map((end) => `a node ended by itself: ${end}`));
    for (const { sessionId, tabs } of this.#stories) {
      const session = await this.#read(sessionId);
      log.push(...session.log);
      try {
        check({ session, histories: tabs, effects, resources: [] });
      } catch (error) {
        faults.push(`${sessionId}: ${(error as Error).message}`);
      }
    }
    if (faults.length > 0) throw new Error(faults.join('\n\n'));
    const told: Record<string, number> = {};
    for (const { kind } of this.#entries()) told[kind] = (told[kind] ?? 0) + 1;
    return { log, told };
  }

  *#entries(): Generator<HistoryEntry> {
    for (const { tabs } of this.#stories) for (const { entries } of tabs) yield* entries;
  }

  #say(): void {
    const tab = this.#random.pick(this.#random.pick(this.#stories).tabs);
    if (!tab.isIdle) return; // a slow machine should not fall behind forever
    const called = Array.from({ length: 1 + this.#random.below(2) }, () => this.#random.pick(randomTools));
    this.#said += 1;
    tab.say(`message ${this.#said}`, called.map((tool) => `/call ${tool} {}`).join('\n'));
  }

  async #invite(sessions: number, tabsEach: number): Promise<void> {
    const doorOf = (n: number) => this.nodes[n % this.nodes.length]?.door.port ?? 0;
    for (let n = 0; n < sessions; n += 1) {
      const sessionId = await createSession(doorOf(n));
      const tabs = Array.from({ length: tabsEach }, (_, k) => {
        let tries = k;
        return new TabClient(`tab ${k + 1} of ${n + 1}`, sessionId, (...to) => {
          tries += 1; // a reconnecting tab uses another node
          return Link.open(doorOf(tries), ...to, { beatMs });
        });
      });
      this.#stories.push({ sessionId, tabs });
    }
    await Promise.all(this.#stories.flatMap(({ tabs }) => tabs.map((tab) => tab.join())));
  }

  async #leave(): Promise<void> {
    await Promise.all(this.#stories.flatMap(({ tabs }) => tabs.map((tab) => tab.leave())));
  }

  async #rest(patience: number): Promise<void> {
    const deadline = Date.now() + patience;
    for (;;) {
      const busy = await this.#findBusy();
      if (busy.length === 0) return;
      if (Date.now() > deadline) throw new Error(`it did not come to rest:\n${busy.join('\n')}`);
      await sleep(100);
    }
  }

  async #findBusy(): Promise<string[]> {
    const rows = await this.sql<{ id: string; seq: number; status: string; open_count: number }[]>`
      select id, seq, status, open_count from sessions`;
    return this.#stories.flatMap(({ sessionId, tabs }) => {
      const row = rows.find(({ id }) => id === sessionId);
      if (row?.status !== 'idle' || row.open_count > 0) return [JSON.stringify(row)];
      const behind = tabs.filter((tab) => !tab.hasSeen(row.seq)).map(({ who }) => who);
      return behind.length > 0 ? [`${sessionId} at ${row.seq} is not seen by ${behind}`] : [];
    });
  }

  async #read(sessionId: string): Promise<StoredSession> {
    const { sql } = this;
    const [row] = await sql<{ key: number; seq: number; open_count: number; status: string }[]>`
      select key, seq, open_count, status from sessions where id = ${sessionId}`;
    if (!row) throw new Error(`there is no session ${sessionId}`);
    const { key, seq, open_count: openCount, status } = row;
    const events = await sql<{ seq: number; text: string }[]>`
      select seq, text from events where session = ${key} order by seq`;
    const records = await sql<{ tool_call_id: string }[]>`select tool_call_id from records where session = ${key}`;
    const grants = await sql<{ id: string; key: string; uses: number }[]>`
      select id, key, uses from grants where session_id = ${sessionId}`;
    return {
      row: { seq, openCount, status },
      log: events.map(({ text }) => JSON.parse(text)),
      rows: events.map((event) => event.seq),
      records: records.map((record) => record.tool_call_id),
      grants: [...grants],
    };
  }
}

async function createSession(port: number): Promise<string> {
  let onId: (id: string) => void = () => undefined;
  const created = new Promise<string>((resolve) => {
    onId = resolve;
  });
  const { link } = await Link.open(
    port,
    'author',
    (frame) => {
      if (frame.type === 'reply' && frame.ok) onId((frame.result as { session: { id: string } }).session.id);
    },
    { isInteractive: false },
  );
  link.send({ type: 'create_session', requestId: 'create' });
  const id = await created;
  await link.close();
  return id;
}
