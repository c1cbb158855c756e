import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { pathOf } from './example.ts';

type Row = Record<string, unknown>;

/**
 * Makes the database that a release left behind when it was killed, with this many sessions. The stored database has one session
 * with two open prompts; each further session is a copy of its rows with ids of its own.
 * @returns the ids of the sessions
 */
export function makeOldDatabase(dataDir: string, release: string, count: number): string[] {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const db = new Database(join(dataDir, 'parley.db'));
  db.exec(readFileSync(pathOf(`packages/server/test/golden/${release}.sql`), 'utf8'));
  const [first] = db.prepare<[], string>('select id from sessions').pluck().all();
  const prefix = first?.slice(0, 9) ?? ''; // ids of the same hour begin like this, and no other text does
  const tables = ['sessions', 'events', 'records', 'grants', 'audit', 'plugin_state'];
  const rows = tables.map((table) => [table, db.prepare<[], Row>(`select * from ${table}`).all()] as const);
  const ids = [first ?? ''];
  db.transaction(() => {
    for (let n = 2; n <= count; n += 1) {
      const own = `${(Number.parseInt(prefix, 16) - n).toString(16).padStart(8, '0')}-`;
      ids.push(ids[0]?.replace(prefix, own) ?? '');
      for (const [table, originals] of rows) insert(db, table, rename(originals, prefix, own, n));
    }
  })();
  db.close();
  return ids;
}

function rename(originals: readonly Row[], prefix: string, own: string, n: number): Row[] {
  let last = '';
  return originals.map((original) => {
    const row = Object.fromEntries(
      Object.entries(original).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.replaceAll(prefix, own) : value,
      ]),
    );
    for (const number of ['session', 'key']) if (typeof row[number] === 'number') row[number] = n;
    if ('hash' in row) {
      last = createHash('sha256').update(`${last}\n${row.text}`).digest('hex'); // the chain of the audit
      row.hash = last;
    }
    return row;
  });
}

function insert(db: Database.Database, table: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const names = Object.keys(row);
    const values = names.map((name) => `@${name}`);
    db.prepare(`insert into ${table} (${names.join(', ')}) values (${values.join(', ')})`).run(row);
  }
}
