import postgres from 'postgres';
import { runAppends } from '../process/append-run.ts';
import { serveCalls } from '../process/child.ts';

const [database = '', first = '0'] = process.argv.slice(2);
const sql = postgres(database, { max: 1 });
const text = 'x'.repeat(400);

interface Session {
  readonly key: number;
  seq: number;
}

let keys = Number(first);
const kept = new Map<number, Session[]>();

serveCalls({
  /** Appends 100 rows with one statement, and waits for it. */
  async run(count: number, ms: number) {
    const sessions = kept.get(count) ?? Array.from({ length: count }, () => ({ key: ++keys, seq: 0 }));
    kept.set(count, sessions);
    return runAppends(sessions, ms, (group) => {
      const rows = group.map((session) => ({ session: session.key, seq: ++session.seq, text }));
      return sql`insert into events ${sql(rows, 'session', 'seq', 'text')}`;
    });
  },
});
