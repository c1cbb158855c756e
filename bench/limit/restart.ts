import { createServer } from 'node:http';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { serveCalls } from '../process/child.ts';
import { clock } from '../process/clock.ts';

const [dataDir = '.'] = process.argv.slice(2);

const methods = {
  /** Reads and parses the rows that a start needs, from the same database, and listens. */
  async start() {
    const begun = clock();
    const db = new Sqlite(join(dataDir, 'parley.db'));
    db.pragma('journal_mode = WAL');
    const unfinished = db.prepare<[], { key: number; head: string | null }>(
      "select key, head from sessions where status <> 'idle' or open_count > 0",
    );
    const events = db.prepare<[number], string>('select text from events where session = ? order by seq').pluck();
    const state = unfinished.all().map(({ key, head }) => ({
      head: JSON.parse(head ?? 'null'),
      log: events.all(key).map((text) => JSON.parse(text)),
    }));
    await new Promise<void>((resolve) => createServer().listen(0, '127.0.0.1', resolve));
    const ms = clock() - begun;
    db.close();
    return { ms, sessions: state.length };
  },
  /** Reads and parses the rows of the unfinished sessions. @returns how long it took, in ms */
  read() {
    const begun = clock();
    const db = new Sqlite(join(dataDir, 'parley.db'));
    const heads = db.prepare<[], string>("select head from sessions where status <> 'idle' or open_count > 0").pluck();
    for (const head of heads.iterate()) JSON.parse(head);
    db.close();
    return clock() - begun;
  },
};

export type RestartLimitMethods = typeof methods;

serveCalls(methods);
