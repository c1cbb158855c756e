import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { runAppends } from '../process/append-run.ts';
import { serveCalls } from '../process/child.ts';
import { TransactionMeter } from '../process/transactions.ts';

const [dataDir = '.'] = process.argv.slice(2);
const transactions = new TransactionMeter();
const db = new Sqlite(join(dataDir, 'append-limit.db'));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec(
  'create table events (id integer primary key, session integer not null, seq integer not null, text text not null, unique (session, seq))',
);
const insert = db.prepare('insert into events (session, seq, text) values (?, ?, ?)');
const text = 'x'.repeat(400);
const write = db.transaction((group: readonly Session[]) => {
  for (const session of group) insert.run(session.key, ++session.seq, text);
});

interface Session {
  readonly key: number;
  seq: number;
}

let keys = 0;
const kept = new Map<number, Session[]>();

serveCalls({
  /** Appends to a plain rowid log, 100 rows per transaction. */
  async run(count: number, ms: number) {
    const sessions = kept.get(count) ?? Array.from({ length: count }, () => ({ key: ++keys, seq: 0 }));
    kept.set(count, sessions);
    transactions.take();
    const report = await runAppends(sessions, ms, (group) => {
      write(group);
      return new Promise((resolve) => setImmediate(resolve));
    });
    return { ...report, longest: transactions.take() };
  },
});
